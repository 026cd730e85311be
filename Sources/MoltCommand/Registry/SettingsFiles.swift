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
            guard let suite = known.first(where: { $0.description == parts[0] }) else {
                let names = Set(known.map(\.description)).sorted().joined(separator: ", ")
                throw CommandError(
                    "this tool has no suite \(parts[0])"
                        + (names.isEmpty ? ": no migration works on settings" : "; its suites are \(names)")
                )
            }
            if suites.contains(where: { $0.attachedName == suite.attachedName }) {
                throw UsageError("--settings names \(suite) more than once")
            }
            let values = try StoreCommands.settings(in: URL(filePath: String(parts[1])))
            let standIn = suite.standIn(named: "molt-dry-run.\(UUID().uuidString)")
            suites.append(standIn)
            try standIn.fill(values)
        }
    }

    deinit {
        for suite in suites { suite.erase() }
    }
}
