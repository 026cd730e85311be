import Foundation
import MoltCache

/// The statements that Molt's cache runs, by hand, on the tables that Molt makes: what is left is what Molt adds to them.
enum PeerStoreCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [setOneByOne, setBatch, get]

    /// The name of the case that sets each value in a transaction of its own.
    static let setOneByOneCase = "same-sql-set-one-by-one"
    /// The name of the case that sets all values in one transaction.
    static let setBatchCase = "same-sql-set-batch"
    /// The name of the case that gets values.
    static let getCase = "same-sql-get"

    private static let setOneByOne = BenchmarkCase(
        name: setOneByOneCase,
        summary: "JSONEncoder and the statement of Molt's cache for each value, each committed (synchronous=NORMAL)",
        size: .oneByOne,
        fixture: MoltStore.emptyFixture
    ) { context in
        let people = People.pool()
        return BenchmarkTrial(count: context.records) {
            let database = try open(context)
            try set(context, in: database) { people[$0 % people.count] }
            try database.close()
        } finish: {
            try MoltCacheCases.check(context)
        }
    }

    private static let setBatch = BenchmarkCase(
        name: setBatchCase,
        summary: "JSONEncoder and the statement of Molt's cache for each value, one transaction",
        fixture: MoltStore.emptyFixture
    ) { context in
        let people = People.pool()
        return BenchmarkTrial(count: context.records) {
            let database = try open(context)
            try database.transaction { try set(context, in: database) { people[$0 % people.count] } }
            try database.close()
        } finish: {
            try MoltCacheCases.check(context)
        }
    }

    private static let get = BenchmarkCase(
        name: getCase,
        summary: "the statement of Molt's cache by key and JSONDecoder for each value, in no order",
        fixture: MoltStore.fixture
    ) { context in
        var found = 0
        return BenchmarkTrial(count: context.records) {
            let database = try open(context)
            found = try PeerCacheCases.getAll(context, from: database, by: RowQuery.get.sql, content: 1)
            try database.close()
        } finish: {
            guard found == context.records else {
                throw BenchmarkError("\(found) of \(context.records) values were found.")
            }
        }
    }

    private static func open(_ context: BenchmarkContext) throws -> PeerDatabase {
        try PeerDatabase(of: context.file(MoltStore.fileName))
    }

    private static func set(
        _ context: BenchmarkContext,
        in database: PeerDatabase,
        _ person: (Int) -> PersonV1
    ) throws {
        let encoder = People.encoder()
        if try database.integer("SELECT count(*) FROM molt_type") == 0 {
            try database.execute("INSERT INTO molt_type(id, name) VALUES(1, '\(People.typeName)')")
        }
        let insert = try database.prepare(RowQuery.set.sql)
        for index in 1...context.records {
            var key = People.key(index)
            let content = try encoder.encode(person(index))
            try key.withUTF8 { key in
                // The expiry, the fifth parameter, stays NULL.
                let now = Date().timeIntervalSince1970
                insert.bind(now, at: 1)
                insert.bind(text: UnsafeRawBufferPointer(key), at: 2)
                insert.bind(1, at: 3)
                insert.bind(0, at: 4)
                insert.bind(now, at: 7)
                try content.withUnsafeBytes { content in
                    insert.bind(text: content, at: 6)
                    try insert.run()
                }
            }
        }
    }
}
