import Foundation
import Molt
import Testing

/// Files that cannot be adopted, and directories with faults.
@Suite struct `A Cache directory with faults` {
    let old: OldDirectory

    init() throws {
        old = try OldDirectory("Floppy")
    }

    @Test func `A file that cannot be read is reported and left, and the others are adopted`() throws {
        for key in ["person-0", "person-1"] { try FileManager.default.removeItem(at: old.file(key)) }
        try FileManager.default.createDirectory(at: old.file("person-0"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: old.file("person-1"), withDestinationURL: old.file("nothing"))
        #expect(mkfifo(old.file("pipe").path, 0o600) == 0)
        let before = try old.contents()
        let cache = try old.open(old.adoption(.list(FloppyKeys.people + ["pipe"])))
        try cache.expectCount(110)
        let unreadable = cache.report.keys.filter { $0.outcome == .unreadable }
        #expect(unreadable.map(\.key) == ["person-0", "person-1", "pipe"])
        #expect(unreadable.allSatisfy { $0.reason?.contains("is not a file") == true })
        #expect(cache.report.description.contains("unreadable: \"person-0\""))
        #expect(try old.contents() == before)
    }

    #if CHILD_PROCESSES
        @Test func `An unreadable file is reported and left, and so are all in a directory that cannot be changed`()
            async
        {
            await #expect(processExitsWith: .success) {
                try exitAsNobody { _ in
                    let old = try OldDirectory()
                    for key in ["secret", "open"] { try old.write(#"{"object":1}"#, for: key) }
                    chmod(old.file("secret").path, 0)
                    let adoption = old.adoption(.list(["secret", "open"]), removingSource: true)
                    var cache = try old.open(adoption)
                    guard try cache.keys() == ["open"], cache.report.keys.map(\.outcome) == [.unreadable, .adopted],
                        try old.names == [old.file("secret").lastPathComponent]
                    else { return false }

                    cache.close()
                    try FileManager.default.removeItem(at: old.store)
                    try old.write(#"{"object":1}"#, for: "open")
                    chmod(old.url.path, 0o500)
                    defer { chmod(old.url.path, 0o700) }
                    cache = try old.open(adoption)
                    return try cache.value(Int.self, forKey: "open") == 1
                        && FileManager.default.fileExists(atPath: old.file("open").path)
                        && StoreFile.state(at: old.store).journal == []
                }
            }
        }
    #endif

    @Test func `In strict mode, one file that cannot be adopted fails the upgrade without any change`() throws {
        try old.write("no value", for: "person-3")
        let before = try old.contents()
        let adoption = old.adoption(.list(FloppyKeys.all), FloppyKeys.type, removingSource: true, strict: true)
        let error = MoltError.thrown { try old.open(adoption) }
        error?.expect(.notConvertible, key: "person-3", migration: "adopt-cache-directory")
        #expect(error.map { "\($0)" }?.contains("no value") == false)
        #expect(try old.contents() == before)
        #expect(try StoreFile.state(at: old.store).isFresh)
    }

    @Test func `A later migration that fails leaves the directory unchanged, even if it was to be removed`() throws {
        let before = try old.contents()
        let failing = Migration(to: 2, "failing", .run { _ in throw TestFailure.expected })
        MoltError.thrown {
            try old.open(old.adoption(.list(FloppyKeys.all), removingSource: true), failing)
        }
        #expect(try old.contents() == before)
        #expect(try StoreFile.state(at: old.store).isFresh)
    }

    @Test func `Adoption can be cancelled between two files`() throws {
        let asked = Locked(0)
        var configuration = MoltConfiguration()
        configuration.isCancelled = {
            asked.withLock { count in
                count += 1
                return count > 50
            }
        }
        let migrator = Migrator([old.adoption(.list(FloppyKeys.people))], configuration: configuration)
        MoltError.thrown { try migrator.migrate(StoreFile(at: old.store)) }?.expect(.cancelled)
        #expect(try StoreFile.state(at: old.store).isFresh)
    }

    @Test func `A dry run reads the directory and removes nothing`() throws {
        let before = try old.contents()
        let adoption = old.adoption(.list(FloppyKeys.people), removingSource: true)
        var configuration = MoltConfiguration()
        configuration.now = { Date(timeIntervalSince1970: OldDirectory.time) }
        let report = try CacheFile(at: old.store).dryRunAndWait([adoption], configuration: configuration)
        #expect(report.counts.created == 112)
        #expect(try old.contents() == before)
    }

    @Test func `A missing directory contributes no records, and defers the migration in an app extension`() throws {
        try FileManager.default.removeItem(at: old.url)
        let adoption = old.adoption(.list(FloppyKeys.people), removingSource: true)
        MoltError.thrown { try old.open(adoption) { $0.process = .tool } }?.expect(.deferred)
        let cache = try old.open(adoption) { $0.process = .app }
        try cache.expectCount(0)
        let absent = MigrationReport.KeyOutcome(
            store: old.url.path,
            key: old.url.path,
            outcome: .absent,
            reason: "there is no such directory"
        )
        #expect(cache.report.keys == [absent])
        cache.close()
        let later = try old.open(adoption) { $0.process = .tool }
        #expect(later.report.isEmpty && later.version == 1)
    }

    @Test func `A file in place of the directory, or a URL that is no file URL, is an error`() throws {
        try FileManager.default.removeItem(at: old.url)
        try Data("x".utf8).write(to: old.url)
        for url in [old.url, try #require(URL(string: "https://example.com/Floppy"))] {
            let migration = Migration.adoptCacheDirectory(
                to: 1,
                directory: CacheDirectory(at: url, keys: .fileNames, type: "Person")
            )
            let error = MoltError.thrown { try old.open(migration) }
            error?.expect(.suiteFailed)
            #expect(error?.suite?.contains("adopt-cache-directory") == true)
        }
        #expect(try Data(contentsOf: old.url) == Data("x".utf8))
    }
}
