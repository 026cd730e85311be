import Foundation
import Molt
import Testing

@Suite struct `A file that is not a readable cache` {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Opens the file and reads its state; both must be refused with the code, and leave everything unchanged.
    private func expectRefusal(_ code: MoltError.Code, sourceLocation: SourceLocation = #_sourceLocation) throws {
        func bytes() -> [Data?] {
            [url.path, url.path + "-wal"].map { FileManager.default.contents(atPath: $0) }
        }
        let (names, before) = (try scratch.names(), bytes())
        MoltError.thrown { try CodableCache(at: url) }?.expect(code, store: url.path, sourceLocation: sourceLocation)
        MoltError.thrown { try StoreFile.state(at: url) }?.expect(code, sourceLocation: sourceLocation)
        #expect(try scratch.names() == names, sourceLocation: sourceLocation)
        #expect(bytes() == before, sourceLocation: sourceLocation)
    }

    /// What stands at a cache's URL, and how it is made.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: MoltError.Code
        let make: @Sendable (URL) throws -> Void
    }

    static let files: [Wrong] = [
        text(1), text(50), text(99), text(100), text(5_000),
        database("PRAGMA application_id = 42; CREATE TABLE theirs(x)"), database("CREATE TABLE theirs(x)"),
        database("PRAGMA application_id = 42; VACUUM"),
        Wrong(testDescription: "another app's database with a log that has no index", code: .foreignFile) { url in
            let other = url.deletingLastPathComponent().appending(path: "theirs")
            let theirs = try SQLite(other)
            try theirs.run("PRAGMA journal_mode = WAL; CREATE TABLE theirs(x)")
            try FileManager.default.copyItem(at: other, to: url)
            try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: url.path + "-wal")
        },
        Wrong(testDescription: "a newer format", code: .newerFormat) { url in
            _ = try CodableCache(at: url)
            try SQLite(url).run("UPDATE molt_meta SET value = 2 WHERE name = 'file_format'")
        },
        declaration("key TEXT NOT NULL", "key TEXT COLLATE NOCASE NOT NULL", of: "molt_record"),
        declaration("molt_record(type_id)", "molt_record(type_id) WHERE id > 5", of: "molt_record_type"),
        declaration("app_version TEXT", "app_version TEXT COLLATE NOCASE", of: "molt_ledger"),
        declaration(
            "content ANY NOT NULL",
            "content ANY NOT NULL, UNIQUE(key COLLATE NOCASE) ON CONFLICT REPLACE",
            of: "molt_record"
        ),
        declaration("UNIQUE", "UNIQUE COLLATE NOCASE", of: "molt_type"), declaration("STRICT", "", of: "molt_record"),
        Wrong(testDescription: "a directory", code: .notAFile) { url in
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        },
        Wrong(testDescription: "a damaged file", code: .storeFailed) { url in
            try CodableCache(at: url).set(1, forKey: "one")
            var bytes = try Data(contentsOf: url)
            bytes.replaceSubrange(100..<4_096, with: Data(repeating: 0xEE, count: 3_996))
            try bytes.write(to: url)
        },
    ]

    private static func text(_ size: Int) -> Wrong {
        Wrong(testDescription: "a text of size \(size)", code: .notADatabase) { url in
            try Data(repeating: 0x41, count: size).write(to: url)
        }
    }

    private static func database(_ sql: String) -> Wrong {
        Wrong(testDescription: sql, code: .foreignFile) { try SQLite($0).run(sql) }
    }

    /// A cache whose table or index is declared in another way.
    private static func declaration(_ old: String, _ new: String, of name: String) -> Wrong {
        Wrong(testDescription: "\(name): \(new)", code: .foreignFile) { url in
            try CodableCache(at: url).close()
            let change = "UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = '\(name)'"
            try SQLite(url).run("PRAGMA writable_schema = ON; \(change)")
        }
    }

    @Test(arguments: files)
    func `is refused and left as it is`(file: Wrong) throws {
        try file.make(url)
        try expectRefusal(file.code)
    }

    @Test func `is refused while another app has it open, with pages in the log`() throws {
        let theirs = try SQLite(url)
        try theirs.run("PRAGMA journal_mode = WAL; CREATE TABLE theirs(x)")
        try withExtendedLifetime(theirs) { try expectRefusal(.foreignFile) }
    }

    /// SQLite writes the header of a page into the log, and then the page: a loss of power may keep only the first.
    @Test func `A new file in whose log the first page was lost with the power is still a new file`() throws {
        try SQLite(url).run("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")
        func bytes(_ numbers: [UInt32]) -> Data {
            Data(numbers.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) })
        }
        let header = bytes([0x377F_0682, 3_007_000, 8_192, 0, 1, 2, 3, 4])
        let frame = bytes([1, 0, 1, 2, 3, 4]) + Data(count: 8_192)
        try (header + frame).write(to: URL(fileURLWithPath: url.path + "-wal"))
        #expect(try StoreFile.state(at: url).isFresh)
        let cache = try CodableCache(at: url)
        try cache.set(1, forKey: "one")
        cache.close()
        #expect(try CodableCache(at: url).value(Int.self, forKey: "one") == 1)
    }

    @Test func `A path that leads through a file, or where no directory can be created, is refused`() throws {
        try Data("text".utf8).write(to: scratch.file("plain"))
        let inside = scratch.file("plain").appendingPathComponent("cache.molt")
        MoltError.thrown { try CodableCache(at: inside) }?.expect(.notAFile)
        #if os(Linux)
            let impossible = URL(fileURLWithPath: "/proc/none/cache.molt")
            MoltError.thrown { try CodableCache(at: impossible) }?.expect(.notAFile, says: "Choose another path")
        #endif
    }

    #if CHILD_PROCESSES
        /// Root may do everything, so this runs as another user, in a child process.
        @Test func `A file or a directory without the permission that is needed is refused`() async {
            await #expect(processExitsWith: .success) {
                try exitAsNobody { url in
                    try CodableCache(at: url).set(1, forKey: "one")
                    let bytes = try Data(contentsOf: url)
                    chmod(url.path, 0)
                    let isUnreadable = throwsCode(.noPermission) { _ = try CodableCache(at: url) }
                    chmod(url.path, 0o400)
                    let isReadOnly = throwsCode(.readOnly) { _ = try CodableCache(at: url) }
                    let isSame = try Data(contentsOf: url) == bytes && !StoreFile.state(at: url).isFresh
                    let directory = url.deletingLastPathComponent()
                    chmod(directory.path, 0o500)
                    defer { chmod(directory.path, 0o700) }
                    let isRefused = throwsCode(.noPermission) {
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

                let isRefused = throwsCode(.readOnly) { _ = try CodableCache(at: url) }
                let isNewRefused = throwsCode(.readOnly) { _ = try CodableCache(at: scratch.file("new.molt")) }
                let version = try CacheFile(at: url).version()
                let plan = try CacheFile(at: url).plan([Migration(to: 1, "a")])
                let isPlanned = version == 0 && plan.pending.count == 1
                let isSame = try Data(contentsOf: url) == bytes && scratch.names() == ["cache.molt"]

                _ = Mounts.unmount(scratch.url)
                try? FileManager.default.removeItem(at: scratch.url)
                exit(isRefused && isNewRefused && isPlanned && isSame ? 0 : 1)
            }
        }
    }
#endif
