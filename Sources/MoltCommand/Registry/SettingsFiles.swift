import Foundation
import Molt

/// Suites that stand in for those of the registry: other domains, or settings from files, which are erased when it is
/// deallocated.
final class SettingsFiles {
    private(set) var suites: [Suite] = []
    /// Those with the settings of files.
    private var filled: [Suite] = []

    /// - Parameters:
    ///   - words: Each a suite's name and a domain or the path of a property list, separated by an equals sign.
    ///   - known: The suites that migrations work on.
    /// - Throws: ``UsageError``, ``CommandError`` for a file that cannot be read, or the suite's error.
    init(_ words: [String], of known: [Suite]) throws {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw UsageError("--settings needs SUITE=DOMAIN or SUITE=PLIST, not \"\(word)\"")
            }
            let suite = try Self.suite(named: String(parts[0]), of: known)
            if suites.contains(where: { $0.attachedName == suite.attachedName }) {
                throw UsageError("--settings names \(suite) more than once")
            }
            let place = String(parts[1])
            if let domain = try Self.domain(place, for: suite) {
                suites.append(domain)
                continue
            }
            let values = try StoreCommands.settings(in: URL(filePath: place))
            let standIn = suite.standIn(named: "molt-dry-run.\(UUID().uuidString)")
            suites.append(standIn)
            filled.append(standIn)
            try standIn.fill(values)
        }
    }

    /// The suite of a domain that stands in for another one; nil for the path of a file.
    private static func domain(_ place: String, for suite: Suite) throws -> Suite? {
        let isPath = place.contains("/") || place.hasSuffix(".plist") || FileManager.default.fileExists(atPath: place)
        guard !isPath else { return nil }
        let standIn = suite.standIn(named: place)
        if try standIn.allValues().isEmpty {
            throw CommandError("the user of this tool has no settings in the domain \(place)")
        }
        return standIn
    }

    /// Checks that settings which an upgrade changes are not those of a file.
    func checkWritable() throws {
        guard let suite = filled.first else { return }
        let name = suite.attachedName == Suite.standard.attachedName ? "standard" : suite.attachedName
        throw UsageError(
            "an upgrade changes settings where apps read them: --settings needs the domain of \(name), not a file"
        )
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
        for suite in filled { suite.erase() }
    }
}
