import Foundation
import Testing

@testable import Molt

@Suite struct `A file that is not a readable cache` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Opens the file and reads its state; both must be refused with the code, and leave everything unchanged.
    private func expectRefusal(_ code: MoltError.Code, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let names = try scratch.names()
        let bytes = try? Data(contentsOf: url)
        let opening = #expect(throws: MoltError.self, sourceLocation: sourceLocation) {
            _ = try CodableCache(at: url)
        }
        let probing = #expect(throws: MoltError.self, sourceLocation: sourceLocation) {
            _ = try StoreFile.state(at: url)
        }
        opening?.expect(code, store: url.path, sourceLocation: sourceLocation)
        probing?.expect(code, sourceLocation: sourceLocation)
        #expect(try scratch.names() == names, sourceLocation: sourceLocation)
        #expect((try? Data(contentsOf: url)) == bytes, sourceLocation: sourceLocation)
    }

    @Test(arguments: [1, 50, 99, 100, 5_000])
    func `A file that is not an SQLite database is refused`(size: Int) throws {
        try Data(repeating: 0x41, count: size).write(to: url)
        try expectRefusal(.notADatabase)
    }

    @Test(arguments: [
        "PRAGMA application_id = 42; CREATE TABLE theirs(x)", "CREATE TABLE theirs(x)",
        "PRAGMA application_id = 42; VACUUM",
    ])
    func `A database of another app is refused, even without its identifier or without a table`(sql: String) throws {
        try SQLite(url).run(sql)
        try expectRefusal(.foreignFile)
    }

    @Test func `Another app's open database, with pages in the log, is refused`() throws {
        let theirs = try SQLite(url)
        try theirs.run("PRAGMA journal_mode = WAL; CREATE TABLE theirs(x)")
        let log = URL(fileURLWithPath: url.path + "-wal")
        let bytes = try Data(contentsOf: log)
        try expectRefusal(.foreignFile)
        #expect(try Data(contentsOf: log) == bytes)
    }

    @Test func `A log without its index beside another app's database is refused`() throws {
        let theirs = try SQLite(scratch.file("theirs"))
        try theirs.run("PRAGMA journal_mode = WAL; CREATE TABLE theirs(x)")
        try FileManager.default.copyItem(at: scratch.file("theirs"), to: url)
        try FileManager.default.copyItem(atPath: scratch.file("theirs").path + "-wal", toPath: url.path + "-wal")
        try expectRefusal(.foreignFile)
    }

    @Test func `A newer file format is refused`() throws {
        _ = try CodableCache(at: url)
        try SQLite(url).run("UPDATE molt_meta SET value = 2 WHERE name = 'file_format'")
        try expectRefusal(.newerFormat)
    }

    @Test(arguments: [
        ("key TEXT NOT NULL", "key TEXT COLLATE NOCASE NOT NULL", "molt_record"),
        ("molt_record(type_id)", "molt_record(type_id) WHERE id > 5", "molt_record_type"),
        ("app_version TEXT", "app_version TEXT COLLATE NOCASE", "molt_ledger"),
        (
            "content ANY NOT NULL", "content ANY NOT NULL, UNIQUE(key COLLATE NOCASE) ON CONFLICT REPLACE",
            "molt_record"
        ),
        ("UNIQUE", "UNIQUE COLLATE NOCASE", "molt_type"), ("STRICT", "", "molt_record"),
    ])
    func `A table or an index that is declared in another way is refused`(
        old: String,
        new: String,
        name: String
    ) throws {
        try CodableCache(at: url).close()
        try SQLite(url).run(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = '\(name)'
            """
        )
        try expectRefusal(.foreignFile)
    }

    @Test func `A directory is refused`() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try expectRefusal(.notAFile)
    }

    @Test func `A path that leads through a file, or where no directory can be created, is refused`() throws {
        try Data("text".utf8).write(to: scratch.file("plain"))
        let inside = scratch.file("plain").appendingPathComponent("cache.molt")
        #expect(throws: MoltError.self) { _ = try CodableCache(at: inside) }?.expect(.notAFile)
        #if os(Linux)
            #expect(throws: MoltError.self) {
                _ = try CodableCache(at: URL(fileURLWithPath: "/proc/none/cache.molt"))
            }?.expect(.notAFile, says: "Choose another path")
        #endif
    }

    @Test func `A damaged file is refused`() throws {
        try CodableCache(at: url).set(1, forKey: "one")
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(100..<4_096, with: Data(repeating: 0xEE, count: 3_996))
        try bytes.write(to: url)
        try expectRefusal(.storeFailed)
    }

    #if CHILD_PROCESSES
        /// Root may do everything, so this runs as another user, in a child process.
        @Test func `A file or a directory without the permission that is needed is refused`() async {
            await #expect(processExitsWith: .success) {
                try exitAsNobody { url in
                    try CodableCache(at: url).set(1, forKey: "one")
                    let bytes = try Data(contentsOf: url)
                    chmod(url.path, 0)
                    let isUnreadable = expectCode(.noPermission) { _ = try CodableCache(at: url) }
                    chmod(url.path, 0o400)
                    let isReadOnly = expectCode(.readOnly) { _ = try CodableCache(at: url) }
                    let isSame = try Data(contentsOf: url) == bytes && !StoreFile.state(at: url).isFresh
                    let directory = url.deletingLastPathComponent()
                    chmod(directory.path, 0o500)
                    defer { chmod(directory.path, 0o700) }
                    let isRefused = expectCode(.noPermission) {
                        _ = try CodableCache(at: directory.appending(path: "new.molt"))
                    }
                    return isUnreadable && isReadOnly && isSame && isRefused
                }
            }
        }
    #endif
}

#if os(Linux)
    /// A directory that is mounted a second time, read-only, in a child process with a mount namespace of its own.
    ///
    /// Mounting needs the rights of root, which a container usually has.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `A read-only volume` {
        @Test func `A store on the volume is refused and unchanged, none is created, and its plan can be read`() async {
            await #expect(processExitsWith: .success) {
                let scratch = try ScratchDirectory()
                let url = scratch.file()
                try CodableCache(at: url).set(1, forKey: "one")
                let bytes = try Data(contentsOf: url)
                guard Mounts.remountReadOnly(scratch.url) else { exit(2) }

                let isRefused = expectCode(.readOnly) { _ = try CodableCache(at: url) }
                let isNewRefused = expectCode(.readOnly) { _ = try CodableCache(at: scratch.file("new.molt")) }
                let version = try CodableCache.schemaVersion(ofFileAt: url)
                let plan = try MigrationPlan(forFileAt: url, migrations: [Migration(to: 1, "a")])
                let isPlanned = version == 0 && plan.pending.count == 1
                let isSame = try Data(contentsOf: url) == bytes && scratch.names() == ["cache.molt"]

                _ = Mounts.unmount(scratch.url)
                try? FileManager.default.removeItem(at: scratch.url)
                exit(isRefused && isNewRefused && isPlanned && isSame ? 0 : 1)
            }
        }
    }
#endif

/// Gives up the rights of root, runs a test in a directory of its own, and ends the process with the outcome.
func exitAsNobody(_ test: (URL) throws -> Bool) throws {
    if getuid() == 0, setuid(65_534) != 0 { exit(2) }
    let scratch = try ScratchDirectory()
    let isRight = try test(scratch.file())
    try? FileManager.default.removeItem(at: scratch.url)
    exit(isRight ? 0 : 1)
}

/// Whether a closure throws a cache error with a given code.
func expectCode(_ code: MoltError.Code, _ body: () throws -> Void) -> Bool {
    do {
        try body()
        return false
    } catch {
        return (error as? MoltError)?.code == code
    }
}
