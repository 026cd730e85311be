import Foundation
import Molt
import MoltSalvage
import Testing

@Suite struct `A foreign index in a cache` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    static let first = Migration(to: 1, "first")

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: url, migrations: [Self.first])
        try cache.setAll((0..<60).map { (key: "key \($0)", value: Person.john) })
        cache.close()
    }

    private static let onJSON = "CREATE INDEX mine ON molt_record(json_extract(content, '$.firstName'))"

    /// Whether the schema's functions may be called; SQLite 3.40 does not let `json_extract`.
    private var isAllowed: Bool {
        get throws {
            do {
                try SQLite(url).run("PRAGMA trusted_schema = OFF; SELECT count(*) FROM molt_record")
                return true
            } catch let error as SQLite.Failure where error.message.contains("unsafe use") {
                return false
            }
        }
    }

    @Test(arguments: [
        "CREATE INDEX mine ON molt_record(version)",
        "CREATE INDEX mine ON molt_record(length(content))",
        "CREATE INDEX mine ON molt_record(key) WHERE version > 0",
        "CREATE UNIQUE INDEX mine ON molt_record(id, content)",
        "CREATE INDEX mine ON molt_type(name)",
        onJSON,
    ])
    func `is not damage, and is kept up to date`(sql: String) throws {
        try SQLite(url).run(sql)
        guard try isAllowed else { return try expectRefusal() }
        let backup = try CacheFile(at: url).backUp()
        let steps: [MigrationStep] = [
            .renameProperty("Person", "firstName", to: "name"),
            .transform("Person") { $0["age"] = .number(1) },
            .run("block") { migration in
                try migration.enumerate("Person") { _, new in new["seen"] = .bool(true) }
            },
            .renameType("Person", to: "Human"),
        ]
        let cache = try CodableCache(at: url, migrations: [Self.first, Migration(to: 2, "second", steps: steps)])
        #expect(cache.report.outcomes == "second ran")
        try cache.set(1, forKey: "new")
        _ = try cache.remove(forKey: "key 3")
        #expect(try cache.count() == 60)
        cache.close()
        #expect(try StoreFile.damage(at: url) == [])
        try CacheFile(at: url).restore(backup)
        #expect(try CodableCache(at: url, migrations: [Self.first]).count() == 60)
    }

    /// The cache refuses what SQLite refuses, and the error says what to remove.
    private func expectRefusal() throws {
        let bytes = try Data(contentsOf: url)
        let calls: [() throws -> Void] = [
            { _ = try CodableCache(at: url, migrations: [Self.first]) },
            { _ = try CacheFile(at: url).version() }, { _ = try CacheFile(at: url).backUp() },
            { _ = try CacheFile(at: url).dryRunAndWait([Self.first]) },
        ]
        for call in calls {
            let error = MoltError.thrown { try call() }
            error?.expect(
                .foreignFile,
                says: "The file has an index, or something else in its schema, that Molt did not make",
                "(mine) - unsafe use of json_extract()",
                "as with DROP INDEX"
            )
            #expect(error?.message.contains("damaged") == false && error.map(MoltError.isDamage) == false)
        }
        #expect(try Data(contentsOf: url) == bytes)
        try SQLite(url).run("DROP INDEX mine")
        #expect(try CodableCache(at: url, migrations: [Self.first]).count() == 60)
    }

    @Test func `does not prevent salvage, or a restore once it is removed`() throws {
        let backup = try CacheFile(at: url).backUp()
        try SQLite(url).run(Self.onJSON)
        let report = try CacheFile(at: url).salvage([Self.first], to: scratch.file("saved.molt"))
        #expect(report.savedCount == 60 && report.losses.isEmpty)
        if try !isAllowed {
            MoltError.thrown { try CacheFile(at: url).restore(backup) }?.expect(
                .restoreFailed,
                says: "as with DROP INDEX"
            )
            try SQLite(url).run("DROP INDEX mine")
        }
        try CacheFile(at: url).restore(backup)
        #expect(try CodableCache(at: url, migrations: [Self.first]).count() == 60)
    }
}
