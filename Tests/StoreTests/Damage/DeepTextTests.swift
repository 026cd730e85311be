import Foundation
import Molt
import TestSupport
import Testing

/// Foundation's decoder ends the process for some texts that are nested deeper than 512.
@Suite("Text that is nested too deeply") struct DeepTextTests {
    private static let deep = String(repeating: "[", count: 513)

    private let scratch: ScratchDirectory
    private var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try open()
        try cache.set(["a"], forKey: "tags")
        cache.close()
    }

    private func open(_ later: Migration...) throws -> CodableCache {
        try CodableCache(at: url, migrations: MigrationRegistry([Migration(to: 1, "first")] + later))
    }

    private func write(_ sql: String) throws {
        try SQLite(url).run(sql.replacing("DEEP", with: Self.deep))
    }

    @Test func `in a record is an error`() throws {
        try write("UPDATE molt_record SET content = 'DEEP'")
        let cache = try open()
        MoltError.thrown { try cache.value([String].self, forKey: "tags") }?.expect(.unreadableContent)
        cache.close()
        let convert = MigrationStep.convert("Array<String>", from: [String].self, to: [String].self) { $0 }
        MoltError.thrown { try open(Migration(to: 2, "next", convert)) }
    }

    @Test func `in a column of the ledger counts as no value`() throws {
        try write("UPDATE molt_ledger SET attached_counts = 'DEEP', corrections = 'DEEP'")
        #expect(try CacheFile(at: url).history().map(\.name) == ["first"])
        // What a migration replaces decides what runs.
        try write("UPDATE molt_ledger SET replaces = 'DEEP'")
        #expect(throws: MoltError.self) { try CacheFile(at: url).history() }
    }

    @Test func `in the file of attempts and in shapes counts as nothing`() throws {
        try Data(Self.deep.utf8).write(to: URL(fileURLWithPath: url.path + "-attempt"))
        #expect(CacheFile(at: url).attempts().isEmpty)
        try write(
            """
            CREATE TABLE IF NOT EXISTS molt_shape(type TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, \
            shape TEXT NOT NULL) STRICT, WITHOUT ROWID;
            INSERT INTO molt_shape VALUES('Array<String>', 1, 'DEEP')
            ON CONFLICT(type) DO UPDATE SET shape = excluded.shape
            """
        )
        try open().set(["b"], forKey: "tags")
    }

    @Test func `in text that is not deep, but has many brackets, is no obstacle`() throws {
        let texts = (0..<600).map { [#"[{\"["#, String($0)] }
        try open().set(texts, forKey: "texts")
        let found = try open().value([[String]].self, forKey: "texts")
        #expect(found == texts)
    }
}
