import Foundation
import TestSupport
import Testing

@testable import Molt

/// Foundation's decoder ends the process for some texts that are nested deeper than 512.
@Suite("Text that is nested too deeply") struct DeepTextTests {
    private static let deep = String(repeating: "[", count: 513)

    private let scratch: ScratchDirectory
    private var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: url, migrations: [Migration(to: 1, "first")])
        try cache.set(["a"], forKey: "tags")
        cache.close()
    }

    private func write(_ sql: String) throws {
        try SQLite(url).run(sql.replacing("DEEP", with: Self.deep))
    }

    @Test func `in a record is an error`() throws {
        try write("UPDATE molt_record SET content = 'DEEP'")
        let cache = try CodableCache(at: url, migrations: [Migration(to: 1, "first")])
        let error = #expect(throws: MoltError.self) { try cache.value([String].self, forKey: "tags") }
        #expect(error?.code == .unreadableContent)
        cache.close()
        #expect(throws: MoltError.self) {
            try CodableCache(
                at: url,
                migrations: [
                    Migration(to: 1, "first"),
                    Migration(to: 2, "next", .convert("Array<String>", from: [String].self, to: [String].self) { $0 }),
                ]
            )
        }
    }

    @Test func `in a column of the ledger counts as no value`() throws {
        try write("UPDATE molt_ledger SET attached_counts = 'DEEP', replaces = 'DEEP'")
        #expect(try CodableCache.history(at: url).map(\.name) == ["first"])
    }

    @Test func `in the file of attempts and in shapes counts as nothing`() throws {
        try Data(Self.deep.utf8).write(to: URL(fileURLWithPath: url.path + "-attempt"))
        #expect(CodableCache.attempts(at: url).isEmpty)
        try write(
            """
            CREATE TABLE IF NOT EXISTS molt_shape(type TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, \
            shape TEXT NOT NULL) STRICT, WITHOUT ROWID;
            INSERT INTO molt_shape VALUES('Array<String>', 1, 'DEEP')
            ON CONFLICT(type) DO UPDATE SET shape = excluded.shape
            """
        )
        let cache = try CodableCache(at: url, migrations: [Migration(to: 1, "first")])
        try cache.set(["b"], forKey: "tags")
    }

    @Test func `in text that is not deep, but has many brackets, is no obstacle`() throws {
        let cache = try CodableCache(at: url, migrations: [Migration(to: 1, "first")])
        let texts = (0..<600).map { [#"[{\"["#, String($0)] }
        try cache.set(texts, forKey: "texts")
        #expect(try CodableCache(at: url, migrations: [Migration(to: 1, "first")]).value(forKey: "texts") == texts)
    }
}
