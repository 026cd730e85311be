import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite("Temporary stores")
struct TemporaryStoreTests {
    private struct Friend: Codable {
        var firstName: String
    }

    private static let records = (0..<100).map { "person-\($0)" }

    private static func adoption(of directory: URL) -> MigrationRegistry {
        [
            .adoptCacheDirectory(
                to: 1,
                directory: CacheDirectory(
                    at: directory,
                    keys: .list(records),
                    type: { $0.hasPrefix("person-") ? "Friend" : .data }
                ),
                removingSource: true
            ),
            Migration(to: 2, "rename", .renameProperty("Friend", "fullName", to: "firstName")),
        ]
    }

    /// Calls a closure with a directory that Cache wrote, and with its files.
    private static func withDirectory(_ body: (URL, DirectoryFixture) async throws -> Void) async throws {
        let scratch = try ScratchDirectory()
        defer { withExtendedLifetime(scratch) {} }
        let directory = scratch.url.appending(path: "Floppy", directoryHint: .isDirectory)
        let files = try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture/Floppy")
        try files.write(to: directory)
        try await body(directory, files)
    }

    // MARK: Directories

    @Test func `A migration adopts a copy of the Cache directory of the app`() async throws {
        try await Self.withDirectory { directory, files in
            let migrations = Self.adoption(of: directory)
            let store = try TemporaryStore(StoreFixture(version: 0))
            let dry = try store.dryRun(migrations)
            let report = try await store.upgrade(through: migrations)
            let adopted = try store.contents()
            #expect(adopted.records.filter { $0.typeName == "Friend" }.map(\.key) == Self.records)
            let text = adopted.record(forKey: "person-7").map { String(decoding: $0.content.bytes, as: UTF8.self) }
            #expect(text?.contains(#""firstName":"First7 Last7""#) == true)
            // The report names the app's directory, as the dry run does.
            let keys = report.entries.flatMap(\.steps).flatMap(\.keys)
            #expect(keys.prefix(100).map(\.key) == Self.records)
            #expect(keys.prefix(100).allSatisfy { $0.store == directory.path && $0.outcome == .adopted })
            #expect(dry.entries.flatMap(\.steps).flatMap(\.keys) == keys)
            #expect(try DirectoryFixture(contentsOf: directory) == files)
        }
    }

