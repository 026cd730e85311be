public import Foundation
internal import MoltCore

/// All that the matrix has found wrong, by the files that it is about.
///
/// ```
/// The matrix found 2 failures.
///
/// 1-everyday.json
///   - Golden/1-everyday@3.json: the result is not the expected store:
///     "john".address.city: expected "Paris", found "London"
///     If the new result is right: MOLT_RECORD=all swift test
///
/// registry
///   - 2-everyday.json: migration "split-full-name" (version 2) was edited after these stores had applied it. …
/// ```
public struct MatrixFailure: Error, Sendable {
    /// What kind of mistake was found; new ones may be added, so switch over them with a `default`.
    package struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The kind's stable text.
        package let rawValue: String

        /// The kind's stable text.
        package var description: String { rawValue }

        /// Creates a kind from its stable text.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The registry contradicts itself; nothing was upgraded.
        package static let registry = Kind(rawValue: "registry")
        /// A file of the catalog cannot be read, has a name that says nothing, or is compared with nothing.
        package static let catalog = Kind(rawValue: "catalog")
        /// A fixture is not the one that its expected stores were made from.
        package static let changed = Kind(rawValue: "changed")
        /// There is no fixture of a version.
        package static let missingFixture = Kind(rawValue: "missingFixture")
        /// A migration is not any more what it was when it shipped.
        package static let edited = Kind(rawValue: "edited")
        /// An upgrade threw.
        package static let upgrade = Kind(rawValue: "upgrade")
        /// A dry run changed something, or said something else than the upgrade did.
        package static let dryRun = Kind(rawValue: "dryRun")
        /// Two ways to open a store make different stores of one.
        package static let entryPoints = Kind(rawValue: "entryPoints")
        /// What comes out depends on the versions that the store was opened at on its way.
        package static let path = Kind(rawValue: "path")
        /// Opening a store that is up to date did something.
        package static let repetition = Kind(rawValue: "repetition")
        /// The ledger does not say that all migrations were applied.
        package static let ledger = Kind(rawValue: "ledger")
        /// There is no expected store.
        package static let missingGolden = Kind(rawValue: "missingGolden")
        /// The result is not the expected store.
        package static let golden = Kind(rawValue: "golden")
        /// A record is of a type that is not among those of the app.
        package static let unknownType = Kind(rawValue: "unknownType")
        /// A record cannot be read as today's type.
        package static let decoding = Kind(rawValue: "decoding")
        /// Files were written: what they hold was not checked.
        package static let recorded = Kind(rawValue: "recorded")
    }

    /// One thing that is wrong.
    package struct Failure: Hashable, Sendable, CustomStringConvertible {
        /// What kind of mistake it is.
        package var kind: Kind
        /// What it is about: a file, by its path in the catalog, or "registry" or "catalog".
        package var subject: String
        /// Where it shows: versions upgraded to, and entry points when it is not all; files; empty for everywhere.
        package var place: String
        /// What is wrong and what to do; it may have several lines.
        package var message: String

        /// Creates a failure.
        package init(kind: Kind, subject: String, place: String = "", message: String) {
            self.kind = kind
            self.subject = subject
            self.place = place
            self.message = message
        }

        /// The place and the message.
        package var description: String {
            place.isEmpty ? message : "\(place): \(message)"
        }
    }

    /// What is wrong, in the order in which it was found.
    package var failures: [Failure]
    /// What was run all the same.
    public var report: MatrixReport

    /// Creates a failure of the whole.
    package init(failures: [Failure], report: MatrixReport = MatrixReport()) {
        self.failures = failures
        self.report = report
    }
}

extension MatrixFailure: CustomStringConvertible, LocalizedError {
    /// Every failure, by what it is about.
    public var description: String {
        var lines = ["The matrix found \(failures.count == 1 ? "1 failure" : "\(failures.count) failures")."]
        var subjects: [String] = []
        for failure in failures where !subjects.contains(failure.subject) { subjects.append(failure.subject) }
        for subject in subjects {
            lines += ["", subject]
            for failure in failures where failure.subject == subject {
                let text = failure.description.split(separator: "\n", omittingEmptySubsequences: false)
                lines += text.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
            }
        }
        return lines.joined(separator: "\n")
    }

    /// As ``description``.
    public var errorDescription: String? { description }
}

/// What the matrix has run.
///
/// ```
/// 3 fixtures, 30 upgrades
/// fixture          records  to versions  entry points                            upgrades
/// ---------------  -------  -----------  --------------------------------------  --------
/// 0-everyday.json       12  1, 2         open, async open, in memory, migrator         20
/// ```
public struct MatrixReport: Sendable, CustomStringConvertible {
    /// What was run of one fixture.
    package struct Row: Hashable, Sendable {
        /// The fixture's file, or its name.
        package var fixture: String
        /// How many records it has.
        package var records: Int
        /// The versions that it was upgraded to.
        package var targets: [Int]
        /// The ways in which it was opened, beside the dry run.
        package var entryPoints: [EntryPoint]
        /// How many times a copy of it was opened to be upgraded, dry runs and repetitions included.
        package var upgrades: Int

        /// Creates a row.
        package init(fixture: String, records: Int, targets: [Int], entryPoints: [EntryPoint], upgrades: Int) {
            self.fixture = fixture
            self.records = records
            self.targets = targets
            self.entryPoints = entryPoints
            self.upgrades = upgrades
        }
    }

    /// The fixtures, in the order of their versions.
    package var rows: [Row]
    /// The files that were written, by their paths in the catalog.
    public package(set) var recorded: [String]

    /// Creates a report.
    package init(rows: [Row] = [], recorded: [String] = []) {
        self.rows = rows
        self.recorded = recorded
    }

    /// How many times a copy of a fixture was opened to be upgraded, dry runs and repetitions included.
    public var upgrades: Int {
        rows.reduce(0) { $0 + $1.upgrades }
    }

    /// A table of the fixtures.
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
        return headline + "\n" + TextTable(rows: [heading] + cells, leftAlignedColumns: [0, 2, 3]).description
    }
}
