import Testing

@testable import Molt

@Suite("Errors that a block catches", .throughEveryEntryPoint)
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

    @Test(.through(.initializer, .asyncOpen, .migrator))
    func `A block cannot write after SQLite has rolled back the transaction, as for a full disk`() async throws {
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

        #expect(
            after.texts
                == Dictionary(
                    uniqueKeysWithValues: (0..<5).map {
                        ("p\($0)", #"{"number":\#($0),"seen":true}"#)
                    }
                )
        )
    }

    // MARK: Lost changes

    @Test func `The visited record cannot be changed both by an update and as the new record`() async throws {
        try await OldStore(Self.records).failure { migration in
            try migration.enumerate("Person") { old, new in
                guard old.key == "p2", var record = try migration.record(forKey: "p2") else { return }
                record["updated"] = true
                try migration.update(record)
                new["visited"] = true
            }
        }.expect(.stepFailed, key: "p2", type: "Person", says: "would be lost")
    }

    @Test func `The visited record cannot be changed both by an inner enumeration and as the new record`() async throws
    {
        try await OldStore(Self.records).failure { migration in
            try migration.enumerate("Person") { old, new in
                if old.key == "p1" { try migration.renameProperty("Person", "number", to: "no") }
                if old.key == "p1" { new["visited"] = true }
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
