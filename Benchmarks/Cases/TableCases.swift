import Foundation
import Molt

/// Imports of the table of another library, beside the same by hand.
enum TableCases {
    static let all: [BenchmarkCase] = {
        let cases = [molt, byHand]
        return cases + cases.map(\.withFewRecords)
    }()

    private static let tableName = "people.sqlite"

    /// A database as an app with a library for SQLite leaves it: a column for each property.
    private static let fixture = BenchmarkFixture(name: "people-table") { context in
        let database = try PeerDatabase(at: context.file(tableName))
        try database.execute(
            """
            CREATE TABLE person (id TEXT PRIMARY KEY, fullName TEXT, mail TEXT, age INTEGER, city TEXT,
                isActive BOOLEAN, joined TEXT, notes TEXT)
            """
        )
        let insertion = try database.prepare("INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        try database.transaction {
            for index in 1...context.records {
                let person = People.person(index)
                let texts = [
                    (1, People.key(index)), (2, person.fullName), (3, person.mail), (5, person.city),
                    (7, person.joined),
                    (8, person.notes),
                ]
                insertion.bind(person.age, at: 4)
                insertion.bind(person.isActive ? 1 : 0, at: 6)
                for (parameter, text) in texts { insertion.bind(copying: text, at: Int32(parameter)) }
                try insertion.run()
            }
        }
    }

    private static let molt = BenchmarkCase(
        name: "molt-import-table",
        summary: "importTable: a table with eight columns becomes records, in a new store",
        fixture: fixture,
        ratios: [BenchmarkRatio(.rate, of: "table-by-hand", atLeast: 0.8), .extraMemory(of: "molt-import-table")]
    ) { context in
        let store = context.file(CacheCases.fileName)
        let step = MigrationStep.importTable(
            "person",
            of: context.file(tableName),
            as: People.typeName,
            key: .text("id"),
            columns: [
                "age": .integer("age"), "city": .text("city"), "fullName": .text("fullName"),
                "isActive": .boolean("isActive"), "joined": .text("joined"), "mail": .text("mail"),
                "notes": .text("notes"),
            ]
        )
        return BenchmarkTrial(count: context.records) { _ in
            try CodableCache(at: store, migrations: [Migration(to: 1, "import", step)]).close()
        } finish: {
            let cache = try CodableCache(at: store, migrations: [Migration(to: 1, "import", step)])
            defer { cache.close() }
            try check(context, count: cache.count()) { try cache.value(PersonV1.self, forKey: People.key($0)) }
        }
    }

    /// What an app would write by hand: each row becomes a value, which is encoded and inserted.
    private static let byHand = BenchmarkCase(
        name: "table-by-hand",
        summary: "the same with SQLite's statements: read a row, encode a value, insert it, in one transaction",
        fixture: fixture
    ) { context in
        let store = context.file("by-hand.sqlite")
        return BenchmarkTrial(count: context.records) { _ in
            let (source, target) = (try PeerDatabase(at: context.file(tableName)), try PeerDatabase(at: store))
            let rows = try source.prepare("SELECT id, fullName, mail, age, city, isActive, joined, notes FROM person")
            let insertion = try target.prepare(
                "INSERT INTO record (key, type_id, version, content) VALUES (?, 1, 1, ?)"
            )
            let encoder = People.encoder()
            try target.transaction {
                while try rows.step() {
                    let person = PersonV1(
                        fullName: rows.string(1),
                        mail: rows.string(2),
                        age: rows.integer(3),
                        city: rows.string(4),
                        isActive: rows.integer(5) == 1,
                        joined: rows.string(6),
                        notes: rows.string(7)
                    )
                    try encoder.encode(person).withUnsafeBytes { content in
                        insertion.bind(text: rows.text(0), at: 1)
                        insertion.bind(text: content, at: 2)
                        try insertion.run()
                    }
                }
            }
        } finish: {
            let target = try PeerDatabase(at: store)
            let content = try target.prepare("SELECT content FROM record WHERE id = ?")
            try check(context, count: target.integer("SELECT count(*) FROM record")) { index in
                defer { content.reset() }
                content.bind(index, at: 1)
                guard try content.step() else { return nil }
                return try JSONDecoder().decode(PersonV1.self, from: Data(content.text(0)))
            }
        }
    }

    private static func check(_ context: BenchmarkContext, count: Int, _ person: (Int) throws -> PersonV1?) throws {
        guard count == context.records else { throw BenchmarkError("\(count) records were imported.") }
        for index in stride(from: 1, through: count, by: 97) {
            let (found, expected) = (try person(index), People.person(index))
            guard found?.mail == expected.mail, found?.notes == expected.notes, found?.isActive == expected.isActive
            else { throw BenchmarkError("Record \(index) is not what was imported.") }
        }
    }
}
