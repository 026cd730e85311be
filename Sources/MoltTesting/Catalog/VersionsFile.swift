internal import Foundation
internal import Molt

/// A JSON file of a catalog that Molt alone writes, and that describes versions.
protocol VersionsFile: Codable {
    /// What it says of a version.
    associatedtype Entry: Codable

    /// What it says, by version.
    var versions: [Int: Entry] { get set }

    /// Creates a file without versions.
    init()

    /// What the file is of, such as "types".
    static var subject: String { get }
    /// What to do about the conflict markers of a merge.
    static var conflictAdvice: String { get }
}

extension VersionsFile {
    /// Reads a file; it has no version if it does not exist.
    ///
    /// - Throws: ``TestingError`` with the code `unreadable` or `malformedFixture`.
    init(at url: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            self.init()
            return
        } catch {
            throw TestingError(.unreadable, "The file cannot be read.", file: url, underlying: error)
        }
        do {
            self = try JSONDecoder().decode(Self.self, fromStored: data)
        } catch var error as TestingError {
            error.file = url
            throw error
        } catch {
            let isMerge = FixtureText.hasConflict(data)
            throw TestingError(
                .malformedFixture,
                isMerge
                    ? Self.conflictAdvice
                    : "This is not a file of \(Self.subject). Restore it: "
                        + FixtureCatalog(url.deletingLastPathComponent()).restoring(url.lastPathComponent),
                file: url,
                underlying: isMerge ? nil : error
            )
        }
    }

    /// Changes the file's current content, which another process may have written since the last read.
    ///
    /// Its directory is created if necessary.
    ///
    /// - Throws: ``TestingError`` with the code `unwritable`, or the error of reading the file.
    static func update(at url: URL, _ change: (inout [Int: Entry]) throws -> Void) throws {
        let directory = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw TestingError(.unwritable, "The directory cannot be created.", file: directory, underlying: error)
        }
        try VersionsFileLock.threads.withLock { _ in
            // Some network file systems cannot lock a directory. Recording continues there without a lock; if two
            // processes overwrite each other's changes, the next run reports it.
            let lock = try? FileLock(directory: directory.path) {}
            defer { withExtendedLifetime(lock) {} }
            var file = try Self(at: url)
            try change(&file.versions)
            do {
                try (try JSONEncoder.stable.encode(file) + Data("\n".utf8)).write(to: url, options: .atomic)
            } catch {
                throw TestingError(.unwritable, "The file cannot be written.", file: url, underlying: error)
            }
        }
    }
}

/// The lock of the threads of this process that write such files.
private enum VersionsFileLock {
    static let threads = Locked(())
}

extension JSONEncoder {
    /// Encodes with sorted keys, which make small diffs, and the same text for the same value.
    static var stable: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
