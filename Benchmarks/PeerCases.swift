import Foundation

/// The other ways to upgrade a SQLite table of JSON records, and what the disk can do at best.
enum PeerCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [
        decodeEncode(.rename),
        decodeEncode(.split),
        jsonFunctions(.rename),
        jsonFunctions(.split),
        preparedUpdate,
        select,
        fileCopy,
    ]

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

    /// A change that an app makes to its records.
    enum Change: String, Sendable {
        /// The property `mail` becomes `email`.
        case rename
        /// The property `fullName` becomes `firstName` and `lastName`.
        case split

        /// The name of the case in which each key is a file.
        var filePerKeyCase: String { "file-per-key-\(rawValue)" }
        /// The name of the case that decodes and encodes each row.
        var decodeEncodeCase: String { "sqlite-decode-encode-\(rawValue)" }
        /// The name of the case that uses SQLite's JSON functions.
        var jsonFunctionsCase: String { "sqlite-json-functions-\(rawValue)" }

        /// The new content of a record, by decoding the old one and encoding the new one.
        func upgrade(_ old: Data, _ decoder: JSONDecoder, _ encoder: JSONEncoder) throws -> Data {
            let person = try decoder.decode(PersonV1.self, from: old)
            switch self {
            case .rename: return try encoder.encode(RenamedPerson(person))
            case .split: return try encoder.encode(SplitPerson(person))
            }
        }

        /// The new content of a row, in SQLite's words.
        fileprivate var expression: String {
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
    }

    private static let databaseName = "people.sqlite"

    private static let fixture = BenchmarkFixture(name: "people-database") { context in
        let database = try PeerDatabase(at: context.file(databaseName))
        do {
            let insert = try database.prepare(
                "INSERT INTO record (id, key, type_id, version, content) VALUES (?, ?, 1, 1, ?)"
            )
            try database.transaction {
                for index in 1...context.records {
                    insert.bind(index, at: 1)
                    try Array(People.key(index).utf8).withUnsafeBytes { key in
                        insert.bind(text: key, at: 2)
                        try Array(People.content(index).utf8).withUnsafeBytes { content in
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
                        let new = try change.upgrade(Data(select.text(1)), decoder, encoder)
                        try new.withUnsafeBytes { bytes in
                            update.bind(text: bytes, at: 1)
                            update.bind(select.integer(0), at: 2)
                            try update.run()
                        }
                    }
                }
                try database.close()
            } finish: {
                try check(change, at: file, records: context.records)
            }
        }
    }

    private static func jsonFunctions(_ change: Change) -> BenchmarkCase {
        BenchmarkCase(
            name: change.jsonFunctionsCase,
            summary: "one UPDATE with json_set, json_remove, json_extract",
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
                try check(change, at: file, records: context.records)
            }
        }
    }

    private static let preparedUpdate = BenchmarkCase(
        name: preparedUpdateCase,
        summary: "prepared UPDATE of every row, the new contents waiting in memory (and counted in the peak)",
        fixture: fixture,
        reference: Change.rename.jsonFunctionsCase
    ) { context in
        let file = context.file(databaseName)
        var contents: [UInt8] = []
        contents.reserveCapacity(context.records * 210)
        var ends: [Int] = []
        ends.reserveCapacity(context.records)
        for index in 1...context.records {
            contents.append(contentsOf: People.renamedContent(index).utf8)
            ends.append(contents.count)
        }
        return BenchmarkTrial(count: context.records) { [contents, ends] in
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
            try check(.rename, at: file, records: context.records)
        }
    }

    private static let select = BenchmarkCase(
        name: "sqlite-select",
        summary: "SELECT of every row's key and content, read by nobody: what reading costs at least",
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
    private static func check(_ change: Change, at file: URL, records: Int) throws {
        let database = try PeerDatabase(at: file)
        let upgraded = try database.integer("SELECT count(*) FROM record WHERE version = 2")
        guard upgraded == records else {
            throw BenchmarkError("\(change): \(upgraded) of \(records) rows were upgraded.")
        }
        let select = try database.prepare("SELECT id, content FROM record WHERE id % 97 = 1")
        while try select.step() {
            try change.check(Data(select.text(1)), of: select.integer(0))
        }
    }
}

extension PeerCases.Change {
    /// Checks the new content of a record.
    ///
    /// - Throws: ``BenchmarkError`` when the change was not made, or more than that was changed.
    func check(_ content: Data, of index: Int) throws {
        let old = People.person(index)
        let isRight: Bool
        switch self {
        case .rename:
            let new = try JSONDecoder().decode(RenamedPerson.self, from: content)
            isRight = new.email == old.mail && new.fullName == old.fullName && new.notes == old.notes
        case .split:
            let new = try JSONDecoder().decode(SplitPerson.self, from: content)
            let expected = SplitPerson(old)
            isRight =
                new.firstName == expected.firstName && new.lastName == expected.lastName
                && new.mail == old.mail && new.notes == old.notes
        }
        guard isRight else { throw BenchmarkError("Record \(index) is not what \(self) makes of it.") }
    }
}
