import Foundation
import Molt
import TestSupport
import Testing

/// The guide "Upgrading documents in your own database", where the documents are JSON of other libraries and files.
@Suite("JSON that the app has elsewhere")
struct ForeignJSONTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "mail", .renameProperty("Person", "mail", to: "email")),
        Migration(
            to: 4,
            "four",
            .removeProperty("Person", "format"),
            .transform("Settings") { if $0["isOld"] != nil { $0.drop() } },
            .addProperty("Settings", "size", default: 1)
        ),
        Migration(to: 5, "color", .renameProperty("Settings", "color", to: "tint")),
    ]

    // MARK: Files

    @Test func `is imported from files that say how old they are`() throws {
        let cache = try CodableCache(at: scratch.file(), migrations: Self.migrations)
        let files = [
            "a": #"{"mail":"a"}"#, "b": #"{"email":"b","format":2}"#, "c": #"{"email":"c","format":3}"#,
            "d": #"{"format":4}"#,
        ]
        for (key, json) in files { try Data(json.utf8).write(to: scratch.file("\(key).json")) }
        for key in ["a", "b", "c"] { try importFile(scratch.file("\(key).json"), into: cache) }
        let error = #expect(throws: Unsuitable.self) { try importFile(scratch.file("d.json"), into: cache) }
        #expect(error?.description == "d.json has the format 4.")
        cache.close()
        #expect(
            try Snapshot(of: scratch.file()).texts == [
                "a": #"{"email":"a"}"#, "b": #"{"email":"b"}"#, "c": #"{"email":"c","format":3}"#,
            ]
        )
    }

    /// What each file says of itself; the first ones say nothing.
    struct Header: Decodable { var format: Int? }

    func importFile(_ file: URL, into cache: CodableCache) throws {
        let json = try Data(contentsOf: file)
        let format = try JSONDecoder().decode(Header.self, from: json).format ?? 1
        guard let version = [1: 0, 2: 1, 3: 4][format] else {
            throw Unsuitable(description: "\(file.lastPathComponent) has the format \(format).")
        }
        let key = file.deletingPathExtension().lastPathComponent
        _ = try cache.set(document: json, ofType: "Person", writtenAt: version, forKey: key)
    }

    struct Unsuitable: Error {
        let description: String
    }

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

    // MARK: SwiftData

    // The stand-ins have the names of the framework.
    #if os(Linux)
        @Test func `is upgraded in an attribute of a model, which holds data`() throws {
            let context = ModelContext([Player(#"{"color":"red"}"#, 0), Player(nil, 0), Player(#"{"size":2}"#, 5)])
            try upgradeSettings(context, DocumentUpgrade(Self.migrations, types: ["Settings"]))
            let texts = context.players.map { $0.settings.map { String(decoding: $0, as: UTF8.self) } }
            #expect(texts == [#"{"tint":"red","size":1}"#, nil, #"{"size":2}"#])
            #expect(context.players.map(\.settingsVersion) == [5, 0, 5])
            #expect(context.saveCount == 1)
        }

        func upgradeSettings(_ context: ModelContext, _ documents: DocumentUpgrade) throws {
            let players = try context.fetch(FetchDescriptor<Player>())
            for player in players where player.settingsVersion < documents.version {
                guard let json = player.settings else { continue }
                let new = try documents.upgrade(json, ofType: "Settings", writtenAt: player.settingsVersion)
                player.settings = new.isDropped ? nil : new.content
                player.settingsVersion = documents.version
            }
            try context.save()
        }

        /// As much of the interface of a model context as the guide's code uses.
        final class ModelContext {
            fileprivate let players: [Player]
            fileprivate var saveCount = 0

            fileprivate init(_ players: [Player]) {
                self.players = players
            }

            func fetch(_ descriptor: FetchDescriptor<Player>) throws -> [Player] { players }

            func save() throws { saveCount += 1 }
        }

        struct FetchDescriptor<Model> {}

        final class Player {
            var settings: Data?
            var settingsVersion: Int

            fileprivate init(_ json: String?, _ version: Int) {
                settings = json.map { Data($0.utf8) }
                settingsVersion = version
            }
        }
    #endif
}
