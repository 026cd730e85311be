internal import MoltCore
internal import MoltDefaults

/// What tells two stores apart, by record and property: a small list to read, and not two dumps.
///
/// ```swift
/// let difference = StoreDifference(expected: expected, found: migrated.fixture)
/// print(difference)  // "john".address.city: expected "Paris", found "London"
/// ```
///
/// See ``StoreFixture/requireEqual(to:)`` for what is compared.
package struct StoreDifference: Hashable, Sendable {
    /// All that is different, a line each.
    package private(set) var lines: [String] = []

    /// Whether the two are equal.
    package var isEmpty: Bool { lines.isEmpty }

    /// What may be compared beside the rest.
    struct Aspects: OptionSet {
        let rawValue: Int

        /// What migrations declared when they were applied: an edit of the newest one need not change any result.
        static let fingerprints = Aspects(rawValue: 1)
        /// The order in which the records were added.
        static let order = Aspects(rawValue: 2)
        /// How many settings the ledger says that attached suites had.
        static let attachedCounts = Aspects(rawValue: 4)

        /// All of these.
        static let all: Aspects = [.fingerprints, .order, .attachedCounts]
    }

    /// Compares two stores.
    ///
    /// - Parameters:
    ///   - expected: The store as it should be.
    ///   - found: The store as it is.
    package init(expected: StoreFixture, found: StoreFixture) {
        self.init(expected: expected, found: found, aspects: [])
    }

    init(expected: StoreFixture, found: StoreFixture, aspects: Aspects) {
        if expected.primary != found.primary {
            add("the store", expected.primary.words, found.primary.words)
        }
        if expected.schemaVersion != found.schemaVersion {
            add("schema version", String(expected.schemaVersion), String(found.schemaVersion))
        }
        compareLedgers(expected.ledger, found.ledger, aspects)
        lines += RecordComparison(expected: expected, found: found, checksOrder: aspects.contains(.order)).lines
        // As in the files of fixtures; a description is another one in each process for a stand-in.
        for suite in Set(expected.suites.keys).union(found.suites.keys)
            .sorted(by: { ($0.attachedName, $0.description) < ($1.attachedName, $1.description) })
        {
            var comparison = SettingsComparison(suite)
            comparison.compare(expected.suites[suite] ?? [:], found.suites[suite] ?? [:])
            lines += comparison.lines
        }
    }

    private mutating func add(_ place: String, _ expected: String, _ found: String) {
        lines.append("\(place): expected \(expected), found \(found)")
    }

    private static func words(_ counts: [String: Int]) -> String {
        guard !counts.isEmpty else { return "none" }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) in \($0.key)" }.joined(separator: ", ")
    }

    private mutating func compareLedgers(_ expected: [LedgerEntry], _ found: [LedgerEntry], _ aspects: Aspects) {
        let expectedRows = Dictionary(expected.map { ($0.name, $0) }) { $1 }
        let foundRows = Dictionary(found.map { ($0.name, $0) }) { $1 }
        for row in expected {
            let place = "ledger: \(Shown.key(row.name))"
            guard let other = foundRows[row.name] else {
                lines.append("\(place) (version \(row.version)) is missing")
                continue
            }
            if row.version != other.version { add("\(place): version", String(row.version), String(other.version)) }
            if row.outcome != other.outcome {
                add("\(place): outcome", row.outcome.rawValue, other.outcome.rawValue)
            }
            if aspects.contains(.fingerprints), row.fingerprint != other.fingerprint {
                add("\(place): fingerprint", row.fingerprint ?? "none", other.fingerprint ?? "none")
            }
            if aspects.contains(.attachedCounts), row.attachedCounts != other.attachedCounts {
                add("\(place): settings in suites", Self.words(row.attachedCounts), Self.words(other.attachedCounts))
            }
        }
        let unexpected = found.filter { expectedRows[$0.name] == nil }
        for row in unexpected {
            lines.append("ledger: \(Shown.key(row.name)) (version \(row.version)) is unexpected")
        }
        let names = (expected.map(\.name), found.map(\.name))
        if unexpected.isEmpty, names.0.count == names.1.count, names.0 != names.1,
            expectedRows.keys == foundRows.keys
        {
            add("ledger: order", names.0.joined(separator: ", "), names.1.joined(separator: ", "))
        }
    }
}

extension StoreDifference: CustomStringConvertible {
    /// How many lines a description has at most, before it says how many more there are.
    static let shownLines = 20

    /// The first 20 lines, and how many more there are.
    package var description: String {
        guard !isEmpty else { return "no difference" }
        let rest = lines.count - Self.shownLines
        // One line more says as much as a line about it.
        guard rest > 1 else { return lines.joined(separator: "\n") }
        return (lines.prefix(Self.shownLines) + ["and \(rest) more"]).joined(separator: "\n")
    }
}

extension StoreFixture.Primary {
    /// In words.
    fileprivate var words: String {
        switch self {
        case .cache: "a cache"
        case .suite(let suite): "suite \(suite)"
        }
    }
}

extension StoreFixture {
    /// Throws unless the store equals another one.
    ///
    /// Compared are the schema version, the ledger by its migrations and their outcomes, the records by their keys, byte
    /// for byte, and the settings of each suite. The order of records does not matter, nor does what is different in
    /// every run: when a migration was applied, how long it took, what it counted, and the versions of the app and of
    /// Molt.
    ///
    /// ```swift
    /// try fixture.migrated(through: migrations).fixture.requireEqual(to: expected)
    /// ```
    ///
    /// - Throws: ``TestingError`` with the code `different` and a message that lists what is different.
    public func requireEqual(to expected: StoreFixture) throws {
        let difference = StoreDifference(expected: expected, found: self)
        guard !difference.isEmpty else { return }
        throw TestingError(.different, "The store is not as expected:\n\(difference)")
    }
}
