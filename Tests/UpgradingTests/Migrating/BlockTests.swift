import Foundation
import Molt
import Testing

@Suite("Running a block over the whole store", .through(.migrator))
struct BlockTests {
    private struct City: Codable { var name: String }

    private static let records = [
        StoredRecord("Person", "ada", #"{"name":"Ada"}"#),
        StoredRecord("City", "rome", #"{"name":"Rome"}"#),
        StoredRecord("Person", "bob", #"{"name":"Bob"}"#, expiration: 4_000_000_000),
        StoredRecord("Data", "blob", data: [0, 1]),
    ]

    // MARK: Versions

    @Test func `A block sees its version and the one before, whichever path the store took`() async throws {
        let seen = Log<[Int]>()
        var registry = MigrationRegistry()
        for version in [1, 3, 3, 7] {
            registry.register(to: version, "v\(version)-\(registry.names.count)") { migration in
                seen.append([migration.oldVersion, migration.version])
            }
        }
        try await OldStore([]).upgrade(registry)
        let stepByStep = try OldStore([])
        for name in registry.names { try await stepByStep.upgrade(registry.upTo(name)) }

        let versions = [[0, 1], [1, 3], [1, 3], [3, 7]]
        #expect(seen.all == versions + versions)
    }

    // MARK: Reading

    @Test func `A block can read the types, their counts and any record`() async throws {
        let seen = Log<String>()
        try await OldStore(Self.records).upgrade { migration in
            seen.append(try migration.summary)
            seen.append("\(try migration.count(ofType: "Robot"))")
            for key in ["bob", "blob", "nobody"] { seen.append(try migration.line(forKey: key)) }
        }
        seen.expect(
            "City 1, Data 1, Person 2",
            "0",
            #"Person bob {"name":"Bob"} until 4000000000.0"#,
            "Data blob data [0, 1]",
            "none"
        )
    }

    // MARK: Creating

    @Test func `A block can create records from Codable values, properties and data, with an expiry`() async throws {
        let store = try OldStore([StoredRecord("City", "rome", #"{"name":"Rome"}"#)])
        let seen = Log<String>()

        let report = try await store.upgrade { migration in
            let date = Date(timeIntervalSince1970: 4_100_000_000)
            try migration.create("City", forKey: "oslo", City(name: "Oslo"), expiration: date)
            try migration.create("Robot", forKey: "r2", ["legs": 3, "tags": ["a", .null]])
            try migration.create("Data", forKey: "bytes", Data([9, 8]))
            try migration.create("List", forKey: "list", [1, 2])
            seen.append(try migration.line(forKey: "r2"))
            seen.append(try migration.summary)
        }

        seen.expect(#"Robot r2 {"legs":3,"tags":["a",null]}"#, "City 2, Data 1, List 1, Robot 1")
        try store.snapshot().expect(
            #"City rome {"name":"Rome"}"#,
            #"City oslo {"name":"Oslo"} until 4100000000.0"#,
            #"Robot r2 {"legs":3,"tags":["a",null]}"#,
            "Data bytes data [9, 8]",
            "List list [1,2]"
        )
        #expect(report.counts.created == 4)
    }

    // MARK: Updating

    @Test func `A block can update a record's content, expiry, key and type`() async throws {
        let store = try OldStore(Self.records)
        let seen = Log<String>()

        let report = try await store.upgrade { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            bob["name"] = "Robert"
            bob.key = "robert"
            bob.typeName = "Friend"
            bob.expiration = nil
            try migration.update(bob)
            seen.append(try migration.line(forKey: "bob"))
            seen.append(try migration.line(forKey: "robert"))
            seen.append(try migration.summary)
        }

        seen.expect("none", #"Friend robert {"name":"Robert"}"#, "City 1, Data 1, Friend 1, Person 1")
        try store.snapshot().expect(
            #"Person ada {"name":"Ada"}"#,
            #"City rome {"name":"Rome"}"#,
            #"Friend robert {"name":"Robert"}"#,
            "Data blob data [0, 1]"
        )
        #expect(report.counts.changed == 1)
    }

    @Test func `A block cannot give a record another record's key, or update a deleted one`() async throws {
        let store = try OldStore(Self.records)
        try await store.failure(.run("import") { try $0.create("City", forKey: "ada", City(name: "x")) })
            .expect(.keyExists, key: "ada", type: "City", migration: "change", summary: "import")
        try await store.failure { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            bob.key = "ada"
            try migration.update(bob)
        }.expect(.keyExists, key: "bob")
        try await store.failure { migration in
            let bob = try #require(try migration.record(forKey: "bob"))
            try migration.delete("bob")
            try migration.update(bob)
        }.expect(.recordMissing, key: "bob", migration: "change")
    }

    @Test func `Records that the block created can be updated, deleted and created again`() async throws {
        let after = try await OldStore([StoredRecord("Person", "bob", "{}")]).upgraded { migration in
            try migration.create("City", forKey: "oslo", ["a": 1])
            var oslo = try #require(try migration.record(forKey: "oslo"))
            oslo["a"] = 2
            oslo.key = "bergen"
            try migration.update(oslo)
            try migration.create("City", forKey: "oslo", ["a": 3])
            try migration.delete("oslo")
            try migration.create("City", forKey: "oslo", ["a": 4])
            // A dropped record is deleted.
            var bob = try #require(try migration.record(forKey: "bob"))
            bob.drop()
            try migration.update(bob)
        }
        after.expect(#"City bergen {"a":2}"#, #"City oslo {"a":4}"#)
    }

    // MARK: Deleting

    @Test func `A block can delete by key and by type, learns what there was, and can use both again`() async throws {
        let store = try OldStore(Self.records)
        let seen = Log<String>()

        let report = try await store.upgrade { migration in
            try migration.create("Person", forKey: "eve", ["name": "Eve"])
            for _ in 0..<2 { seen.append("\(try migration.delete("rome"))") }
            for type in ["Person", "Person", "Robot"] { seen.append("\(try migration.deleteAll(ofType: type))") }
            seen.append(try migration.summary)
            try migration.create("Person", forKey: "ada", ["name": "Ada again"])
            seen.append(try migration.summary)
        }

        seen.expect("true", "false", "3", "0", "0", "Data 1", "Data 1, Person 1")
        try store.snapshot().expect("Data blob data [0, 1]", #"Person ada {"name":"Ada again"}"#)
        #expect("\(report.counts)" == "4 dropped, 2 created")
    }

    // MARK: Renaming

    @Test func `A block can rename types, even to an existing one`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            for type in ["City", "Person", "Robot"] { try migration.renameType(type, to: "Place") }
            let summary = try migration.summary
            #expect(summary == "Data 1, Place 3")
        }
        after.expect(
            #"Place ada {"name":"Ada"}"#,
            #"Place rome {"name":"Rome"}"#,
            #"Place bob {"name":"Bob"} until 4000000000.0"#,
            "Data blob data [0, 1]"
        )
    }

    @Test func `A block can rename a property of all records that have it, unless the name is taken`() async throws {
        let store = try OldStore(Self.records + [StoredRecord("Person", "eve", #"{"home":{"zip":1},"name":"Eve"}"#)])
        try await store.failure { try $0.renameProperty("Person", "name", to: "home") }
            .expect(.propertyExists, key: "eve", property: "home")

        let after = try await store.upgraded { migration in
            let counts = [
                try migration.renameProperty("Person", "name", to: "title"),
                try migration.renameProperty("Person", ["home", "zip"], to: "code"),
                try migration.renameProperty("Robot", "name", to: "title"),
            ]
            #expect(counts == [3, 1, 0])
            try migration.enumerate("Person") { old, new in
                let isRenamed = !old.contains("title") && !new.contains("name") && old["name"] == new["title"]
                #expect(isRenamed)
            }
        }
        after.expect(
            #"Person ada {"title":"Ada"}"#,
            #"City rome {"name":"Rome"}"#,
            #"Person bob {"title":"Bob"} until 4000000000.0"#,
            "Data blob data [0, 1]",
            #"Person eve {"home":{"code":1},"title":"Eve"}"#
        )
    }

    // MARK: Errors and the end of a block

    @Test func `An error from a block becomes the underlying error, and all changes are rolled back`() async throws {
        let error = try await OldStore(Self.records).failure(
            .transform("Person") { $0["name"] = 1 },
            .run("give up") { migration in
                try migration.deleteAll(ofType: "City")
                try migration.create("City", forKey: "oslo", City(name: "Oslo"))
                try migration.enumerate("Person") { _, new in new.key += "!" }
                throw Refusal(value: "no")
            }
        )
        error.expect(.stepFailed, id: MigrationID(name: "change", version: 1), step: 2, summary: "give up")
        error.expect(refusal: "no")
        #expect(error.key == nil)
        let encoding = try await OldStore([]).failure { try $0.create("City", forKey: "nan", [Double.nan]) }
        encoding.expect(.typeMismatch, key: "nan")
        #expect(encoding.underlying is EncodingError)
    }

    @Test func `An error that a closure gets from another store is the cause, not this store's error`() async throws {
        let other = try OldStore([], version: 9)
        let url = other.url
        let open: @Sendable () throws -> Void = { try CodableCache(at: url).close() }

        for step: MigrationStep in [
            .run("import") { _ in try open() },
            .run("import") { try $0.enumerate("Person") { _, _ in try open() } },
            .transform("Person") { _ in try open() },
        ] {
            let error = try await OldStore(Self.records).failure(step)
            error.expect(.stepFailed, migration: "change")
            #expect(error.store != url.path)
            let cause = try #require(error.underlying as? MoltError)
            cause.expect(.superseded, store: url.path)
            #expect(cause.key == nil)
        }
    }

    #if CHILD_PROCESSES
        private static let calls: [@Sendable (MigrationContext) throws -> Void] = [
            { _ = try $0.types },
            { _ = try $0.count(ofType: "Person") },
            { _ = try $0.record(forKey: "ada") },
            { try $0.enumerate("Person") { _, _ in } },
            { try $0.create("City", forKey: "x", City(name: "x")) },
            { try $0.create("City", forKey: "x", ["name": "x"]) },
            { try $0.delete("ada") },
            { try $0.deleteAll(ofType: "Person") },
            { try $0.renameType("Person", to: "Human") },
            { try $0.renameProperty("Person", "name", to: "title") },
        ]

        @Test func `A context that is used after its block, or after a failed one, stops the process`() async {
            await #expect(processExitsWith: .success) {
                let kept = Kept()
                try await OldStore(Self.records).upgrade { kept.contexts.append($0) }
                _ = try await OldStore(Self.records).failure {
                    kept.contexts.append($0)
                    throw Refusal()
                }
                exitIfEachTraps(kept.contexts.flatMap { context in Self.calls.map { call in { try call(context) } } })
            }
        }

        /// Keeps contexts beyond their blocks; unchecked, because only one thread uses it.
        private final class Kept: @unchecked Sendable {
            var contexts: [MigrationContext] = []
        }
    #endif
}

@Suite("Errors that a block catches", .through(.migrator))
struct CaughtErrorTests {
    private static let records = (0..<5).map { StoredRecord("Person", "p\($0)", #"{"number":\#($0)}"#) }

    // MARK: Incomplete changes

    @Test func `An enumeration that failed after changes fails the upgrade, even if it is caught`() async throws {
        let store = try OldStore(Self.records)
        try await store.failure { migration in
            try? migration.enumerate("Person") { old, new in
                if old.key == "p3" { throw Refusal(value: "three") }
                new.key = "moved-\(old.key)"
            }
        }.expect(.stepFailed, key: "p3", migration: "change", refusal: "three")
        // The keys are written at the end of the enumeration.
        try await store.failure(
            .run { migration in
                try? migration.enumerate("Person") { _, new in
                    new["seen"] = true
                    new.key = "same"
                }
            },
            .transform("Person") { $0["after"] = true }
        ).expect(.keyExists, step: 1)
    }

    @Test func `Every call after a failed enumeration throws its error again`() async throws {
        let errors = Log<MoltError.Code>()
        _ = try await OldStore(Self.records).failure { migration in
            try? migration.enumerate("Person") { old, _ in
                try migration.delete(old.key)
                throw Refusal()
            }
            let calls: [() throws -> Void] = [
                { _ = try migration.types },
                { _ = try migration.record(forKey: "p4") },
                { try migration.enumerate("Person") { _, _ in } },
                { try migration.create("Person", forKey: "new", ["number": 9]) },
                { try migration.renameType("Person", to: "Human") },
            ]
            for call in calls {
                do { try call() } catch let error as MoltError { errors.append(error.code) }
            }
        }
        #expect(errors.all == Array(repeating: .stepFailed, count: 5))
    }

    @Test func `A block cannot write after SQLite has rolled back the transaction, as for a full disk`() async throws {
        let store = try OldStore(Self.records)
        // Any write at version 1 makes SQLite roll back the transaction.
        try SQLite(store.url).run(
            """
            ALTER TABLE molt_record ADD COLUMN guard INTEGER
            GENERATED ALWAYS AS (CASE WHEN version > 0 THEN NULL ELSE 1 END) VIRTUAL NOT NULL ON CONFLICT ROLLBACK
            """
        )
        try await store.failure { migration in
            try? migration.enumerate("Person") { _, new in new["seen"] = true }
            try? migration.create("Person", forKey: "new", ["number": 9])
            _ = try? migration.delete("p1")
        }.expect(.storeFailed, migration: "change")
    }

    @Test func `A failed inner enumeration that made changes ends the outer one`() async throws {
        let visited = Log<String>()
        try await OldStore(Self.records).failure { migration in
            try migration.enumerate("Person") { old, _ in
                visited.append(old.key)
                try? migration.enumerate("Person") { inner, new in
                    if inner.key == "p2" { throw Refusal() }
                    new["inner"] = true
                }
            }
        }.expect(key: "p2")
        visited.expect("p0")
    }

    // MARK: Errors without changes

    @Test func `A block may continue after a call that failed and has changed nothing`() async throws {
        let after = try await OldStore(Array(Self.records[..<4])).upgraded { migration in
            let found = Log<String>()
            try? migration.enumerate("Person") { old, _ in
                found.append(old.key)
                if found.count == 3 { throw Refusal() }
            }
            MoltError.thrown { try migration.create("N", forKey: "n", Double.infinity) }?.expect(.typeMismatch)
            // Neither key is free.
            try? migration.create("Person", forKey: "p1", ["number": 100])
            var record = try #require(try migration.record(forKey: "p2"))
            record["number"] = 200
            record.key = "p3"
            try? migration.update(record)
            try migration.enumerate("Person") { _, new in new["seen"] = true }
            try migration.create("Note", forKey: "found", .string(found.all.joined(separator: " ")))
        }
        after.expect(
            #"Person p0 {"number":0,"seen":true}"#,
            #"Person p1 {"number":1,"seen":true}"#,
            #"Person p2 {"number":2,"seen":true}"#,
            #"Person p3 {"number":3,"seen":true}"#,
            #"Note found "p0 p1 p2""#
        )
    }

    // MARK: Lost changes

    @Test func `The visited record is changed by updates and inner enumerations, or as the new record`() async throws {
        let store = try OldStore(Array(Self.records[..<3]))
        try await store.failure { migration in
            try migration.enumerate("Person") { old, new in
                guard old.key == "p2", var record = try migration.record(forKey: "p2") else { return }
                record["updated"] = true
                try migration.update(record)
                new["visited"] = true
            }
        }.expect(.stepFailed, key: "p2", type: "Person", says: "would be lost")
        try await store.failure { migration in
            try migration.enumerate("Person") { old, new in
                guard old.key == "p1" else { return }
                try migration.renameProperty("Person", "number", to: "no")
                new["visited"] = true
            }
        }.expect(key: "p1", says: "would be lost")

        let after = try await store.upgraded { migration in
            try migration.enumerate("Person") { old, _ in
                guard var record = try migration.record(forKey: old.key) else { return }
                record["updated"] = true
                try migration.update(record)
            }
        }
        after.expect(
            #"Person p0 {"number":0,"updated":true}"#,
            #"Person p1 {"number":1,"updated":true}"#,
            #"Person p2 {"number":2,"updated":true}"#
        )
    }

    @Test func `Updating a record that was read before its type was renamed keeps the new type name`() async throws {
        let after = try await OldStore(Array(Self.records[..<2])).upgraded { migration in
            var record = try #require(try migration.record(forKey: "p0"))
            try migration.renameType("Person", to: "Human")
            record["updated"] = true
            try migration.update(record)
        }
        after.expect(#"Human p0 {"number":0,"updated":true}"#, #"Human p1 {"number":1}"#)
    }
}

#if CHILD_PROCESSES
    /// Makes calls that must each stop the process, and ends it, with success if they all do.
    ///
    /// Each call is made by the signal handler of the one before: a process for each would take much longer.
    func exitIfEachTraps(_ calls: [() throws -> Void]) -> Never {
        Traps.calls = calls
        for trap in Traps.signals { signal(trap) { _ in Traps.makeNextCall() } }
        Traps.makeNextCall()
    }

    private enum Traps {
        static let signals = [SIGILL, SIGTRAP]
        // Unsafe: used by one thread.
        nonisolated(unsafe) static var calls: [() throws -> Void] = []

        static func makeNextCall() -> Never {
            // A signal is blocked while its handler runs.
            var blocked = sigset_t()
            sigemptyset(&blocked)
            for trap in signals { sigaddset(&blocked, trap) }
            pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
            guard let call = calls.popLast() else { _exit(EXIT_SUCCESS) }
            try? call()
            _exit(EXIT_FAILURE)
        }
    }
#endif
