internal import Foundation
package import Molt

/// Lines of text in a suite of its own: each is a key, and its value is the line's number.
package final class Notebook: Sendable {
    package let suite: Suite

    package enum Failure: Error {
        /// The failure of the hook ``refusing``.
        case refused
        /// A line is there already, so a change is made twice.
        case repeated(String)
    }

    /// - Parameter name: The suite's name, for child processes.
    package init(_ lines: [String] = [], named name: String = "molt.test.\(UUID().uuidString)") throws {
        suite = Suite(name)
        try write(lines)
    }

    deinit {
        suite.erase()
    }

    package var name: String { suite.attachedName }

    package var lines: [String] {
        get throws { Self.lines(try suite.values()) }
    }

    package static func lines(_ settings: [String: PropertyListValue]) -> [String] {
        settings.compactMap { line, value in value.int.map { ($0, line) } }.sorted { $0 < $1 }.map(\.1)
    }

    /// Adds lines.
    package func write(_ lines: [String]) throws {
        let count = try self.lines.count
        let numbered = lines.enumerated().map { ($1, PropertyListValue.int(Int64(count + $0))) }
        try suite.update(set: Dictionary(uniqueKeysWithValues: numbered))
    }

    /// A migration that adds a line.
    package func adding(_ line: String, to version: Int = 1) -> Migration {
        Migration(to: version, line, .notes(self) { try $0.add(line) })
    }

    // MARK: Obstacles

    /// Removes the suite and what is remembered of it, as if the process had another home directory.
    package func disappear() throws {
        try suite.write(set: [:], remove: Set(suite.allValues().keys))
        try FileManager.default.removeItem(at: SuiteFiles(suite).memory)
    }

    /// Why migrations of a closed notebook are deferred.
    package var excuse: String {
        "The settings in \(suite) exist but cannot be read until the device is unlocked for the first time after a "
            + "restart."
    }

    /// Runs a closure while the suite cannot be read, as on a locked device.
    package func whileClosed<Result>(_ body: () throws -> Result) rethrows -> Result {
        Suite.closedDomains.withLock { _ = $0.insert(suite.domainName) }
        defer { Suite.closedDomains.withLock { _ = $0.remove(suite.domainName) } }
        return try body()
    }

    /// A hook of an upgrade that lets no change to the notebook be made.
    package var refusing: UpgradeHook {
        { [name] point in
            if point.kind == .beforeApply, point.subject.hasPrefix(name + " ") { throw Failure.refused }
        }
    }
}

extension SuiteEditor {
    package var lines: [String] {
        get throws {
            Notebook.lines(try keys.reduce(into: [:]) { $0[$1] = try value(forKey: $1) })
        }
    }

    /// - Throws: ``Notebook/Failure/repeated(_:)``, because a second change with the same result would not show.
    package func add(_ line: String) throws {
        if try value(forKey: line) != nil { throw Notebook.Failure.repeated(line) }
        try set(.int(Int64(count)), forKey: line)
    }
}

extension MigrationStep {
    /// Changes the settings of a notebook.
    package static func notes(
        _ notebook: Notebook,
        _ body: @escaping @Sendable (SuiteEditor) throws -> Void
    ) -> MigrationStep {
        // The suite must not be erased while a step needs it.
        .changeSettings(in: notebook.suite, "change notes") { settings in
            try withExtendedLifetime(notebook) { try body(settings) }
        }
    }
}

extension MigrationContext {
    package func pages(_ notebook: Notebook) throws -> SuiteEditor {
        try suite(notebook.suite)
    }
}
