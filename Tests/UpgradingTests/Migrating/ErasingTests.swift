import Foundation
import Generators
import TestSupport
import Testing

// The generator asks the steps of a random registry what they rename.
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
        let copy = scratch.file("copy.molt")
        try FileManager.default.copyItem(at: url, to: copy)
        for (file, isErasing) in [(url, true), (copy, false)] {
            let store = StoreFile(at: file)
            let connection = try store.ready(busyMilliseconds: 1_000)
            // Many systems build SQLite so that it always overwrites.
            try connection.execute("PRAGMA secure_delete = OFF")
            try store.withWriteTransaction(until: nil) {
                try (isErasing ? $0.eraseType("Token") : $0.deleteType("Token")) > 0
            } waiting: {
            }
            #expect(try connection.integer("PRAGMA secure_delete") == 0)
            connection.close()
            store.close()
        }
        #expect(try files() == ["copy.molt"])
    }

    @Test func `Afterwards, deletions overwrite as much as before`() throws {
        let store = StoreFile(at: url)
        let connection = try store.ready(busyMilliseconds: 1_000)
        try connection.execute("PRAGMA secure_delete = FAST")
        try store.withWriteTransaction(until: nil) {
            try $0.eraseType("Token") > 0
        } waiting: {
        }
        #expect(try connection.integer("PRAGMA secure_delete") == 2)
        store.close()
    }

    @Test func `The report names the backup, which keeps the bytes`() throws {
        var configuration = MoltConfiguration()
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

        let plan = try CacheFile(at: url).plan(erasing)
        #expect(plan.needsErasure && plan.needsUpgrade && plan.description.contains("will be erased from the file"))
        #expect(plan.description.hasPrefix("\(url.path): up to date at version 1\n"))
        #expect(String(decoding: try JSONEncoder().encode(plan), as: UTF8.self).contains(#""needsErasure":true"#))
        var configuration = MoltConfiguration()
        configuration.process = .helper()
        try CodableCache(at: url, migrations: erasing, configuration: configuration).close()
        _ = try CacheFile(at: url).dryRunAndWait(erasing)
        try CodableCache(reading: url, migrations: erasing).close()
        #expect(try CacheFile(at: url).plan(erasing).needsErasure)

        let next = try CodableCache(at: url, migrations: erasing)
        defer { next.close() }
        #expect(!next.report.isEmpty && next.report.isUpToDate)
        #expect(try next.report.erasure?.isComplete == true && files() == [])
        #expect(try !CacheFile(at: url).plan(erasing).needsErasure)
    }

    @Test func `While the reader stays, the file is rewritten once, and later only its log is emptied`() throws {
        let reader = try SQLite(url)
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT count(*) FROM molt_record")
        try CodableCache(at: url, migrations: erasing).close()
        let size = StoreFile(at: url).byteCount
        try CodableCache(at: url, migrations: erasing).close()
        #expect(StoreFile(at: url).byteCount == size)
        try reader.run("COMMIT")
        let cache = try CodableCache(at: url, migrations: erasing)
        defer { cache.close() }
        #expect(try cache.report.erasure?.isComplete == true && files() == [])
    }

    @Test func `Too little space for rewriting the file leaves the mark`() throws {
        struct Stop: Error {}
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = { if $0.kind == .erase { throw Stop() } }
        #expect(throws: Stop.self) { try CodableCache(at: url, migrations: erasing, configuration: configuration) }
        var compaction = try FileCompaction(of: url.path)
        compaction.freeSpace = { _ in 1_000 }
        let error = try #require(throws: MoltError.self) { try compaction.erase(until: nil) {} }
        #expect(error.code == .storeFailed && error.problem.contains("only 1000 bytes are free"))
        #expect(MoltError.isOutOfSpace(error))
        #expect(try CacheFile(at: url).plan(erasing).needsErasure)
    }

    @Test func `A type that was deleted before is erased, too, and a store in memory has no file`() throws {
        let plain = Migration(to: 1, "no-tokens", .deleteType("Token"))
        try CodableCache(at: url, migrations: [plain]).close()
        let later: MigrationRegistry = [plain, Migration(to: 2, "erased", .deleteType("Token", erasing: true))]
        let cache = try CodableCache(at: url, migrations: later)
        #expect(try cache.report.erasure?.isComplete == true && files() == [])
        cache.close()
        let again = try CodableCache(at: url, migrations: later)
        #expect(again.report.isEmpty)
        again.close()
        let other = Migration(to: 1, "no-keys", .deleteType("Key"))
        let restored = try CodableCache(at: scratch.file("memory"))
        try set("Token", "{}", "token", in: restored)
        restored.close()
        let memory = StoreFile(inMemoryWith: [])
        try StoreFile(at: scratch.file("memory")).contents().write(to: memory)
        let report = try Migrator([other, Migration(to: 2, "no-tokens", .deleteType("Token", erasing: true))])
            .migrate(memory)
        #expect(report.counts.dropped > 0 && report.erasure == nil)
    }

    /// Migrations of which the second cannot convert some records of type Key, which become Tokens later.
    private static let renaming = [
        Migration(to: 1, "key", .renameType("Token", to: "Key")),
        Migration(
            to: 2,
            "numbers",
            steps: ["Key", "Note"].map { type in
                .transform(type) { record in
                    let text = try record.string(type == "Key" ? "token" : "text")
                    if text.hasSuffix("7") { throw Refusal(value: text) }
                }
                .onFailure(.quarantine(upTo: .unlimited))
            }
        ),
        Migration(to: 3, "token", .renameType("Key", to: "Token")),
        Migration(to: 4, "no-tokens", .deleteType("Token", erasing: true)),
    ]

    @Test(arguments: [[4], [2, 4], [3, 4]])
    func `Records of the type in quarantine are erased, too, and others stay there`(releases: [Int]) throws {
        var dropped = 0
        for release in releases {
            let registry = MigrationRegistry(Array(Self.renaming.prefix(release)))
            let cache = try CodableCache(at: url, migrations: registry)
            defer { cache.close() }
            if release == 4 {
                #expect(try cache.quarantined().map(\.typeName) == Array(repeating: "Note", count: 20))
                #expect(cache.report.erasure?.isComplete == true)
                dropped = cache.report.counts.dropped
            } else {
                #expect(try cache.quarantined().count == 40)
            }
        }
        #expect(dropped == 196)
        #expect(try files() == [])
    }

    @Test(arguments: 0..<TestRun.choose(1, long: 20))
    func `Random upgrades leave no record of the type in quarantine, and take no other away`(block: UInt64) throws {
        var erased = 0
        for seed in block * 20 + 30_000..<block * 20 + 30_020 {
            var upgrade = RandomUpgrade(seed: seed, [.records, .failures])
            let registry = upgrade.registry
            let store = try OldStore(upgrade.records().map(StoredRecord.init))
            // Some fail because a key or a property is taken.
            guard (try? Migrator(registry).migrate(StoreFile(at: store.url))) != nil else { continue }
            func quarantined() throws -> [[String]] {
                guard try StoreFile.quarantine(at: store.url).count > 0 else { return [] }
                return try SQLite(store.url).rows("SELECT id, type FROM molt_quarantine ORDER BY id")
            }
            let before = try quarantined()
            let type = before.isEmpty ? "A" : upgrade.random.pick(before)[1]
            let last = Migration(to: registry.version + 1, "erase", .deleteType(type, erasing: true))
            let (temporary, kept) = try Self.leaveCopies(of: store.url, &upgrade.random)
            var configuration = MoltConfiguration()
            configuration.mismatches = .ignore
            let report = try Migrator(MigrationRegistry(registry.migrations + [last]), configuration: configuration)
                .migrate(StoreFile(at: store.url))
            #expect(report.erasure?.isComplete == true, "\(upgrade)")
            // A copy with the bytes is gone or named.
            #expect(temporary.allSatisfy { !FileManager.default.fileExists(atPath: $0) }, "\(upgrade)")
            #expect(Set(report.erasure?.copies.map(\.url.lastPathComponent) ?? []) == kept, "\(upgrade)")
            let after = try quarantined()
            let steps = registry.migrations.flatMap(\.steps).map(\.work)
            let isRenamed = steps.contains { if case .records(.renameType(type, _)) = $0 { true } else { false } }
            let isNew = steps.contains { if case .records(.renameType(_, type)) = $0 { true } else { false } }
            if !isRenamed { #expect(!after.contains { $0[1] == type }, "\(upgrade)") }
            if !isNew { #expect(before.filter { $0[1] != type } == after.filter { $0[1] != type }, "\(upgrade)") }
            erased += before.count - after.count
        }
        #expect(erased > 0)
    }

    /// Copies a store as killed processes, backups and restores leave it, at random.
    ///
    /// - Returns: The paths of the temporary directories, and the names of the files beside the store.
    private static func leaveCopies(of url: URL, _ random: inout SeededGenerator) throws -> ([String], Set<String>) {
        var (temporary, kept): ([String], Set<String>) = ([], [])
        for prefix in ["dry-run", "import", "export", "salvage", "fixture"] where random.oneIn(4) {
            let directory = CopyDirectory.parent.appending(
                path: "molt-\(prefix)-\(UUID())",
                directoryHint: .isDirectory
            )
            // Other tests remove it as soon as it has its name.
            let unnamed = directory.appendingPathExtension("new")
            try FileManager.default.createDirectory(at: unnamed, withIntermediateDirectories: false)
            try FileManager.default.copyItem(at: url, to: unnamed.appending(path: "copy"))
            try FileManager.default.moveItem(at: unnamed, to: directory)
            temporary.append(directory.path)
        }
        let files = StoreFiles(url.path)
        for kind in BackupName.Kind.allCases where random.oneIn(4) {
            let name = files.unused(kind, version: kind == .damaged ? nil : 0, at: Date()).text
            try FileManager.default.copyItem(at: url, to: url.deletingLastPathComponent().appending(path: name))
            kept.insert(name)
        }
        return (temporary, kept)
    }

    @Test func `What a killed dry run or import has left is erased, and the copy of a running one stays`() throws {
        let running = try CopyDirectory(for: .dryRun)
        let left = ["molt-dry-run-", "molt-import-"].map { prefix in
            CopyDirectory.parent.appending(path: prefix + UUID().uuidString, directoryHint: .isDirectory)
        }
        for directory in left {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            try FileManager.default.copyItem(at: url, to: directory.appending(path: "copy"))
        }
        try CodableCache(at: url, migrations: erasing).close()
        #expect(left.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) })
        #expect(FileManager.default.fileExists(atPath: running.url.path))
    }

    #if CHILD_PROCESSES && os(Linux)
        @Test(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
        func `The report names a temporary copy that cannot be removed`() async {
            await #expect(processExitsWith: .success) { [url = url as URL] in
                let scratch = try ScratchDirectory()
                setenv("TMPDIR", scratch.url.path, 1)
                let left = CopyDirectory.parent.appending(path: "molt-import-\(UUID().uuidString)")
                try #require(left.path.hasPrefix(scratch.url.path))
                let busy = left.appending(path: "busy", directoryHint: .isDirectory)
                try FileManager.default.createDirectory(at: busy, withIntermediateDirectories: true)
                try #require(Mounts.mountVolume(of: 64, on: busy))
                let erasing = Migration(to: 1, "no-tokens", .deleteType("Token", erasing: true))
                let cache = try CodableCache(at: url, migrations: [erasing])
                let erasure = try #require(cache.report.erasure)
                #expect(erasure.reason?.contains("copy at \(left.path) cannot be removed") == true, "\(erasure)")
                cache.close()
                #expect(Mounts.unmount(busy))
            }
        }
    #endif

    @Test func `The report names a backup that cannot be read`() throws {
        let backup = try CacheFile(at: url).backUp()
        try Data(Self.marker.utf8).write(to: backup.url)
        let cache = try CodableCache(at: url, migrations: erasing)
        defer { cache.close() }
        #expect(try cache.report.erasure?.copies.map(\.url.lastPathComponent) == files())
    }
}
