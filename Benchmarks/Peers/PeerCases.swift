import Foundation

/// The other ways to upgrade a SQLite table of JSON records, and what the disk can do at best.
enum PeerCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] =
        decodeEncode(.rename).atAllSizes + [decodeEncode(.split)]
        + jsonFunctions(.rename).atAllSizes + [jsonFunctions(.split)]
        + preparedUpdate(preparedUpdateCase).atAllSizes
        + [preparedUpdate(tunedUpdateCase, isTuned: true)]
        + [select, fileCopy]

    /// How the peers compare with each other.
    static let ratios: [BenchmarkRatio] = [
        BenchmarkRatio(
            title: "rename: SQLite's JSON functions vs file per key",
            subject: Change.rename.jsonFunctionsCase,
            baseline: Change.rename.filePerKeyCase,
            measure: .rate
        ),
        BenchmarkRatio(
            title: "rename: SQLite's JSON functions vs decode and encode",
            subject: Change.rename.jsonFunctionsCase,
            baseline: Change.rename.decodeEncodeCase,
            measure: .rate
        ),
        BenchmarkRatio(
            title: "split: SQLite's JSON functions vs decode and encode",
            subject: Change.split.jsonFunctionsCase,
            baseline: Change.split.decodeEncodeCase,
            measure: .rate
        ),
        BenchmarkRatio(
            title: "rename: plain prepared UPDATE vs SQLite's JSON functions",
            subject: preparedUpdateCase,
            baseline: Change.rename.jsonFunctionsCase,
            measure: .rate
        ),
    ]

    /// The name of the case that updates every row with bytes that are there already.
    static let preparedUpdateCase = "sqlite-prepared-update"
    /// The name of the same case with what Molt sets: its page size, and its cache during an upgrade.
    static let tunedUpdateCase = "sqlite-prepared-update-tuned"

    private static let databaseName = "people.sqlite"

    private static let fixture = BenchmarkFixture(name: "people-database") { context in
        try fill(PeerDatabase(at: context.file(databaseName)), context)
    }

    private static let tunedFixture = BenchmarkFixture(name: "people-database-tuned") { context in
        try fill(PeerDatabase(at: context.file(databaseName), isTuned: true), context)
    }

    private static func fill(_ database: PeerDatabase, _ context: BenchmarkContext) throws {
        do {
            let insert = try database.prepare(
                "INSERT INTO record (id, key, type_id, version, content) VALUES (?, ?, 1, 1, ?)"
            )
            let contents = PeopleContents(context.recordSize)
            try database.transaction {
                for index in 1...context.records {
                    insert.bind(index, at: 1)
                    try Array(People.key(index).utf8).withUnsafeBytes { key in
                        insert.bind(text: key, at: 2)
                        try contents.content(index).withUnsafeBytes { content in
                            insert.bind(text: content, at: 3)
                            try insert.run()
                        }
                    }
                }
            }
        }
        try database.close()
    }

    private static let updateStatement = "UPDATE record SET version = 2, content = ? WHERE id = ?"

    private static func decodeEncode(_ change: Change) -> BenchmarkCase {
        BenchmarkCase(
            name: change.decodeEncodeCase,
            summary: "each row: JSONDecoder, JSONEncoder, prepared UPDATE; one transaction",
            isAboutContents: true,
            fixture: fixture,
            reference: change.jsonFunctionsCase
        ) { context in
            let file = context.file(databaseName)
            return BenchmarkTrial(count: context.records) {
                let database = try PeerDatabase(at: file)
                let decoder = JSONDecoder()
                let encoder = People.encoder()
                try database.transaction {
                    let select = try database.prepare("SELECT id, content FROM record WHERE type_id = 1")
                    let update = try database.prepare(updateStatement)
                    while try select.step() {
                        let new = try change.upgrade(Data(select.text(1)), context.recordSize, decoder, encoder)
                        try new.withUnsafeBytes { bytes in
                            update.bind(text: bytes, at: 1)
                            update.bind(select.integer(0), at: 2)
                            try update.run()
                        }
                    }
                }
                try database.close()
            } finish: {
                try check(change, at: file, context)
            }
        }
    }

    private static func jsonFunctions(_ change: Change) -> BenchmarkCase {
        BenchmarkCase(
            name: change.jsonFunctionsCase,
            summary: "one UPDATE with json_set, json_remove, json_extract",
            isAboutContents: true,
            fixture: fixture,
            reference: change.jsonFunctionsCase
        ) { context in
            let file = context.file(databaseName)
            return BenchmarkTrial(count: context.records) {
                let database = try PeerDatabase(at: file)
                try database.transaction {
                    try database.execute(
                        "UPDATE record SET version = 2, content = \(change.expression) WHERE type_id = 1"
                    )
                }
                try database.close()
            } finish: {
                try check(change, at: file, context)
            }
        }
    }

    private static func preparedUpdate(_ name: String, isTuned: Bool = false) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: isTuned
                ? "the same with pages and a cache of the size that Molt's are"
                : "prepared UPDATE of every row, the new contents waiting in memory (and counted in the peak)",
            isAboutContents: true,
            isInQuickMode: !isTuned,
            fixture: isTuned ? tunedFixture : fixture,
            reference: Change.rename.jsonFunctionsCase
        ) { context in
            let file = context.file(databaseName)
            var contents: [UInt8] = []
            contents.reserveCapacity(context.records * Int(context.recordSize.meanBytes.upperBound))
            var ends: [Int] = []
            ends.reserveCapacity(context.records)
            let people = PeopleContents(context.recordSize)
            for index in 1...context.records {
                contents.append(contentsOf: try people.renamedContent(index))
                ends.append(contents.count)
            }
            return BenchmarkTrial(count: context.records) { [contents, ends] in
                let database = try PeerDatabase(at: file, isTuned: isTuned)
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
    }

    private static let select = BenchmarkCase(
        name: "sqlite-select",
        summary: "SELECT of every row's key and content, read by nobody: what reading costs at least",
        isAboutContents: true,
        fixture: fixture,
        reference: Change.rename.jsonFunctionsCase
    ) { context in
        let file = context.file(databaseName)
        var rows = 0
        var bytes = 0
        return BenchmarkTrial(count: context.records) {
            let database = try PeerDatabase(at: file)
            do {
                let select = try database.prepare("SELECT id, key, content FROM record")
                while try select.step() {
                    rows += 1
                    bytes += select.text(1).count + select.text(2).count
                }
            }
            try database.close()
        } finish: {
            guard rows == context.records, bytes > rows * 190 else {
                throw BenchmarkError("SELECT gave \(rows) of \(context.records) rows, \(bytes) bytes.")
            }
        }
    }

    private static let fileCopy = BenchmarkCase(
        name: "file-copy",
        summary: "a copy of the whole database file, flushed to the disk: what writing costs at least",
        isAboutContents: true,
        fixture: fixture,
        reference: Change.rename.jsonFunctionsCase
    ) { context in
        let file = context.file(databaseName)
        let copy = context.file("copy.sqlite")
        return BenchmarkTrial(count: context.records) {
            try Platform.copyDurably(from: file, to: copy)
        } finish: {
            let database = try PeerDatabase(at: copy)
            guard try database.integer("SELECT count(*) FROM record") == context.records else {
                throw BenchmarkError("The copied database is not whole.")
            }
        }
    }

    /// Fails unless every row is of version 2, and a sample has the content that it should have.
    private static func check(_ change: Change, at file: URL, _ context: BenchmarkContext) throws {
        let database = try PeerDatabase(at: file)
        let upgraded = try database.integer("SELECT count(*) FROM record WHERE version = 2")
        guard upgraded == context.records else {
            throw BenchmarkError("\(change): \(upgraded) of \(context.records) rows were upgraded.")
        }
        let select = try database.prepare("SELECT id, content FROM record WHERE id % 97 = 1")
        while try select.step() {
            try change.check(Data(select.text(1)), of: select.integer(0), context.recordSize)
        }
    }
}
