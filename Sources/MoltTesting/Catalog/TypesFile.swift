internal import Foundation
internal import Molt

/// The content of the file `types.json`: the shapes of the app's types at each recorded version.
struct TypesFile: Codable {
    /// The shapes by version, and by the name of a type or ``SampledSetting``.
    var versions: [Int: [String: TypeShape]] = [:]

    /// Reads a file; it has no version if it does not exist.
    ///
    /// - Throws: ``TestingError`` with the code `unreadable` or `malformedFixture`.
    init(at url: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            return
        } catch {
            throw TestingError(.unreadable, "The file cannot be read.", file: url, underlying: error)
        }
        do {
            self = try JSONDecoder().decode(TypesFile.self, fromStored: data)
        } catch {
            let isMerge = FixtureText.hasConflict(data)
            throw TestingError(
                .malformedFixture,
                isMerge ? RecordingAdvice.mergedTypes : "This is not a file of types. Restore it from version control.",
                file: url,
                underlying: isMerge ? nil : error
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
            throw TestingError(.unwritable, "The directory cannot be created.", file: directory, underlying: error)
        }
        try threads.withLock { _ in
            // Some network file systems cannot lock a directory. Recording continues there without a lock; if two
            // processes overwrite each other's changes, the next run reports it.
            let lock = try? FileLock(directory: directory.path) {}
            defer { withExtendedLifetime(lock) {} }
            var file = try TypesFile(at: url)
            file.versions[version] = change(file.versions[version] ?? [:])
            // Sorted keys make small diffs.
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            do {
                try (try encoder.encode(file) + Data("\n".utf8)).write(to: url, options: .atomic)
            } catch {
                throw TestingError(.unwritable, "The file cannot be written.", file: url, underlying: error)
            }
        }
    }
}
