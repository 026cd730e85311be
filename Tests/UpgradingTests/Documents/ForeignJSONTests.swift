import Foundation
import Molt
import TestSupport
import Testing

/// The guide "Upgrading documents in your own database", where the documents are JSON of another library.
@Suite("JSON that the app has elsewhere")
struct ForeignJSONTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private static let migrations: MigrationRegistry = [
        Migration(
            to: 4,
            "four",
            .transform("Settings") { if $0["isOld"] != nil { $0.drop() } },
            .addProperty("Settings", "size", default: 1)
        ),
        Migration(to: 5, "color", .renameProperty("Settings", "color", to: "tint")),
    ]

    // MARK: GRDB

    @Test func `is upgraded in a column of GRDB's, where it is behind its version`() throws {
        let file = try SQLite(scratch.file("players.sqlite"))
        try file.run(
            """
            CREATE TABLE player(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, settings TEXT);
            INSERT INTO player(name, settings) VALUES
                ('a', '{"color":"red"}'), ('b', NULL), ('c', '{"isOld":true}'), ('d', '{"color":"blue","size":7}');
            ALTER TABLE player ADD COLUMN settingsVersion INTEGER NOT NULL DEFAULT 0;
            UPDATE player SET settingsVersion = 4 WHERE name = 'd';
            """
        )
        let db = Database(file: file)
        let documents = try DocumentUpgrade(Self.migrations, types: ["Settings"])
        let expected = [
            ["a", #"{"tint":"red","size":1}"#, "5"], ["b", "NULL", "0"], ["c", "NULL", "5"],
            ["d", #"{"tint":"blue","size":7}"#, "5"],
        ]
        for _ in 1...2 {
            try file.run("BEGIN")
            try upgradeSettings(db, documents)
            try file.run("COMMIT")
            #expect(try file.rows("SELECT name, settings, settingsVersion FROM player ORDER BY id") == expected)
        }
    }

    func upgradeSettings(_ db: Database, _ documents: DocumentUpgrade) throws {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT id, settings, settingsVersion FROM player WHERE settings IS NOT NULL AND settingsVersion < ?",
            arguments: [documents.version]
        )
        for row in rows {
            let (id, json, version): (Int64, String, Int) = (row["id"], row["settings"], row["settingsVersion"])
            let new = try documents.upgrade(Data(json.utf8), ofType: "Settings", writtenAt: version)
            try db.execute(
                sql: "UPDATE player SET settings = ?, settingsVersion = ? WHERE id = ?",
                arguments: [new.isDropped ? nil : String(decoding: new.content, as: UTF8.self), documents.version, id]
            )
        }
    }

    /// As much of GRDB's interface as the guide's code uses.
    struct Database {
        fileprivate let file: SQLite

        func execute(sql: String, arguments: [(any LosslessStringConvertible)?]) throws {
            _ = try file.rows(sql, binding: arguments.map { $0?.description })
        }
    }

    struct Row {
        private let columns: [String: String]

        static func fetchAll(
            _ db: Database,
            sql: String,
            arguments: [(any LosslessStringConvertible)?]
        ) throws -> [Row] {
            let list = try #require(sql.firstMatch(of: /SELECT (.*?) FROM/)).output.1
            let names = list.split(separator: ", ").map(String.init)
            return try db.file.rows(sql, binding: arguments.map { $0?.description })
                .map { Row(columns: Dictionary(uniqueKeysWithValues: zip(names, $0))) }
        }

        subscript<Value: LosslessStringConvertible>(column: String) -> Value {
            guard let value = columns[column].flatMap({ Value($0) }) else { preconditionFailure("No \(column).") }
            return value
        }
    }
}
