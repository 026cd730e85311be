public import Foundation
internal import Molt

/// All failures that the verification has found, grouped by file.
///
/// ```
/// The verification found 2 failures.
///
/// 1-everyday.json
///   - 1-everyday@3.json: the result is not what the file has:
///     "john".address.city: expected "Paris", found "London"
///     If the new result is right: MOLT_RECORD=all swift test
///
/// registry
///   - 2-everyday.json: migration "split-full-name" (version 2) was edited after these stores had applied it. …
/// ```
public struct VerificationFailure: Error, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The registry is invalid; nothing was upgraded.
        case registry
        /// A file of the catalog cannot be read, has an invalid name, or is compared with nothing.
        case catalog
        /// A fixture has changed since its upgraded fixtures were made.
        case changed
        case missingFixture
        /// The samples of the test give another store than the fixture of this release, or cannot be recorded.
        case samples
        /// The types are not those that are recorded for their version.
        case types
        /// A migration was edited after it shipped.
        case edited
        /// Something sealed was changed or removed, or a version that has shipped is not sealed.
        case sealed
        /// A name in a step, or one of the test's settings, is in no record or setting of a fixture; or a setting in an
        /// old form is not named.
        case unmatchedName
        /// A step takes the keys of a dictionary for elements.
        case keysAsElements
        /// A migration destroys data that the test does not name.
        case loss
        case upgrade
        /// A dry run changed something, or its report differs from that of the upgrade.
        case dryRun
        /// Two entry points upgrade the same store to different results.
        case entryPoints
        /// The result depends on the versions at which the store was opened on the way.
        case path
        /// Opening an up-to-date store changed something.
        case repetition
        case ledger
        case missingUpgradedFixture
        case upgradedFixture
        /// A record's type is not among the app's types.
        case unknownType
        /// Neither the app's settings nor a step names a setting.
        case unnamedSetting
        /// A record or setting cannot be decoded as the current type.
        case decoding
        /// A variation of a sample cannot be upgraded, or cannot be decoded afterwards.
        case variation
        /// A release of an older version cannot read a store, and a migration declares that it can.
        case olderRelease
        /// Files were written, so their content was not checked.
        case recorded
    }

    package struct Failure: Hashable, Sendable, CustomStringConvertible {
        package var kind: Kind
        /// The catalog path of a file, or "registry" or "catalog".
        package var subject: String
        /// The versions upgraded to, with entry points unless it is all; or files; empty for everywhere.
        package var location: String
        /// The problem and what to do; may have several lines.
        package var message: String

        package init(kind: Kind, subject: String, location: String = "", message: String) {
            self.kind = kind
            self.subject = subject
            self.location = location
            self.message = message
        }

        package var description: String {
            location.isEmpty ? message : "\(location): \(message)"
        }
    }

    package var failures: [Failure]
    /// The upgrades that were run.
    public var report: VerificationReport

    package init(failures: [Failure], report: VerificationReport = VerificationReport()) {
        self.failures = failures
        self.report = report
    }
}

extension VerificationFailure: CustomStringConvertible, LocalizedError {
    /// The failures, grouped by subject.
    public var description: String {
        var lines = ["The verification found \(failures.count == 1 ? "1 failure" : "\(failures.count) failures")."]
        var subjects: [String] = []
        for failure in failures where !subjects.contains(failure.subject) { subjects.append(failure.subject) }
        // A fault of the registry, or a changed type, may be the cause of the others.
        let causes = ["registry", CatalogFile.types].filter(subjects.contains)
        for subject in causes + subjects.filter({ !causes.contains($0) }) {
            lines += ["", subject]
            for failure in failures where failure.subject == subject {
                let text = failure.description.split(separator: "\n", omittingEmptySubsequences: false)
                lines += text.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
            }
        }
        if !report.rows.isEmpty { lines += ["", report.variationsText] }
        return lines.joined(separator: "\n")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// The upgrades that the verification has run.
///
/// ```
/// 3 fixtures, 24 upgrades
/// fixture          records  to versions  entry points                  upgrades
/// ---------------  -------  -----------  ----------------------------  --------
/// 0-everyday.json       12  1, 2         open, async open, in memory         16
/// 57 variations of samples were upgraded, at most 500 of each fixture.
/// ```
public struct VerificationReport: Sendable, CustomStringConvertible {
    package struct Row: Hashable, Sendable {
        /// The fixture's file or name.
        package var fixture: String
        package var records: Int
        package var targets: [Int]
        package var entryPoints: [EntryPoint]
        /// The number of opened copies, including dry runs and repetitions.
        package var upgrades: Int
        /// The number of variations of the fixture's samples that were upgraded.
        package var variations = 0
        /// The number of all variations, without a limit.
        package var possibleVariations = 0
        /// The reason why some samples have no variations.
        package var unvaried: String?

        package init(fixture: String, records: Int, targets: [Int], entryPoints: [EntryPoint], upgrades: Int) {
            self.fixture = fixture
            self.records = records
            self.targets = targets
            self.entryPoints = entryPoints
            self.upgrades = upgrades
        }
    }

    package var rows: [Row]
    /// The catalog paths of the files that were written.
    public package(set) var recorded: [String]
    /// The greatest number of variations of each fixture.
    package var variationLimit = 0

    package init(rows: [Row] = [], recorded: [String] = []) {
        self.rows = rows
        self.recorded = recorded
    }

    /// The number of opened copies, including dry runs and repetitions.
    public var upgrades: Int {
        rows.reduce(0) { $0 + $1.upgrades }
    }

    /// The number of variations of samples that were upgraded.
    public var variations: Int {
        rows.reduce(0) { $0 + $1.variations }
    }

    /// The number of variations in a sentence, and the samples that have none.
    package var variationsText: String {
        guard variationLimit > 0 else { return "No variations of samples were upgraded." }
        let most = "at most \(variationLimit) of each fixture"
        var lines = ["\(variations) variations of samples were upgraded, \(most)."]
        for row in rows where row.possibleVariations > row.variations {
            lines.append("\(row.fixture) has \(row.possibleVariations): upgrade more with `variations:`.")
        }
        let unvaried = Dictionary(grouping: rows.filter { $0.unvaried != nil }) { $0.unvaried ?? "" }
        for (reason, rows) in unvaried.sorted(by: { $0.key < $1.key }) {
            lines.append("\(Shown.some(rows.map(\.fixture))): \(reason)")
        }
        return lines.joined(separator: "\n")
    }

    /// A table of the fixtures, and the number of variations.
    public var description: String {
        let headline = "\(rows.count) fixture\(rows.count == 1 ? "" : "s"), \(upgrades) upgrades"
        guard !rows.isEmpty else { return headline }
        let heading = ["fixture", "records", "to versions", "entry points", "upgrades"]
        let cells = rows.map { row in
            [
                row.fixture,
                String(row.records),
                row.targets.map(String.init).joined(separator: ", "),
                row.entryPoints.map(\.description).joined(separator: ", "),
                String(row.upgrades),
            ]
        }
        let table = TextTable(rows: [heading] + cells, leftAlignedColumns: [0, 2, 3])
        return "\(headline)\n\(table)\n\(variationsText)"
    }
}
