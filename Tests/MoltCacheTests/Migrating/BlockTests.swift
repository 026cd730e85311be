import Foundation
import Testing

@testable import Molt

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

    @Test func `A block sees the version before its migration and its own, whichever path the store took`() async throws
    {
        let seen = Log<[Int]>()
        var registry = MigrationRegistry()
        for version in [1, 3, 3, 7] {
            registry.register(to: version, "v\(version)-\(registry.names.count)") { migration in
                seen.append([migration.oldVersion, migration.version])
            }
        }
        try await OldStore([]).upgrade(registry)
        let expected = [[0, 1], [1, 3], [1, 3], [3, 7]]
        #expect(seen.all == expected)

        let stepByStep = try OldStore([])
        for name in registry.names { try await stepByStep.upgrade(registry.upTo(name)) }
        #expect(Array(seen.all.dropFirst(4)) == expected)
    }

    // MARK: Reading

    @Test func `A block can read the types, their counts and any record`() async throws {
        let store = try OldStore(Self.records)
        try await store.upgrade { migration in
            #expect(try migration.types == ["City", "Data", "Person"])
            #expect(try migration.count(ofType: "Person") == 2)
            #expect(try migration.count(ofType: "Robot") == 0)
            let bob = try #require(try migration.record(forKey: "bob"))
            #expect(bob.typeName == "Person")
            #expect(bob.key == "bob")
            #expect(try bob.string("name") == "Bob")
            #expect(bob.expiration == Date(timeIntervalSince1970: 4_000_000_000))
            #expect(try migration.record(forKey: "blob")?.data == Data([0, 1]))
            #expect(try migration.record(forKey: "nobody") == nil)
        }

        #expect(try store.snapshot().records.map(\.text) == Self.records.map(\.text))
    }

    // MARK: Creating

    @Test func `A block can create records from Codable values, properties and data, with an expiry`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade { migration in
            let date = Date(timeIntervalSince1970: 4_100_000_000)
            try migration.create("City", forKey: "oslo", City(name: "Oslo"), expiration: date)
            try migration.create("Robot", forKey: "r2", ["legs": 3, "tags": ["a", .null]])
            try migration.create("Data", forKey: "bytes", Data([9, 8]))
            try migration.create("List", forKey: "list", [1, 2])
            #expect(throws: MoltError.self) { try migration.create("N", forKey: "n", Double.infinity) }?
                .expect(.typeMismatch)
            #expect(try migration.record(forKey: "r2")?.int("legs") == 3)
            #expect(try migration.count(ofType: "City") == 2)
            #expect(try migration.types == ["City", "Data", "List", "Person", "Robot"])
        }

        let after = try store.snapshot()
        #expect(after.keys == ["ada", "rome", "bob", "blob", "oslo", "r2", "bytes", "list"])
        #expect(after["oslo"]?.text == #"{"name":"Oslo"}"#)
        #expect(after["oslo"]?.expiration == 4_100_000_000)
        #expect(after["r2"]?.text == #"{"legs":3,"tags":["a",null]}"#)
        #expect(after["bytes"]?.content == [9, 8])
        #expect(after["bytes"]?.isData == true)
        #expect(after["list"]?.text == "[1,2]")
        #expect(report.counts.created == 4)
    }

    @Test func `A block cannot create a record under another record's key, or from a value that cannot be encoded`()
        async throws
    {
        let store = try OldStore(Self.records)
        try await store.failure(.run("import") { try $0.create("City", forKey: "ada", City(name: "x")) })
            .expect(.keyExists, key: "ada", type: "City", migration: "change", summary: "import")
        let error = try await store.failure { try $0.create("City", forKey: "nan", [Double.nan]) }
        error.expect(.typeMismatch, key: "nan")
        #expect(error.underlying is EncodingError)
    }

    // MARK: Updating

    @Test func `A block can update a record's content, expiry, key and type`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            bob["name"] = "Robert"
            bob.key = "robert"
            bob.typeName = "Friend"
            bob.expiration = nil
            try migration.update(bob)
            #expect(try migration.record(forKey: "bob") == nil)
            #expect(try migration.record(forKey: "robert")?.string("name") == "Robert")
            #expect(try migration.types.contains("Friend"))
        }

        let after = try store.snapshot()
        #expect(after.keys == ["ada", "rome", "robert", "blob"])
        #expect(after["robert"]?.type == "Friend")
        #expect(after["robert"]?.text == #"{"name":"Robert"}"#)
        #expect(after["robert"]?.expiration == nil)
        #expect(report.counts.changed == 1)
    }

    @Test func `A record that was deleted in the meantime cannot be updated, nor one to another record's key`()
        async throws
    {
        let store = try OldStore(Self.records)
        try await store.failure { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            try migration.delete("bob")
            bob["name"] = 1
            try migration.update(bob)
        }.expect(.recordMissing, key: "bob", migration: "change")
        try await store.failure { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            bob.key = "ada"
            try migration.update(bob)
        }.expect(.keyExists, key: "bob")
    }

    @Test func `Records that the block created can be updated, deleted and created again`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
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

        #expect(after["bergen"]?.text == #"{"a":2}"#)
        #expect(after["oslo"]?.text == #"{"a":4}"#)
        #expect(after.keys == ["ada", "rome", "blob", "bergen", "oslo"])
    }

    // MARK: Deleting

    @Test func `A block can delete by key and by type, learns what was deleted, and can use the type again`()
        async throws
    {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade { migration in
            try migration.create("Person", forKey: "eve", ["name": "Eve"])
            let deleted = [try migration.delete("rome"), try migration.delete("rome")]
            #expect(deleted == [true, false])
            let counts = try ["Person", "Person", "Robot"].map { try migration.deleteAll(ofType: $0) }
            #expect(counts == [3, 0, 0])
            #expect(try migration.types == ["Data"])
            try migration.create("Person", forKey: "ada", ["name": "Ada again"])
            #expect(try migration.types == ["Data", "Person"])
        }

        #expect(try store.snapshot().keys == ["blob", "ada"])
        #expect("\(report.counts)" == "4 dropped, 2 created")
    }

    // MARK: Renaming

    @Test func `A block can rename types, even to an existing one`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.renameType("City", to: "Place")
            try migration.renameType("Person", to: "Place")
            try migration.renameType("Robot", to: "Place")
            #expect(try migration.types == ["Data", "Place"])
            #expect(try migration.count(ofType: "Place") == 3)
        }

        #expect(after.records.map(\.type) == ["Place", "Place", "Place", "Data"])
        #expect(after.records.map(\.text) == Self.records.map(\.text))
    }

    @Test func `A block can rename a property of all records that have it, unless the name is taken`() async throws {
        let store = try OldStore(Self.records + [StoredRecord("Person", "eve", #"{"home":{"zip":1},"name":null}"#)])
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
                #expect(old["name"] == new["title"])
                #expect(!old.contains("title"))
                #expect(!new.contains("name"))
            }
        }

        #expect(after["ada"]?.text == #"{"title":"Ada"}"#)
        #expect(after["eve"]?.text == #"{"home":{"code":1},"title":null}"#)
        #expect(after["rome"]?.text == #"{"name":"Rome"}"#)
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
    }

    @Test func `An error that a closure gets from another store is reported as the cause, not as this store's error`()
        async throws
    {
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
            let cause = error.underlying as? MoltError
            #expect(cause?.code == .superseded)
            #expect(cause?.store == url.path)
            #expect(cause?.key == nil)
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

    @Test func `Blocks and steps see the changes of those before them`() async throws {
        let after = try await OldStore(Self.records).upgraded([
            Migration(to: 1, "a", .renameProperty("Person", "name", to: "n1")),
            Migration(
                to: 2,
                "b",
                .run { migration in
                    try migration.enumerate("Person") { old, new in new["n2"] = .string(try old.string("n1") + "2") }
                    try migration.create("Person", forKey: "eve", ["n1": "", "n2": "E"])
                },
                // What a block has created is visited by the next one.
                .run { migration in
                    try migration.enumerate("Person") { old, new in new["n2"] = .string(try old.string("n2") + "!") }
                },
                .renameProperty("Person", "n1", to: "n3")
            ),
            Migration(to: 3, "c", .transform("Person") { $0["n4"] = .string(try $0.string("n2") + "4") }),
        ])

        #expect(after["ada"]?.text == #"{"n3":"Ada","n2":"Ada2!","n4":"Ada2!4"}"#)
        #expect(after["eve"]?.text == #"{"n3":"","n2":"E!","n4":"E!4"}"#)
    }
}

@Suite("Errors that a block catches", .through(.migrator))
struct CaughtErrorTests {
    private static let records = (0..<5).map { StoredRecord("Person", "p\($0)", #"{"number":\#($0)}"#) }

    // MARK: Incomplete changes

    @Test func `An enumeration that failed after making changes fails the upgrade, even if the block caught the error`()
        async throws
    {
        try await OldStore(Self.records).failure { migration in
            try? migration.enumerate("Person") { old, new in
                if old.key == "p3" { throw Refusal(value: "three") }
                new.key = "moved-\(old.key)"
            }
        }.expect(.stepFailed, key: "p3", migration: "change", refusal: "three")
    }

    @Test func `A key collision at the end of an enumeration fails the upgrade, even if the block caught the error`()
        async throws
    {
        try await OldStore(Self.records).failure(
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
        let error = try await OldStore(Self.records).failure { migration in
            try migration.enumerate("Person") { old, _ in
                visited.append(old.key)
                try? migration.enumerate("Person") { inner, new in
                    if inner.key == "p2" { throw Refusal() }
                    new["inner"] = true
                }
            }
        }

        #expect(visited.all == ["p0"])
        #expect(error.key == "p2")
    }

    // MARK: Errors without changes

    @Test func `A block may end an enumeration that has changed nothing with an error`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            let found = Log<String>()
            try? migration.enumerate("Person") { old, _ in
                found.append(old.key)
                if found.count == 3 { throw Refusal() }
            }
            try migration.create("Note", forKey: "found", .string(found.all.joined(separator: " ")))
        }

        #expect(after["found"]?.text == #""p0 p1 p2""#)
    }

    @Test func `A block may continue after a creation or an update whose key exists, which writes nothing`()
        async throws
    {
        let after = try await OldStore(Self.records).upgraded { migration in
            try? migration.create("Person", forKey: "p1", ["number": 100])
            var record = try #require(try migration.record(forKey: "p2"))
            record["number"] = 200
            record.key = "p3"
            try? migration.update(record)
            try migration.enumerate("Person") { _, new in new["seen"] = true }
        }

        #expect(after.keys == (0..<5).map { "p\($0)" })
        #expect(after.records.map(\.text) == (0..<5).map { #"{"number":\#($0),"seen":true}"# })
    }

    // MARK: Lost changes

    @Test func `The visited record cannot be changed both by an update or an inner enumeration and as the new record`()
        async throws
    {
        let store = try OldStore(Self.records)
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
    }

    @Test func `The visited record may be updated instead`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.enumerate("Person") { old, _ in
                guard var record = try migration.record(forKey: old.key) else { return }
                record["updated"] = true
                try migration.update(record)
            }
        }

        #expect(after.records.allSatisfy { $0.text.hasSuffix(#","updated":true}"#) })
    }

    @Test func `Updating a record that was read before its type was renamed keeps the new type name`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            var record = try #require(try migration.record(forKey: "p0"))
            try migration.renameType("Person", to: "Human")
            record["updated"] = true
            try migration.update(record)
        }

        #expect(Set(after.types.values) == ["Human"])
        #expect(after["p0"]?.text == #"{"number":0,"updated":true}"#)
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
