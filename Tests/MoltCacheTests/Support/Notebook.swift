import Foundation
import Molt

/// An attached store for tests: lines in a file, attached under the file's name.
struct Notebook: AttachedStore {
    var url: URL
    /// The reason why the notebook is unavailable, if it is.
    var excuse: String?
    /// Whether applying changes fails.
    var isBroken = false

    enum Failure: Error { case broken }

    var attachedName: String { "notebook \(url.lastPathComponent)" }

    var lines: [String] {
        get throws {
            guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
            return text.split(separator: "\n").map(String.init)
        }
    }

    func write(_ lines: [String]) throws {
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: url, options: .atomic)
    }

    func unavailability(_ circumstances: AttachedCircumstances) throws -> String? {
        if let excuse { return excuse }
        guard let count = circumstances.lastCount, count > 0, try lines.isEmpty else { return nil }
        return "It had \(count) lines."
    }

    func begin() throws -> Pages {
        Pages(lines: try lines)
    }

    func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws {
        if isBroken { throw Failure.broken }
        let changes = try JSONDecoder().decode(Pages.Changes.self, from: Data(changes))
        switch phase {
        case .add: try write(lines + changes.added.filter { try !lines.contains($0) })
        case .remove: try write(lines.filter { !changes.removed.contains($0) })
        }
    }

    final class Pages: AttachedSession {
        struct Changes: Codable {
            var added: [String] = []
            var removed: [String] = []
        }

        private(set) var lines: [String]
        private var changes = Changes()
        private var isOver = false

        init(lines: [String]) {
            self.lines = lines
        }

        var count: Int { lines.count }

        func add(_ line: String) throws {
            guard !isOver else { throw MoltError(.contextExpired, "The session is over.") }
            lines.append(line)
            changes.added.append(line)
        }

        func remove(_ line: String) throws {
            lines.removeAll { $0 == line }
            changes.removed.append(line)
        }

        func finish() throws -> [UInt8]? {
            isOver = true
            guard !changes.added.isEmpty || !changes.removed.isEmpty else { return nil }
            return Array(try JSONEncoder().encode(changes))
        }
    }
}

extension Notebook {
    /// The same notebook, to which no change can be applied.
    var broken: Notebook {
        var broken = self
        broken.isBroken = true
        return broken
    }

    /// A migration that adds a line.
    func adding(_ line: String, to version: Int = 1) -> Migration {
        Migration(to: version, line, .notes(self) { try $0.pages(self).add(line) })
    }
}

extension MigrationContext {
    func pages(_ notebook: Notebook) throws -> Notebook.Pages {
        try attached(notebook)
    }
}

extension MigrationStep {
    /// Changes a notebook and no record, as a built-in step would.
    static func notes(
        _ notebook: Notebook,
        also others: [Notebook] = [],
        _ body: @escaping @Sendable (MigrationContext) throws -> Void
    ) -> MigrationStep {
        MigrationStep(
            kind: "notes",
            summary: "change notes",
            parameters: [],
            attaching: [notebook] + others,
            body
        )
    }
}
