import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite struct `Erasing a deleted type` {
    private static let marker = "t0k3n"
    private let scratch: ScratchDirectory
    private let url: URL
    private let erasing: MigrationRegistry = [Migration(to: 1, "no-tokens", .deleteType("Token", erasing: true))]

    /// A store with tokens that are current, replaced, removed and expired, in small and in large records.
    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        let cache = try CodableCache(at: url)
        defer { cache.close() }
        let large = String(repeating: "\(Self.marker) ", count: 4_000)
        for number in 0..<200 {
            let key = "\(Self.marker) \(number)"
            try set("Token", #"{"token":"\#(Self.marker) \#(number)"}"#, key, in: cache)
            try set("Note", #"{"text":"note \#(number)"}"#, "note \(number)", in: cache)
            if number % 20 == 0 { try set("Token", #"{"token":"\#(large)"}"#, key, in: cache) }
            if number % 50 == 0 { try cache.remove(forKey: key) }
        }
        try set("Token", #"{"token":"\#(large)"}"#, "expired", .at(Date(timeIntervalSinceNow: -1)), in: cache)
    }

    private func set(
        _ type: String,
        _ json: String,
        _ key: String,
        _ expiry: CodableCache.Expiry = .never,
        in cache: CodableCache
    ) throws {
        try cache.set(document: Data(json.utf8), ofType: type, writtenAt: 0, forKey: key, expiry: expiry)
    }

    /// The files in the store's directory that have the marker.
    private func files() throws -> [String] {
        try scratch.names().filter { name in
            try Data(contentsOf: scratch.file(name)).range(of: Data(Self.marker.utf8)) != nil
        }
    }

    @Test func `No file has the bytes afterwards, not even of values that were removed earlier`() throws {
        let kept = try Snapshot(of: url).records.filter { $0.type == "Note" }
        let cache = try CodableCache(at: url, migrations: erasing)
        #expect(try files() == [])
        #expect(cache.report.counts.dropped == 196)
        let erasure = try #require(cache.report.erasure)
        #expect(erasure.isComplete && erasure.copies.isEmpty)
        #expect("\(cache.report)".contains("\ndeleted records were erased"))
        try cache.set("new", forKey: "new")
        try cache.remove(forKey: "new")
        cache.close()
        #expect(try files() == [])
        #expect(try Snapshot(of: url).records == kept)
        #expect(try StoreFile.damage(at: url).isEmpty)
        // Once is enough.
        let again = try CodableCache(at: url, migrations: erasing)
        defer { again.close() }
        #expect(again.report.erasure == nil)
    }

    @Test func `Without erasing, the bytes stay`() throws {
        let cache = try CodableCache(at: url, migrations: registry(.deleteType("Token")))
        defer { cache.close() }
        #expect(try files() != [])
        #expect(cache.report.erasure == nil)
    }

    @Test func `Before the file is rewritten, the bytes of the records are overwritten`() throws {
        struct Stop: Error {}
        let cache = try CodableCache(at: url)
        try set("Token", #"{"token":"written-once"}"#, "last", in: cache)
        cache.close()
        let hasBytes = { try Data(contentsOf: url).range(of: Data("written-once".utf8)) != nil }
        #expect(try hasBytes())
        var configuration = CodableCache.Configuration()
        configuration.hooks.atPoint = { if $0.kind == .erase { throw Stop() } }
        #expect(throws: Stop.self) { try CodableCache(at: url, migrations: erasing, configuration: configuration) }
        #expect(try !hasBytes() && StoreFile.state(at: url).version == 1)
    }

    @Test func `The report names the backup, which keeps the bytes`() throws {
        var configuration = CodableCache.Configuration()
        configuration.backup = BackupPolicy()
        let cache = try CodableCache(at: url, migrations: erasing, configuration: configuration)
        defer { cache.close() }
        let copies = try #require(cache.report.erasure?.copies.map(\.url.lastPathComponent))
        #expect(try copies.count == 1 && files() == copies)
        #expect("\(cache.report)".contains("copies may still have them: \(copies[0])"))
    }

    @Test func `While another connection reads, erasing waits for an opening that may upgrade`() throws {
        let reader = try SQLite(url)
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT count(*) FROM molt_record")
        let cache = try CodableCache(at: url, migrations: erasing)
        let erasure = try #require(cache.report.erasure)
        #expect(!erasure.isComplete && erasure.reason?.contains("still reading") == true)
        #expect(try cache.report.to == 1 && files() != [])
        cache.close()
        try reader.run("COMMIT")

        let plan = try MigrationPlan(forFileAt: url, migrations: erasing)
        #expect(!plan.needsUpgrade && plan.description.contains("will be erased from the file"))
        var configuration = CodableCache.Configuration()
        configuration.owner = .anotherProcess()
        try CodableCache(at: url, migrations: erasing, configuration: configuration).close()
        _ = try CodableCache.dryRun(at: url, migrations: erasing)
        try CodableCache(reading: url, migrations: erasing).close()
        #expect(try MigrationPlan(forFileAt: url, migrations: erasing).needsErasure)

        let next = try CodableCache(at: url, migrations: erasing)
        defer { next.close() }
        #expect(try next.report.erasure?.isComplete == true && files() == [])
        #expect(try !MigrationPlan(forFileAt: url, migrations: erasing).needsErasure)
    }

    @Test func `A store that never had the type is not rewritten, and one in memory has no file`() throws {
        let other = Migration(to: 1, "no-keys", .deleteType("Key", erasing: true))
        let cache = try CodableCache(at: url, migrations: [other])
        defer { cache.close() }
        #expect(cache.report.erasure == nil)
        let memory = StoreFile(inMemoryWith: [])
        try StoreFile(at: url).contents().write(to: memory)
        let report = try Migrator([other, Migration(to: 2, "no-tokens", .deleteType("Token", erasing: true))])
            .migrate(memory)
        #expect(report.counts.dropped > 0 && report.erasure == nil)
    }
}
