internal import Foundation
internal import MoltCore
internal import Synchronization

/// What a snapshot's file holds: the shapes of each version that was recorded.
struct SchemaHistory: Codable, Equatable {
    /// By version as text, as JSON has it.
    private var versions: [String: [String: TypeShape]] = [:]

    init() {}

    /// Reads a file; nil when there is none.
    ///
    /// - Throws: ``TestingError`` with the code `unreadable` or `malformedFixture`.
    init?(at url: URL) throws {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw TestingError(.unreadable, "The snapshot cannot be read.", file: url, underlying: error)
        }
        do {
            self = try JSONDecoder().decode(SchemaHistory.self, from: data)
        } catch {
            throw TestingError(
                .malformedFixture,
                "This is no snapshot of a schema. Restore it from version control.",
                file: url,
                underlying: error
            )
        }
        if let text = versions.keys.first(where: { Int($0) == nil }) {
            throw TestingError(.malformedFixture, "\"\(text)\" is no schema version.", file: url)
        }
    }

    /// The newest version that was recorded.
    var newest: Int? { versions.keys.compactMap { Int($0) }.max() }

    subscript(version: Int) -> [String: TypeShape]? {
        get { versions[String(version)] }
        set { versions[String(version)] = newValue }
    }

    /// Changes a version in the file as it is now: another process may have written since it was read.
    ///
    /// - Throws: ``TestingError`` with the code `unwritable`, or why the file cannot be read.
    static func update(
        _ version: Int,
        at url: URL,
        _ change: ([String: TypeShape]) -> [String: TypeShape]
    ) throws {
        try DirectoryLock.with(url.deletingLastPathComponent()) {
            var history = try SchemaHistory(at: url) ?? SchemaHistory()
            history[version] = change(history[version] ?? [:])
            try history.write(to: url)
        }
    }

    /// Writes the file: sorted, so that a change is a small one.
    private func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try (try encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
        } catch {
            throw TestingError(.unwritable, "The snapshot cannot be written.", file: url, underlying: error)
        }
    }
}

/// Lets one holder at a time, of all processes, change what a directory has.
enum DirectoryLock {
    private static let threads = Mutex(())

    /// Runs a closure while nobody else runs one for the same directory, which is made when there is none.
    ///
    /// - Throws: What the closure throws; ``TestingError`` with the code `unwritable` when there can be no directory.
    static func with(_ directory: URL, _ body: () throws -> Void) throws {
        try threads.withLock { _ in
            do {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            } catch {
                throw TestingError(.unwritable, "There can be no such directory.", file: directory, underlying: error)
            }
            // Some network file systems lock no directory. Who records there by several processes may lose a line, and
            // the next run tells; nobody should be kept from recording for that.
            let lock = try? FileLock(directory: directory.path) {}
            try withExtendedLifetime(lock) { try body() }
        }
    }
}
