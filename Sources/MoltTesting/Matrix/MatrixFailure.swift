public import Foundation

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
public struct MatrixFailure: Error, Hashable, Sendable {
    /// What kind of mistake was found; new ones may be added, so switch over them with a `default`.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The kind's stable text.
        public let rawValue: String

        /// The kind's stable text.
        public var description: String { rawValue }

        /// Creates a kind from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The registry contradicts itself; nothing was upgraded.
        public static let registry = Kind(rawValue: "registry")
        /// A file of the catalog cannot be read, has a name that says nothing, or is compared with nothing.
        public static let catalog = Kind(rawValue: "catalog")
        /// A fixture is not the one that its expected stores were made from.
        public static let changed = Kind(rawValue: "changed")
        /// There is no fixture of a version.
        public static let missingFixture = Kind(rawValue: "missingFixture")
        /// A migration is not any more what it was when it shipped.
        public static let edited = Kind(rawValue: "edited")
        /// An upgrade threw.
        public static let upgrade = Kind(rawValue: "upgrade")
        /// A dry run changed something, or said something else than the upgrade did.
        public static let dryRun = Kind(rawValue: "dryRun")
        /// Two ways to open a store make different stores of one.
        public static let entryPoints = Kind(rawValue: "entryPoints")
        /// What comes out depends on the versions that the store was opened at on its way.
        public static let path = Kind(rawValue: "path")
        /// Opening a store that is up to date did something.
        public static let repetition = Kind(rawValue: "repetition")
        /// The ledger does not say that all migrations were applied.
        public static let ledger = Kind(rawValue: "ledger")
        /// There is no expected store.
        public static let missingGolden = Kind(rawValue: "missingGolden")
        /// The result is not the expected store.
        public static let golden = Kind(rawValue: "golden")
        /// A record is of a type that is not among those of the app.
        public static let unknownType = Kind(rawValue: "unknownType")
        /// A record cannot be read as today's type.
        public static let decoding = Kind(rawValue: "decoding")
        /// Files were written: what they hold was not checked.
        public static let recorded = Kind(rawValue: "recorded")
    }

    /// One thing that is wrong.
    public struct Failure: Hashable, Sendable, CustomStringConvertible {
        /// What kind of mistake it is.
        public var kind: Kind
        /// What it is about: a file, by its path in the catalog, or "registry" or "catalog".
        public var subject: String
        /// Where it shows: versions upgraded to, and entry points when it is not all; files; empty for everywhere.
        public var place: String
        /// What is wrong and what to do; it may have several lines.
        public var message: String

        /// Creates a failure.
        public init(kind: Kind, subject: String, place: String = "", message: String) {
            self.kind = kind
            self.subject = subject
            self.place = place
            self.message = message
        }

        /// The place and the message.
        public var description: String {
            place.isEmpty ? message : "\(place): \(message)"
        }
    }

    /// What is wrong, in the order in which it was found.
    public var failures: [Failure]
    /// What was run all the same.
    public var report: MatrixReport

    /// Creates a failure of the whole.
    public init(failures: [Failure], report: MatrixReport = MatrixReport()) {
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
