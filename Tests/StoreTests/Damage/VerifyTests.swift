import Foundation
import Molt
import Testing

private struct SoundNote: Codable, Equatable, Sendable {
    var number: Int
    var text: String
}

/// The check of a whole file that an app can request.
@Suite struct `Verifying a cache file` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }
    static let migrations: MigrationRegistry = [Migration(to: 1, "first")]

    init() throws {
        scratch = try ScratchDirectory()
        let cache = try CodableCache(at: url, migrations: Self.migrations)
        try cache.setAll((0..<200).map { (key: "key \($0)", value: SoundNote(number: $0, text: "secret text")) })
        try cache.setAll((0..<20).map { (key: "text \($0)", value: "text") }, expiry: .after(seconds: 1e6))
        try cache.set(Data([0, 255]), forKey: "data")
        cache.close()
    }

    private func verified() throws -> [CacheFile.Finding] { try CacheFile(at: url).verifyAndWait() }

    /// All files in the directory, with their bytes.
    private func files() throws -> [String: Data] {
        try Dictionary(uniqueKeysWithValues: scratch.names().map { ($0, try Data(contentsOf: scratch.file($0))) })
    }

    @Test func `finds nothing in an intact file, and writes nothing`() throws {
        let before = try files()
        let findings = try verified()
        let after = try files()
        #expect(findings.isEmpty)
        #expect(after == before)
    }

    @Test func `checks an open file including its log, and does not wait for a writer`() throws {
        let cache = try CodableCache(at: url, migrations: Self.migrations)
        try cache.set(1, forKey: "new")
        let other = try SQLite(url)
        try other.run("BEGIN IMMEDIATE")
        #expect(try verified().isEmpty)
        try other.run("UPDATE molt_record SET content = 'not JSON' WHERE key = 'new'; COMMIT")
        #expect(try verified().map(\.key) == ["new"])
    }

    @Test func `throws an error where there is no cache`() throws {
        MoltError.thrown { try CacheFile(at: scratch.file("nothing")).verifyAndWait() }?.expect(.fileMissing)
        try Data("no database, but long enough to look like one".utf8).write(to: scratch.file("text"))
        MoltError.thrown { try CacheFile(at: scratch.file("text")).verifyAndWait() }
    }

    /// Each with the beginning of the finding's description: its kind, its place and the message.
    static let faults: [(sql: String, text: String)] = [
        (
            "UPDATE molt_record SET content = '{\"number\":' WHERE key = 'key 7'",
            "content \"key 7\" of type SoundNote: The content is not JSON text: "
        ),
        (
            "UPDATE molt_record SET content = CAST(x'FF' AS TEXT) WHERE key = 'key 7'",
            "content \"key 7\" of type SoundNote: The content is not UTF-8."
        ),
        (
            "UPDATE molt_record SET content = 5 WHERE key = 'key 7'",
            "content \"key 7\" of type SoundNote: The content is neither text nor data."
        ),
        (
            "DELETE FROM molt_type WHERE name = 'String'",
            "record \"text 0\": The name of the type of the record with the id 201 is lost."
        ),
        (
            "UPDATE molt_record SET key = CAST(x'FF' AS TEXT) WHERE key = 'key 7'",
            "record: The key of the record with the id 8 is not text."
        ),
        (
            "UPDATE molt_record SET id = -4 WHERE key = 'key 7'",
            "record \"key 7\" of type SoundNote: The record has the id -4; ids begin with 1."
        ),
        (
            "UPDATE molt_record SET version = 9 WHERE key = 'key 7'",
            "record \"key 7\" of type SoundNote: The record was written at version 9, and the store has version 1."
        ),
        (
            "UPDATE molt_ledger SET version = 7",
            "bookkeeping: The ledger has a migration to version 7, and the store has version 1."
        ),
        (
            "INSERT INTO molt_journal(store, changes) VALUES('', x'00')",
            "bookkeeping: Molt's own tables cannot be read. a row of the journal does not name its suite"
        ),
        ("DROP TABLE molt_ledger", "bookkeeping: "),
    ]

    @Test(arguments: faults)
    func `names the fault, and shows no value`(sql: String, text: String) throws {
        try SQLite(url).run(sql)
        let findings = try verified().map(\.description).joined(separator: "\n")
        #expect(findings.hasPrefix(text) && !findings.contains("secret"), "\(findings)")
    }

    @Test func `names the indexes that do not agree with the records`() throws {
        let indexes = ["sqlite_autoindex_molt_record_1", "molt_record_type", "molt_record_expiry"]
        let whole = try Data(contentsOf: url)
        for name in indexes {
            let file = try SQLite(url)
            let root = try #require(Int(file.text("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'") ?? ""))
            let size = try #require(Int(file.text("PRAGMA page_size") ?? ""))
            var bytes = whole
            // One cell less in the page's header.
            bytes[(root - 1) * size + 4] -= 1
            try bytes.write(to: url)
            let findings = try verified()
            let found = findings.filter { $0.kind == .index }
            let rows = found.filter { $0.description.hasPrefix("index: row ") && $0.message.hasSuffix(" \(name)") }
            let others = found.filter { !$0.message.contains(name) }
            #expect(!rows.isEmpty && others.isEmpty, "\(found)")
            try whole.write(to: url)
        }
    }

    @Test func `reports its progress`() async throws {
        let parts = Locked<[Double]>([])
        let findings = try await CacheFile(at: url).verify { part in parts.withLock { $0.append(part) } }
        let seen = parts.withLock { $0 }
        #expect(findings.isEmpty)
        #expect(seen == seen.sorted())
        #expect(seen.first == 0 && seen.last == 1)
    }

    @Test func `ends when its task is cancelled`() async throws {
        let cache = try CodableCache(at: url, migrations: Self.migrations)
        try cache.setAll((0..<5_000).map { (key: "more \($0)", value: $0) })
        cache.close()
        let task = Locked<Task<Void, any Error>?>(nil)
        let begin = DispatchSemaphore(value: 0)
        let checking = Task.detached { [url] in
            begin.wait()
            // Cancelled at the first report of progress.
            _ = try await CacheFile(at: url).verify { _ in task.withLock { $0 }?.cancel() }
        }
        task.withLock { $0 = checking }
        begin.signal()
        await #expect(throws: CancellationError.self) { try await checking.value }
    }
}
