import Foundation
import Molt

/// Settings from files, in suites that stand in for those of the registry; erased when it is deallocated.
final class SettingsFiles {
    private(set) var suites: [Suite] = []

    /// - Parameters:
    ///   - words: Each a suite's name and the path of a property list, separated by an equals sign.
    ///   - known: The suites that migrations work on.
    /// - Throws: ``UsageError``, ``CommandError`` for a file that cannot be read, or the suite's error.
    init(_ words: [String], of known: [Suite]) throws {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw UsageError("--settings needs SUITE=PLIST, not \"\(word)\"") }
            let suite = try Self.suite(named: String(parts[0]), of: known)
            if suites.contains(where: { $0.attachedName == suite.attachedName }) {
                throw UsageError("--settings names \(suite) more than once")
            }
            let values = try StoreCommands.settings(in: URL(filePath: String(parts[1])))
            let standIn = suite.standIn(named: "molt-dry-run.\(UUID().uuidString)")
            suites.append(standIn)
            try standIn.fill(values)
        }
    }

    /// The suite of a name that a user has typed.
    ///
    /// - Throws: ``CommandError`` with the names of the known suites.
    static func suite(named name: String, of known: [Suite]) throws -> Suite {
        if let suite = known.first(where: { $0.description == name }) { return suite }
        let names = Set(known.map(\.description)).sorted().joined(separator: ", ")
        throw CommandError(
            "this tool has no suite \(name)"
                + (names.isEmpty ? ": no migration works on settings" : "; its suites are \(names)")
        )
    }

    deinit {
        for suite in suites { suite.erase() }
    }
}
