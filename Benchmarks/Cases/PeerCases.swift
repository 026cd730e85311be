import Foundation

/// Alternative ways to upgrade records: a JSON file per key, and a SQLite table of JSON.
enum PeerCases {
    static let all: [BenchmarkCase] =
        [filePerKey, decodeEncode, jsonFunctions].flatMap { [$0(.rename), $0(.split)] } + [preparedUpdate]

    /// A change that an app makes to its records.
    enum Change: String, Sendable {
        /// The property `mail` becomes `email`.
        case rename
        /// The property `fullName` becomes `firstName` and `lastName`.
        case split

        var filePerKeyCase: String { "file-per-key-\(rawValue)" }
        var decodeEncodeCase: String { "sqlite-decode-encode-\(rawValue)" }
        var jsonFunctionsCase: String { "sqlite-json-functions-\(rawValue)" }

        func upgrade(_ old: Data, _ decoder: JSONDecoder, _ encoder: JSONEncoder) throws -> Data {
            let old = try decoder.decode(PersonV1.self, from: old)
            return switch self {
            case .rename: try encoder.encode(RenamedPerson(old))
            case .split: try encoder.encode(SplitPerson(old))
            }
        }

        /// The new content of a row as an SQL expression.
        var expression: String {
            switch self {
            case .rename:
                "json_remove(json_set(content, '$.email', json_extract(content, '$.mail')), '$.mail')"
            case .split:
                """
                json_remove(json_set(content,
                    '$.firstName', substr(json_extract(content, '$.fullName'), 1,
                        instr(json_extract(content, '$.fullName') || ' ', ' ') - 1),
                    '$.lastName', substr(json_extract(content, '$.fullName'),
                        instr(json_extract(content, '$.fullName') || ' ', ' ') + 1)
                ), '$.fullName')
                """
            }
        }

        /// - Throws: ``BenchmarkError`` when the change was not made, or other properties were changed.
        func check(_ content: Data, of index: Int) throws {
            let (old, new) = (People.person(index), try JSONDecoder().decode(UpgradedPerson.self, from: content))
            let isRight =
                switch self {
                case .rename: new.isRenamed(of: old)
                case .split: new.isSplit(of: old)
                }
            guard isRight else { throw BenchmarkError("Record \(index) is not what \(self) makes of it.") }
        }
    }

    // MARK: One file per key

    private static let files = BenchmarkFixture(name: "people-files") { context in
        for index in 1...context.records { try People.content(index).write(to: file(index, in: context)) }
    }

    private static func filePerKey(_ change: Change) -> BenchmarkCase {
        BenchmarkCase(
            name: change.filePerKeyCase,
            summary: "one file a key: read, JSONDecoder, JSONEncoder, atomic write",
            // More files would take longer than all other cases together.
            limit: 10_000,
            quickLimit: 500,
            fixture: files
        ) { context in
            BenchmarkTrial(count: context.records) { _ in
                let decoder = JSONDecoder()
                let encoder = People.encoder()
                for index in 1...context.records {
                    let file = file(index, in: context)
                    let new = try change.upgrade(Data(contentsOf: file), decoder, encoder)
                    try new.write(to: file, options: .atomic)
                }
            } finish: {
                for index in stride(from: 1, through: context.records, by: 97) {
                    try change.check(Data(contentsOf: file(index, in: context)), of: index)
                }
            }
        }
    }

    private static func file(_ index: Int, in context: BenchmarkContext) -> URL {
        context.file(People.key(index) + ".json")
    }

    // MARK: A SQLite table

    static let preparedUpdateCase = "sqlite-prepared-update"
    private static let databaseName = "people.sqlite"
    private static let updateStatement = "UPDATE record SET version = 2, content = ? WHERE id = ?"

    private static let fixture = BenchmarkFixture(name: "people-database") { context in
        let database = try PeerDatabase(at: context.file(databaseName))
        try database.transaction {
            let insert = try database.prepare(
                "INSERT INTO record (id, key, type_id, version, content) VALUES (?, ?, 1, 1, ?)"
            )
            for index in 1...context.records {
                insert.bind(index, at: 1)
                try Data(People.key(index).utf8).withUnsafeBytes { key in
                    insert.bind(text: key, at: 2)
                    try People.content(index).withUnsafeBytes { content in
                        insert.bind(text: content, at: 3)
                        try insert.run()
                    }
                }
            }
        }
        try database.close()
    }

    private static func decodeEncode(_ change: Change) -> BenchmarkCase {
        upgrade(
            change,
            change.decodeEncodeCase,
            "SQLite by hand: each row through JSONDecoder, JSONEncoder and a prepared UPDATE, in one transaction"
        ) { database, context in
            let decoder = JSONDecoder()
            let encoder = People.encoder()
            let select = try database.prepare("SELECT id, content FROM record WHERE type_id = 1")
            let update = try database.prepare(updateStatement)
            while try select.step() {
                let new = try change.upgrade(Data(select.text(1)), decoder, encoder)
                try new.withUnsafeBytes { bytes in
                    update.bind(text: bytes, at: 1)
                    update.bind(select.integer(0), at: 2)
                    try update.run()
                }
            }
        }
    }

    private static func jsonFunctions(_ change: Change) -> BenchmarkCase {
        upgrade(change, change.jsonFunctionsCase, "one UPDATE with json_set, json_remove, json_extract") {
            database,
            _ in
            try database.execute("UPDATE record SET version = 2, content = \(change.expression) WHERE type_id = 1")
        }
    }

    private static func upgrade(
        _ change: Change,
        _ name: String,
        _ summary: String,
        _ body: @escaping @Sendable (PeerDatabase, BenchmarkContext) throws -> Void
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, fixture: fixture) { context in
            let file = context.file(databaseName)
            return BenchmarkTrial(count: context.records) { _ in
                let database = try PeerDatabase(at: file)
                try database.transaction { try body(database, context) }
                try database.close()
            } finish: {
                try check(change, at: file, context)
            }
        }
    }

    private static let preparedUpdate = BenchmarkCase(
        name: preparedUpdateCase,
        summary: "a prepared UPDATE of every row, the new contents waiting in memory (and counted in the peak)",
        fixture: fixture
    ) { context in
        let file = context.file(databaseName)
        var contents = Data()
        contents.reserveCapacity(context.records * 210)
        var ends: [Int] = []
        ends.reserveCapacity(context.records)
        for index in 1...context.records {
            contents.append(People.content(index, mailProperty: "email"))
            ends.append(contents.count)
        }
        return BenchmarkTrial(count: context.records) { [contents, ends] _ in
            let database = try PeerDatabase(at: file)
            try database.transaction {
                let update = try database.prepare(updateStatement)
                try contents.withUnsafeBytes { bytes in
                    var start = 0
                    for (index, end) in ends.enumerated() {
                        update.bind(text: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: 1)
                        update.bind(index + 1, at: 2)
                        try update.run()
                        start = end
                    }
                }
            }
            try database.close()
        } finish: {
            try check(.rename, at: file, context)
        }
    }

    /// Fails unless every row is at version 2 and a sample of rows has the expected content.
    private static func check(_ change: Change, at file: URL, _ context: BenchmarkContext) throws {
        let database = try PeerDatabase(at: file)
        let upgraded = try database.integer("SELECT count(*) FROM record WHERE version = 2")
        guard upgraded == context.records else {
            throw BenchmarkError("\(change): \(upgraded) of \(context.records) rows were upgraded.")
        }
        let select = try database.prepare("SELECT id, content FROM record WHERE id % 97 = 1")
        while try select.step() {
            try change.check(Data(select.text(1)), of: select.integer(0))
        }
    }
}
