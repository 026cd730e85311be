import Foundation
import Molt
import MoltSalvage
import MoltTesting

/// A store that the command line names: its file, or a fixture in JSON.
struct StoreArgument {
    /// The file that was named.
    let url: URL
    /// The fixture in the file; nil for any other file, and if there is none.
    let fixture: StoreFixture?

    /// - Throws: `TestingError` for a malformed fixture.
    init(_ path: String) throws {
        url = URL(filePath: path)
        guard let beginning = Self.jsonBeginning(FileStatus.path(of: url)) else {
            fixture = nil
            return
        }
        guard !beginning.contains("\"molt-export\"") else {
            throw CommandError("\(path) is an export. The command import adds its records to a store")
        }
        fixture = try StoreFixture(contentsOf: url)
    }

    /// The beginning of a file that begins as a JSON object does; a store's file begins with "SQLite format 3".
    private static func jsonBeginning(_ path: String) -> String? {
        guard let status = try? FileStatus.of(path), status.isFile,
            // Read through SQLite: closing a descriptor would drop the locks that this process has on a store.
            let bytes = try? Connection(path, mode: .immutable).fileBytes(at: 0, 512)
        else { return nil }
        // A byte order mark, which some editors write, and white space.
        let first = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
        return first == UInt8(ascii: "{") ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// A sentence for the help of commands that read one.
    static let note = "FILE may be a fixture."

    /// The absolute path of the file that was named.
    var path: String { FileStatus.path(of: url) }

    /// The records, for reading; those of a fixture are in a temporary copy.
    ///
    /// - Throws: ``CommandError`` for a fixture of settings alone.
    func records() throws -> CacheFile {
        if case .suite? = fixture?.primary {
            throw CommandError("\(path) is a fixture of settings, and has no records. The command settings shows it")
        }
        return try cacheFile()
    }

    /// The version, the ledger and the records, for reading; a fixture of settings has no records.
    func cacheFile() throws -> CacheFile {
        guard var fixture else {
            let file = CacheFile(at: url)
            try file.checkExists()
            return file
        }
        // A suite's version and ledger are shown like those of a cache, and its settings are not in the copy.
        (fixture.primary, fixture.suites) = (.cache, [:])
        let copy = try TemporaryStore(fixture)
        return CacheFile(at: copy.url, named: path, retaining: copy)
    }

    /// The fixture, or the content of the store as one.
    func content() throws -> StoreFixture {
        try fixture ?? StoreFixture(cacheFile: url)
    }

    /// The file of the store, for commands that change it or that are about the file itself.
    ///
    /// - Throws: ``CommandError`` for a fixture.
    func file() throws -> URL {
        guard fixture == nil else {
            throw CommandError(
                "\(path) is a fixture, and this command needs a store's file. To try an upgrade of it, use plan or "
                    + "dry-run of the app's own tool"
            )
        }
        return url
    }
}
