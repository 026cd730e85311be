import Molt
import Testing

@Suite("Errors that a block catches")
struct CaughtErrorTests {
    private static let records = (0..<5).map { StoredRecord("Person", "p\($0)", #"{"number":\#($0)}"#) }

    private static func store(_ entry: EntryPoint) throws -> OldStore {
        try OldStore(records, through: entry)
    }

    // MARK: Incomplete changes

    @Test(arguments: EntryPoint.allCases)
    func `An enumeration that failed after making changes fails the upgrade, even if the block caught the error`(
        entry: EntryPoint
    ) async throws {
        let error = try await Self.store(entry).failure(
            registry(
                .run { migration in
                    try? migration.enumerate("Person") { old, new in
                        if old.key == "p3" { throw Refusal(value: "three") }
                        new.key = "moved-\(old.key)"
                    }
                }
            )
        )

        #expect(error.code == .stepFailed)
        #expect(error.recordKey == "p3")
        #expect(error.migration?.name == "change")
        #expect(error.underlying as? Refusal == Refusal(value: "three"))
    }

    @Test(arguments: EntryPoint.allCases)
    func `A key collision at the end of an enumeration fails the upgrade, even if the block caught the error`(
        entry: EntryPoint
    ) async throws {
        let error = try await Self.store(entry).failure(
            registry(
                .run { migration in
                    try? migration.enumerate("Person") { _, new in
                        new["seen"] = true
                        new.key = "same"
                    }
                },
                .transform("Person") { $0["after"] = true }
            )
        )

        #expect(error.code == .keyExists)
        #expect(error.step?.number == 1)
    }

    @Test(arguments: EntryPoint.allCases)
    func `Every call after a failed enumeration throws its error again`(entry: EntryPoint) async throws {
        let errors = Log<MigrationError.Code>()
        _ = try await Self.store(entry).failure(
            registry(
                .run { migration in
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
                        do { try call() } catch let error as MigrationError { errors.append(error.code) }
                    }
                }
            )
        )

        #expect(errors.all == Array(repeating: .stepFailed, count: 5))
    }

    @Test(arguments: [EntryPoint.initializer, .asyncOpen, .migrator])
    func `A block cannot write after SQLite has rolled back the transaction, as for a full disk`(
        entry: EntryPoint
    ) async throws {
        let store = try Self.store(entry)
        // Any write at version 1 makes SQLite roll back the transaction.
        try SQLite(store.url).run(
            """
            ALTER TABLE molt_record ADD COLUMN guard INTEGER
            GENERATED ALWAYS AS (CASE WHEN version > 0 THEN NULL ELSE 1 END) VIRTUAL NOT NULL ON CONFLICT ROLLBACK
            """
        )

        let error = try await store.failure(
            registry(
                .run { migration in
                    try? migration.enumerate("Person") { _, new in new["seen"] = true }
                    try? migration.create("Person", forKey: "new", ["number": 9])
                    _ = try? migration.delete("p1")
                }
            )
        )

        #expect(error.code == .storeFailed)
        #expect(error.migration?.name == "change")
    }

    @Test(arguments: EntryPoint.allCases)
    func `A failed inner enumeration that made changes ends the outer one`(entry: EntryPoint) async throws {
        let visited = Log<String>()
        let error = try await Self.store(entry).failure(
            registry(
                .run { migration in
                    try migration.enumerate("Person") { old, _ in
                        visited.append(old.key)
                        try? migration.enumerate("Person") { inner, new in
                            if inner.key == "p2" { throw Refusal() }
                            new["inner"] = true
                        }
                    }
                }
            )
        )

        #expect(visited.all == ["p0"])
        #expect(error.recordKey == "p2")
    }

    // MARK: Errors without changes

    @Test(arguments: EntryPoint.allCases)
    func `A block may end an enumeration that has changed nothing with an error`(entry: EntryPoint) async throws {
        let after = try await Self.store(entry).upgraded(
            registry(
                .run { migration in
                    let found = Log<String>()
                    try? migration.enumerate("Person") { old, _ in
                        found.append(old.key)
                        if found.count == 3 { throw Refusal() }
                    }
                    try migration.create("Note", forKey: "found", .string(found.all.joined(separator: " ")))
                }
            )
        )

        #expect(after["found"]?.text == #""p0 p1 p2""#)
    }

    @Test(arguments: EntryPoint.allCases)
    func `A block may continue after a creation or an update whose key exists, which writes nothing`(
        entry: EntryPoint
    ) async throws {
        let after = try await Self.store(entry).upgraded(
            registry(
                .run { migration in
                    try? migration.create("Person", forKey: "p1", ["number": 100])
                    var record = try #require(try migration.record(forKey: "p2"))
                    record["number"] = 200
                    record.key = "p3"
                    try? migration.update(record)
                    try migration.enumerate("Person") { _, new in new["seen"] = true }
                }
            )
        )

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

    @Test(arguments: EntryPoint.allCases)
    func `The visited record cannot be changed both by an update and as the new record`(
        entry: EntryPoint
    ) async throws {
        let error = try await Self.store(entry).failure(
            registry(
                .run { migration in
                    try migration.enumerate("Person") { old, new in
                        guard old.key == "p2", var record = try migration.record(forKey: "p2") else { return }
                        record["updated"] = true
                        try migration.update(record)
                        new["visited"] = true
                    }
                }
            )
        )

        #expect(error.code == .stepFailed)
        #expect(error.recordKey == "p2")
        #expect(error.recordType == "Person")
        #expect(error.message.contains("would be lost"))
    }

    @Test(arguments: EntryPoint.allCases)
    func `The visited record cannot be changed both by an inner enumeration and as the new record`(entry: EntryPoint)
        async throws
    {
        let error = try await Self.store(entry).failure(
            registry(
                .run { migration in
                    try migration.enumerate("Person") { old, new in
                        if old.key == "p1" { try migration.renameProperty("Person", "number", to: "no") }
                        if old.key == "p1" { new["visited"] = true }
                    }
                }
            )
        )

        #expect(error.recordKey == "p1")
        #expect(error.message.contains("would be lost"))
    }

    @Test(arguments: EntryPoint.allCases)
    func `The visited record may be updated instead`(entry: EntryPoint) async throws {
        let after = try await Self.store(entry).upgraded(
            registry(
                .run { migration in
                    try migration.enumerate("Person") { old, _ in
                        guard var record = try migration.record(forKey: old.key) else { return }
                        record["updated"] = true
                        try migration.update(record)
                    }
                }
            )
        )

        #expect(after.records.allSatisfy { $0.text.hasSuffix(#","updated":true}"#) })
    }

    @Test(arguments: EntryPoint.allCases)
    func `Updating a record that was read before its type was renamed keeps the new type name`(entry: EntryPoint)
        async throws
    {
        let after = try await Self.store(entry).upgraded(
            registry(
                .run { migration in
                    var record = try #require(try migration.record(forKey: "p0"))
                    try migration.renameType("Person", to: "Human")
                    record["updated"] = true
                    try migration.update(record)
                }
            )
        )

        #expect(Set(after.types.values) == ["Human"])
        #expect(after["p0"]?.text == #"{"number":0,"updated":true}"#)
    }
}
