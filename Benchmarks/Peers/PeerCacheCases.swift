import Foundation

/// What an app writes that keeps Codable values in SQLite by hand: the peer of the cache's single values.
enum PeerCacheCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [setOneByOne, setBatch, get]

    /// The name of the case that sets each value in a transaction of its own.
    static let setOneByOneCase = "by-hand-set-one-by-one"
    /// The name of the case that sets all values in one transaction.
    static let setBatchCase = "by-hand-set-batch"
    /// The name of the case that gets values.
    static let getCase = "by-hand-get"

    private static let databaseName = "cache.sqlite"

    private static let upsert = """
        INSERT INTO record (key, type_id, version, content) VALUES (?, 1, 1, ?)
        ON CONFLICT (key) DO UPDATE SET content = excluded.content
        """

    private static let fixture = BenchmarkFixture(name: "cache-by-hand") { context in
        let database = try PeerDatabase(at: context.file(databaseName), durability: .normal)
        try database.transaction { try set(context, in: database, People.person) }
        try database.close()
    }

    private static let setOneByOne = BenchmarkCase(
        name: setOneByOneCase,
        summary: "JSONEncoder and a prepared INSERT for each value, each committed (synchronous=NORMAL)",
        size: .oneByOne
    ) { context in
        let people = People.pool()
        return BenchmarkTrial(count: context.records) {
            let database = try PeerDatabase(at: context.file(databaseName), durability: .normal)
            try set(context, in: database) { people[$0 % people.count] }
            try database.close()
        } finish: {
            try check(context)
        }
    }

    private static let setBatch = BenchmarkCase(
        name: setBatchCase,
        summary: "JSONEncoder and a prepared INSERT for each value, one transaction"
    ) { context in
        let people = People.pool()
        return BenchmarkTrial(count: context.records) {
            let database = try PeerDatabase(at: context.file(databaseName), durability: .normal)
            try database.transaction { try set(context, in: database) { people[$0 % people.count] } }
            try database.close()
        } finish: {
            try check(context)
        }
    }

    private static let get = BenchmarkCase(
        name: getCase,
        summary: "a prepared SELECT by key and JSONDecoder for each value, in no order",
        fixture: fixture
    ) { context in
        var found = 0
        return BenchmarkTrial(count: context.records) {
            let database = try PeerDatabase(at: context.file(databaseName), durability: .normal)
            do {
                let select = try database.prepare("SELECT content FROM record WHERE key = ?")
                found = try get(People.shuffledIndices(context.records), by: select, content: 0)
            }
            try database.close()
        } finish: {
            guard found == context.records else {
                throw BenchmarkError("\(found) of \(context.records) values were found.")
            }
        }
    }

    private static func set(
        _ context: BenchmarkContext,
        in database: PeerDatabase,
        _ person: (Int) -> PersonV1
    ) throws {
        let encoder = People.encoder()
        let insert = try database.prepare(upsert)
        for index in 1...context.records {
            var key = People.key(index)
            let content = try encoder.encode(person(index))
            try key.withUTF8 { key in
                insert.bind(text: UnsafeRawBufferPointer(key), at: 1)
                try content.withUnsafeBytes { content in
                    insert.bind(text: content, at: 2)
                    try insert.run()
                }
            }
        }
    }

    /// Gets and decodes the values of some keys.
    ///
    /// - Parameters:
    ///   - select: A query with the key as its parameter.
    ///   - column: The column with the content, counted from 0.
    /// - Returns: How many there were.
    /// - Throws: ``BenchmarkError``, or what `JSONDecoder` throws.
    static func get(_ indices: some Sequence<Int>, by select: PeerStatement, content column: Int32) throws -> Int {
        var found = 0
        let decoder = JSONDecoder()
        for index in indices {
            var key = People.key(index)
            let person = try key.withUTF8 { key in
                select.bind(text: UnsafeRawBufferPointer(key), at: 1)
                defer { select.reset() }
                return try select.step() ? decoder.decode(PersonV1.self, from: Data(select.text(column))) : nil
            }
            if let person, person.age > 0 { found += 1 }
        }
        return found
    }

    private static func check(_ context: BenchmarkContext) throws {
        let database = try PeerDatabase(at: context.file(databaseName))
        guard try database.integer("SELECT count(*) FROM record") == context.records else {
            throw BenchmarkError("Not all values were set.")
        }
        let people = People.pool()
        let select = try database.prepare("SELECT key, content FROM record")
        var row = 0
        while try select.step() {
            row += 1
            guard row % 97 == 1 else { continue }
            let person = try JSONDecoder().decode(PersonV1.self, from: Data(select.text(1)))
            let key = String(decoding: select.text(0), as: UTF8.self)
            guard let index = Int(key.dropFirst("person-".count)), person.mail == people[index % people.count].mail
            else {
                throw BenchmarkError("The value under \(key) is not what was set.")
            }
        }
    }
}