    #if CHILD_PROCESSES
        @Test func `The Cache directory of the app survives all entry points, faults and child processes unchanged`()
            async throws
        {
            try await Self.withDirectory { directory, files in
                func expectUnchanged(sourceLocation: SourceLocation = #_sourceLocation) throws {
                    let left = try DirectoryFixture(contentsOf: directory)
                    #expect(left == files, sourceLocation: sourceLocation)
                }
                let migrations = Self.adoption(of: directory)
                let fixture = StoreFixture(version: 0)
                let adopted = try fixture.migrated(through: migrations).fixture.records
                #expect(adopted.filter { $0.typeName == "Friend" }.count == 100)
                try expectUnchanged()

                let report = try await fixture.verifyUpgrades(through: migrations, types: [.type(Friend.self)])
                #expect(report.rows.first?.targets == [1, 2])
                try expectUnchanged()

                let sweep = FaultSweep(of: fixture, through: migrations, limit: 4)
                let swept = try await sweep.run()
                #expect(swept.trials.contains { $0.faultPoint.point?.kind == .beforeApply })
                try expectUnchanged()

                let path = directory.path
                let limit = TestRun.choose(2, long: 4)
                let kills = FaultSweep(of: fixture, through: migrations, limit: limit)
                let killed = try await kills.killing { (kill: KillPoint) in
                    await #expect(processExitsWith: .signal(SIGKILL)) { [kill, path = path as String] in
                        try kill.run(through: Self.adoption(of: URL(filePath: path)))
                    }
                }
                #expect(killed.trials.count == limit)
                try expectUnchanged()
            }
        }
    #endif

    @Test func `A Cache directory may be missing, or contain symbolic links and empty directories`() throws {
        try ScratchDirectory.with { folder in
            let directory = folder.appending(path: "Floppy", directoryHint: .isDirectory)
            let migrations = Self.adoption(of: directory)
            let none = try TemporaryStore(StoreFixture(version: 0))
            let report = try none.dryRun(migrations)
            let keys = report.entries.flatMap(\.steps).flatMap(\.keys)
            #expect(keys.map(\.outcome) == [.absent])
            #expect(keys.map(\.key) == [directory.path])

            try FileManager.default.createDirectory(
                at: directory.appending(path: "empty"),
                withIntermediateDirectories: true
            )
            try FileManager.default.createSymbolicLink(
                at: directory.appending(path: "link"),
                withDestinationURL: folder
            )
            let migrated = try StoreFixture(version: 0).migrated(through: migrations)
            #expect(migrated.fixture.records.isEmpty)
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
            #expect(left == ["empty", "link"])

            // A file in place of the directory is refused, as in the app.
            let file = folder.appending(path: "file")
            try Data("x".utf8).write(to: file)
            let error = try #require(throws: MoltError.self) {
                try StoreFixture(version: 0).migrated(through: Self.adoption(of: file))
            }
            error.expect(.suiteFailed)
        }
    }

    // MARK: The cache

    @Test func `A temporary store that a killed process has left is removed, and one in use is not`() throws {
        let store = try TemporaryStore(StoreFixture(version: 0))
        let parent = FileManager.default.temporaryDirectory
        let leftover = parent.appending(path: "molt-fixture-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: leftover, withIntermediateDirectories: false)
        CopyDirectory.removeLeftovers(of: [.fixture])
        #expect(FileManager.default.fileExists(atPath: store.url.path))
        #expect(!FileManager.default.fileExists(atPath: leftover.path))
    }

    #if CHILD_PROCESSES
        @Test func `The first temporary store of a process removes what killed processes have left`() async {
            await #expect(processExitsWith: .success) {
                let scratch = try ScratchDirectory()
                // No other test sees the directory.
                setenv("TMPDIR", scratch.url.path, 1)
                let parent = FileManager.default.temporaryDirectory
                let leftover = parent.appending(path: "molt-fixture-\(UUID().uuidString)")
                try #require(leftover.path.hasPrefix(scratch.url.path))
                try FileManager.default.createDirectory(at: leftover, withIntermediateDirectories: false)
                _ = try TemporaryStore(StoreFixture(version: 0))
                #expect(!FileManager.default.fileExists(atPath: leftover.path))
            }
        }
    #endif

    @Test func `A temporary store exists for as long as a cache that it has opened`() throws {
        var cache: CodableCache? = try TemporaryStore(StoreFixture(version: 0)).open(migrations: [])
        let path = try #require(cache?.path)
        #expect(FileManager.default.fileExists(atPath: path))
        cache = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: Suites

    @Test func `A suite with records is refused`() throws {
        let fixture = StoreFixture(
            primary: .suite(Molt.Suite("app.records")),
            version: 0,
            records: [.init("john", "Person", .json("{}"))]
        )
        try TestingError.expect(.unsuitable, says: "\"john\"") { try TemporaryStore(fixture) }
    }

    @Test func `A suite that was never upgraded has no ledger`() throws {
        let suite = Molt.Suite("app.never")
        let values: [String: PropertyListValue] = ["theme": "dark"]
        let new = try TemporaryStore(
            StoreFixture(primary: .suite(suite), version: 0, suites: [suite: values])
        )
        #expect(try new.temporarySuite(for: suite).values() == values)
        #expect(try new.temporarySuite(for: suite).state() == nil)
        #expect(try new.contents().version == 0)
        let old = try TemporaryStore(
            StoreFixture(primary: .suite(suite), version: 1, suites: [suite: values])
        )
        #expect(try old.temporarySuite(for: suite).state()?.version == 1)
    }
}
