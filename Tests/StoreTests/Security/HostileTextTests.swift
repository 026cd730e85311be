import Foundation
import Molt
import MoltSalvage
import Testing

private struct Value: Codable, Equatable, Sendable {
    var text: String
}

/// Keys and names that would be SQL if they were ever inserted into a statement.
@Suite struct `Keys and names that contain SQL` {
    private static let texts = [
        "'; DROP TABLE molt_record; --", "\"; DELETE FROM molt_record; --", "' OR '1'='1", "\\'; --", "`x`", "[x]",
        "?1", ":name", "%_", "x' UNION SELECT sql FROM sqlite_schema --", "a\0b", "a\0c", "\0", "", " ", "\n\r\t",
        "../../etc/passwd",
        "é", "e\u{301}", "😀", "👩‍👩‍👧‍👦", "日本語", "\u{FEFF}", "\u{202E}", String(repeating: "'", count: 1_000), "NULL", "1e999",
        "molt_record",
    ]

    @Test func `A value under a hostile key is returned, and no other value changes`() throws {
        let scratch = try ScratchDirectory()
        let cache = try CodableCache(at: scratch.file())
        for text in Self.texts { try cache.set(Value(text: text), forKey: text) }
        // Compared by bytes: Swift considers two spellings of a letter equal.
        func keys() throws -> [[UInt8]] { try cache.keys().map { Array($0.utf8) } }
        var expected = Self.texts.map { Array($0.utf8) }
        #expect(try keys() == expected)
        for text in Self.texts {
            try cache.expect(Value(text: text), forKey: text)
            try cache.batch { batch in
                batch.remove(forKey: text)
                try batch.set(Value(text: "again"), forKey: text)
            }
            try cache.expect(Value(text: "again"), forKey: text)
            #expect(try cache.remove(forKey: text))
            try cache.expect(nil as Value?, forKey: text)
            expected.removeFirst()
            #expect(try keys() == expected)
        }
        #expect(try SQLite(scratch.file()).text("SELECT count(*) FROM sqlite_schema WHERE name = 'molt_record'") == "1")
    }

    @Test(arguments: texts.filter { !$0.isEmpty })
    func `Types, keys and migrations with hostile names are migrated and salvaged`(text: String) throws {
        let scratch = try ScratchDirectory()
        let url = scratch.file()
        try CodableCache(at: url).set(Value(text: "x"), forKey: "key")
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                text,
                .renameType("Value", to: text),
                .transform(text) { record in
                    record[PropertyPath(text)] = .string(text)
                    record.key = text
                },
                .run("block") { migration in
                    try migration.create(text, forKey: text + "2", Value(text: text))
                    try migration.enumerate(text) { _, new in new["seen"] = .bool(true) }
                }
            )
        ]
        // The registry refuses a name that no ledger could print.
        guard (try? CacheFile(at: url).plan(migrations)) != nil else { return }
        let cache = try CodableCache(at: url, migrations: migrations)
        #expect(try cache.keys() == [text, text + "2"])
        cache.close()
        let saved = scratch.file("saved.molt")
        #expect(try CacheFile(at: url).salvage(to: saved).isWhole)
        #expect(try StoreFile.contents(at: saved) == StoreFile.contents(at: url))
    }

    @Test func `A key and a type name may have a megabyte each`() throws {
        let scratch = try ScratchDirectory()
        let long = String(repeating: "k'\"", count: 350_000)
        let cache = try CodableCache(at: scratch.file())
        try cache.set(1, forKey: long)
        try cache.expect(1, forKey: long)
        cache.close()
        let migrations: MigrationRegistry = [Migration(to: 1, "long", .renameType("Int", to: long))]
        let upgraded = try CodableCache(at: scratch.file(), migrations: migrations)
        try upgraded.expect(1, forKey: long)
        upgraded.close()
        #expect(try CacheFile(at: scratch.file()).salvage(to: scratch.file("saved.molt")).isWhole)
    }
}
