import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `The stores of a directory` {
    private let scratch: ScratchDirectory
    private let migrations: MigrationRegistry = [Migration(to: 1, "m", .renameProperty("Item", "n", to: "m"))]

    init() throws {
        scratch = try ScratchDirectory()
    }

    private struct Item: Codable {
        var n: Int?
        var m: Int?
    }

    /// Writes a store of the first release.
    @discardableResult
    private func write(_ name: String, _ json: String = #"{"n":1}"#, key: String = "k") throws -> URL {
        let url = scratch.file(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let cache = try CodableCache(at: url)
        try cache.set(document: Data(json.utf8), ofType: "Item", writtenAt: 0, forKey: key)
        cache.close()
        return url
    }

    private func upgrade(
        _ migrations: MigrationRegistry? = nil,
        subdirectories: Bool = false,
        atMost limit: Int = 2,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> DirectoryReport {
        try await CacheFile.upgradeAll(
            in: scratch.url,
            migrations: migrations ?? self.migrations,
            subdirectories: subdirectories,
            configuration: .init { $0.timeout = .zero },
            atMost: limit,
            progress: progress
        )
    }

    private func names(_ stores: [DirectoryReport.Store]) -> [String] {
        stores.map { String($0.file.description.dropFirst(scratch.url.path.count).drop { $0 == "/" }) }
    }

    // MARK: Which files count

    @Test func `are known by their first bytes, and nothing else is touched`() async throws {
        try write("a.molt")
        try write("without extension")
        try write(".hidden.molt")
        try write("inner/b.molt")
        try write("inner/deeper/c.molt")
        try write("inner/.hidden/d.molt")
        let open = try CodableCache(at: write("open.molt"))
        try open.set(Item(n: 2), forKey: "in the log")
        try CacheFile(at: scratch.file("a.molt")).backUp()
        try SQLite(scratch.file("foreign.db")).run("CREATE TABLE molt_record (key)")
        for name in ["text.molt", "export.json"] { try Data("SQLite format 3".utf8).write(to: scratch.file(name)) }
        try Data().write(to: scratch.file("empty.molt"))
        try Data().write(to: scratch.file(String(repeating: "l", count: 250)))
        try FileManager.default.createSymbolicLink(
            at: scratch.file("link.molt"),
            withDestinationURL: scratch.file("inner/b.molt")
        )
        try FileManager.default.createSymbolicLink(
            at: scratch.file("linked"),
            withDestinationURL: scratch.file("inner")
        )
        let before = try scratch.names()

        let report = try await upgrade()
        #expect(names(report.stores) == ["a.molt", "open.molt", "without extension"])
        #expect(report.failed.isEmpty && report.upgraded.count == 3)
        MoltError.thrown { try open.value(Item.self, forKey: "k") }?.expect(.storeChanged)
        open.close()
        // The last connection has removed SQLite's own files.
        #expect(try scratch.names() == before.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
        #expect(try CacheFile(at: scratch.file("inner/b.molt")).version() == 0)

        let all = try await upgrade(subdirectories: true)
        #expect(names(all.upgraded) == ["inner/b.molt", "inner/deeper/c.molt"])
        #expect(names(all.upToDate) == ["a.molt", "open.molt", "without extension"])
        #expect("\(all)" == "\(scratch.url.path): 5 stores, 2 upgraded, 3 up to date")
        for name in [".hidden.molt", "inner/.hidden/d.molt"] {
            #expect(try CacheFile(at: scratch.file(name)).version() == 0)
        }
    }

    @Test func `count if their first page is still in the log`() async throws {
        let cache = try CodableCache(at: scratch.file())
        try cache.set(Item(n: 1), forKey: "k")
        let copy = scratch.file("copy.molt")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                at: scratch.file("cache.molt\(suffix)"),
                to: scratch.file("copy.molt\(suffix)")
            )
        }
        cache.close()
        // As a kill before the first checkpoint may leave it.
        try Data().write(to: copy)
        #expect(try await upgrade().stores.count == 2)
    }

    @Test func `can be none, and the directory must be one that can be read`() async throws {
        let shares = Locked<[Double]>([])
        let report = try await upgrade { share in shares.withLock { $0.append(share) } }
        #expect(report.stores.isEmpty && shares.withLock { $0 } == [1])
        #expect("\(report)" == "\(scratch.url.path): 0 stores")
        let file = try write("a.molt")
        for (url, code) in [
            (scratch.file("none"), MoltError.Code.fileMissing), (file, .notAFile),
            (try #require(URL(string: "https://example.com/")), .notAFile),
        ] {
            await #expect(throws: MoltError.self) {
                try await CacheFile.upgradeAll(in: url, migrations: migrations)
            }?.expect(code)
        }
        let twice: MigrationRegistry = [Migration(to: 1, "m"), Migration(to: 2, "m")]
        await #expect(throws: MoltError.self) { try await upgrade(twice) }?.expect(.invalidRegistry)
        #expect(try CacheFile(at: file).version() == 0)
    }

    #if CHILD_PROCESSES
        @Test func `that cannot be read are among the failures`() async throws {
            await #expect(processExitsWith: .success) {
                try exitAsNobody { url in
                    let directory = url.deletingLastPathComponent()
                    let (file, inner) = (directory.appending(path: "a.molt"), directory.appending(path: "inner"))
                    try CodableCache(at: file).close()
                    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
                    for path in [file.path, inner.path] { chmod(path, 0) }
                    let done = DispatchSemaphore(value: 0)
                    let found = Locked<[String]>([])
                    Task.detached {
                        let report = try? await CacheFile.upgradeAll(
                            in: directory,
                            migrations: [Migration(to: 1, "m")],
                            subdirectories: true
                        )
                        found.withLock { $0 = (report?.failed ?? []).map { "\($0.error?.code.description ?? "")" } }
                        done.signal()
                    }
                    done.wait()
                    for path in [file.path, inner.path] { chmod(path, 0o700) }
                    return found.withLock { $0 } == ["noPermission", "noPermission"]
                }
            }
        }
    #endif

    // MARK: Failures

    @Test func `that fail stay as they were, and the others are upgraded`() async throws {
        let strict = MigrationRegistry(
            migrations.migrations + [Migration(to: 2, "strict", .transform("Item") { _ = try $0.int("m") })]
        )
        try write("a.molt")
        let bad = try write("bad.molt", #"{"n":"canary"}"#, key: "canary")
        let busy = try write("busy.molt")
        let newer = try write("newer.molt")
        try CodableCache(at: newer, migrations: [Migration(to: 9, "later")]).close()
        let damaged = try write("damaged.molt")
        try Data(contentsOf: damaged).prefix(2_000).write(to: damaged)
        try write("z.molt")
        let before = try [bad, busy, newer, damaged].map { try Data(contentsOf: $0) }
        let other = try SQLite(busy)
        try other.run("BEGIN IMMEDIATE")

        let report = try await upgrade(strict)
        try other.run("ROLLBACK")
        #expect(names(report.upgraded) == ["a.molt", "z.molt"])
        #expect(names(report.failed) == ["bad.molt", "busy.molt", "damaged.molt", "newer.molt"])
        let codes = report.failed.map { $0.error?.code }
        #expect(codes[0] == .typeMismatch && codes[1] == .busy && codes[3] == .superseded, "\(codes)")
        #expect(try [bad, busy, newer, damaged].map { try Data(contentsOf: $0) } == before)
        let text = "\(report)"
        let lines = "6 stores, 2 upgraded, 4 failed\n  bad.molt: typeMismatch in \"strict\" (version 2)\n"
        #expect(text.contains(lines), "\(text)")
        #expect(!text.contains("canary"))
        // Later, when nothing is in the way.
        #expect(names(try await upgrade(strict).upgraded) == ["busy.molt"])
    }

    @Test func `of which a few are upgraded at a time, and a cancelled call leaves those that have not begun`()
        async throws
    {
        for name in ["a", "b", "c", "d"] { try write("\(name).molt", key: name) }
        let (begun, cancelled) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let waiting: MigrationRegistry = [
            Migration(
                to: 1,
                "wait",
                .transform("Item") { record in
                    guard record.key == "b" else { return }
                    begun.continuation.yield()
                    cancelled.wait()
                }
            )
        ]
        let task = Task { try await upgrade(waiting, atMost: 1) }
        for await _ in begun.stream { break }
        task.cancel()
        cancelled.signal()
        let report = try await task.value
        #expect(names(report.upgraded) == ["a.molt"])
        #expect(report.failed.map { $0.error?.code } == [.cancelled, .cancelled, .cancelled])
        #expect(report.failed.map { $0.error?.outcome } == [.rolledBack, .unchanged, .unchanged])
        for name in ["b", "c", "d"] { #expect(try CacheFile(at: scratch.file("\(name).molt")).version() == 0) }
        cancelled.signal()
        let now = Locked((running: 0, most: 0))
        let counting: MigrationRegistry = [
            Migration(
                to: 1,
                "wait",
                .transform("Item") { _ in
                    now.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1)) }
                    now.withLock { $0.running -= 1 }
                }
            )
        ]
        #expect(names(try await upgrade(counting, atMost: 2).upgraded) == ["b.molt", "c.molt", "d.molt"])
        #expect((1...2).contains(now.withLock { $0.most }))
    }

    // MARK: Dry runs and progress

    @Test func `can be tried without a change, and have one progress`() async throws {
        let urls = try ["a.molt", "b.molt", "c.molt"].map { try write($0) }
        let before = try urls.map { try Data(contentsOf: $0) }
        let shares = Locked<[Double]>([])
        let report = try await CacheFile.dryRunAll(in: scratch.url, migrations: migrations) { share in
            shares.withLock { $0.append(share) }
        }
        #expect("\(report)" == "\(scratch.url.path): 3 stores, 3 would be upgraded")
        #expect(report.isDryRun && report.stores.allSatisfy { $0.report?.counts.changed == 1 })
        #expect(try urls.map { try Data(contentsOf: $0) } == before)
        let seen = shares.withLock { $0 }
        #expect(seen == seen.sorted() && seen.last == 1 && seen.count { $0 == 1 } == 1)
        #expect(try scratch.names() == ["a.molt", "b.molt", "c.molt"])
    }
}
