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

    /// Writes the file: sorted, so that a change is a small one.
    ///
    /// - Throws: ``TestingError`` with the code `unwritable`.
    func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try (try encoder.encode(self) + Data("\n".utf8)).write(to: url, options: .atomic)
        } catch {
            throw TestingError(.unwritable, "The snapshot cannot be written.", file: url, underlying: error)
        }
    }
}
