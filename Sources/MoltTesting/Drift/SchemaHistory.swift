internal import Foundation
internal import Molt

/// The content of a snapshot's file: the shapes of each recorded version.
struct SchemaHistory: Codable {
    /// The shapes by version, and by the name of a type or ``SampledSetting``.
    var versions: [Int: [String: TypeShape]] = [:]

    /// Reads a file; the history is empty if it does not exist.
    ///
    /// - Throws: ``TestingError`` with the code `unreadable` or `malformedFixture`.
    init(at url: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            return
        } catch {
            throw TestingError(.unreadable, "The snapshot cannot be read.", file: url, underlying: error)
        }
        do {
            self = try JSONDecoder().decode(SchemaHistory.self, fromStored: data)
        } catch {
            throw TestingError(
                .malformedFixture,
                "This is not a schema snapshot. Restore it from version control.",
                file: url,
                underlying: error
            )
        }
    }

    private static let threads = Locked(())

    /// Updates a version in the file's current content, which another process may have written since the last read.
    ///
    /// Its directory is created if necessary.
    ///
    /// - Throws: ``TestingError`` with the code `unwritable`, or the error of reading the file.
    static func update(
        _ version: Int,
        at url: URL,
        _ change: ([String: TypeShape]) -> [String: TypeShape]
    ) throws {
        let directory = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw TestingError(.unwritable, "There can be no such directory.", file: directory, underlying: error)
        }
        try threads.withLock { _ in
            // Some network file systems cannot lock a directory. Recording continues there without a lock; if two
            // processes overwrite each other's changes, the next run reports it.
            let lock = try? FileLock(directory: directory.path) {}
            defer { withExtendedLifetime(lock) {} }
            var history = try SchemaHistory(at: url)
            history.versions[version] = change(history.versions[version] ?? [:])
            // Sorted keys make small diffs.
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            do {
                try (try encoder.encode(history) + Data("\n".utf8)).write(to: url, options: .atomic)
            } catch {
                throw TestingError(.unwritable, "The snapshot cannot be written.", file: url, underlying: error)
            }
        }
    }
}
