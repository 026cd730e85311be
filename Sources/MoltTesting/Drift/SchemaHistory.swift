internal import Foundation
internal import MoltCore

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
