internal import Molt

/// The differences between two stores, as a short list by record and property.
///
/// ```swift
/// let difference = StoreDifference(expected: expected, found: migrated.fixture)
/// print(difference)  // "john".address.city: expected "Paris", found "London"
/// ```
///
/// See ``StoreFixture/requireEqual(to:)`` for the parts that are compared.
package struct StoreDifference: Hashable, Sendable {
    /// The differences, one per line.
    package private(set) var lines: [String] = []

    package var isEmpty: Bool { lines.isEmpty }

    /// Parts that are compared only on request.
    struct Aspects: OptionSet {
        let rawValue: Int

        /// The fingerprints of applied migrations; an edit of the newest migration need not change any result.
        static let fingerprints = Aspects(rawValue: 1)
        static let order = Aspects(rawValue: 2)
        /// The ledger's numbers of settings in attached suites.
        static let attachedCounts = Aspects(rawValue: 4)

        static let all: Aspects = [.fingerprints, .order, .attachedCounts]
    }

    package init(expected: StoreFixture, found: StoreFixture) {
        self.init(expected: expected, found: found, aspects: [])
    }

    /// The differences of records and settings alone, in whatever order the properties of records are, and at whichever
    /// version they were written.
    init(ofDataIn expected: StoreFixture, _ found: StoreFixture) {
        lines = RecordComparison(expected: expected, found: found, checksDataAlone: true).lines
        compareSuites(expected, found)
    }

    /// - Parameter migrations: The registry, by which a replacement's row equals those of what it replaces.
    init(expected: StoreFixture, found: StoreFixture, aspects: Aspects, migrations: MigrationRegistry? = nil) {
        if expected.primary != found.primary {
            add("the store", expected.primary.summary, found.primary.summary)
        }
        if expected.version != found.version {
            add("schema version", String(expected.version), String(found.version))
        }
        let replacements = Replacements(migrations)
        compareLedgers(expected.ledger, found.ledger, aspects, replacements)
        lines +=
            RecordComparison(
                expected: expected,
                found: found,
                checksOrder: aspects.contains(.order),
                sameVersions: replacements.versions
            )
            .lines
        compareSuites(expected, found)
    }

    private mutating func compareSuites(_ expected: StoreFixture, _ found: StoreFixture) {
        // As in fixture files; a stand-in's description differs in each process.
        for suite in Set(expected.suites.keys).union(found.suites.keys)
            .sorted(by: { ($0.attachedName, $0.description) < ($1.attachedName, $1.description) })
        {
            compareSettings(expected.suites[suite] ?? [:], found.suites[suite] ?? [:], of: suite)
        }
    }

    /// Compares settings in the form that they have in fixture files.
    private mutating func compareSettings(
        _ expected: [String: PropertyListValue],
        _ found: [String: PropertyListValue],
        of suite: Suite
    ) {
        for key in Set(expected.keys).union(found.keys).sorted() where expected[key] != found[key] {
            let location = "suite \(suite), \(Shown.key(key))"
            switch (expected[key]?.json.text.utf8, found[key]?.json.text.utf8) {
            case (let expected?, let found?):
                lines += ContentComparison(Array(expected), Array(found), at: location).differences.map(\.line)
            case (let expected?, nil): lines.append("\(location): missing, expected \(Shown.json(expected))")
            case (nil, let found?): lines.append("\(location): unexpected, found \(Shown.json(found))")
            case (nil, nil): break
            }
        }
    }

    private mutating func add(_ location: String, _ expected: String, _ found: String) {
        lines.append("\(location): expected \(expected), found \(found)")
    }

    private static func summary(_ counts: [String: Int]) -> String {
        guard !counts.isEmpty else { return "none" }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) in \($0.key)" }.joined(separator: ", ")
    }

    private mutating func compareLedgers(
        _ expected: [LedgerEntry],
        _ found: [LedgerEntry],
        _ aspects: Aspects,
        _ replacements: Replacements
    ) {
        let expectedRows = Dictionary(expected.map { ($0.name, $0) }) { $1 }
        let foundRows = Dictionary(found.map { ($0.name, $0) }) { $1 }
        let accounted = (replacements.accounted(by: expected), replacements.accounted(by: found))
        for row in expected {
            let location = "ledger: \(Shown.key(row.name))"
            guard let other = foundRows[row.name] else {
                if row.outcome.isApplied, accounted.1.contains(row.name) { continue }
                lines.append("\(location) (version \(row.version)) is missing")
                continue
            }
            // The way that the store has taken says nothing about what it holds.
            if replacements.names.contains(row.name), row.outcome.isApplied, other.outcome.isApplied { continue }
            if row.version != other.version { add("\(location): version", String(row.version), String(other.version)) }
            if row.outcome != other.outcome {
                add("\(location): outcome", row.outcome.rawValue, other.outcome.rawValue)
            }
            if aspects.contains(.fingerprints), row.fingerprint != other.fingerprint {
                add("\(location): fingerprint", row.fingerprint ?? "none", other.fingerprint ?? "none")
            }
            if aspects.contains(.attachedCounts), row.attachedCounts != other.attachedCounts {
                add(
                    "\(location): settings in suites",
                    Self.summary(row.attachedCounts),
                    Self.summary(other.attachedCounts)
                )
            }
        }
        let unexpected = found.filter {
            expectedRows[$0.name] == nil && !($0.outcome.isApplied && accounted.0.contains($0.name))
        }
        for row in unexpected {
            lines.append("ledger: \(Shown.key(row.name)) (version \(row.version)) is unexpected")
        }
        func ordered(_ rows: [LedgerEntry]) -> [String] {
            rows.map(\.name).filter { !replacements.names.contains($0) }
        }
        let names = (ordered(expected), ordered(found))
        if unexpected.isEmpty, names.0 != names.1, names.0.sorted() == names.1.sorted() {
            add("ledger: order", names.0.joined(separator: ", "), names.1.joined(separator: ", "))
        }
    }
}

/// The migrations of a registry that replace others, and those that are replaced.
private struct Replacements {
    private let allReplaced: [String: Set<String>]
    let names: Set<String>
    /// For each replacement, the versions that it and what it replaces bring records to.
    let versions: [ClosedRange<Int>]

    init(_ migrations: MigrationRegistry?) {
        let allReplaced = migrations?.allReplaced ?? [:]
        self.allReplaced = allReplaced
        names = Set(allReplaced.keys).union(allReplaced.values.joined())
        let all = migrations?.migrations ?? []
        versions = all.indices.compactMap { index in
            guard let replaced = allReplaced[all[index].name] else { return nil }
            let parts = all.filter { replaced.contains($0.name) }.map(\.version)
            // Without those that it replaces, the versions begin after the migration before it.
            let first = parts.min() ?? (index > 0 ? all[index - 1].version + 1 : 1)
            return min(first, all[index].version)...all[index].version
        }
    }

    /// The names of the migrations for which the applied rows of a ledger stand, of those that are in a replacement.
    func accounted(by ledger: [LedgerEntry]) -> Set<String> {
        let applied = Set(ledger.filter(\.outcome.isApplied).map(\.name)).intersection(names)
        let parts = applied.reduce(into: applied) { $0.formUnion(allReplaced[$1] ?? []) }
        return parts.union(
            allReplaced.filter { $1.isSubset(of: parts.union(allReplaced.keys)) && !$1.isDisjoint(with: parts) }.keys
        )
    }
}

extension StoreDifference: CustomStringConvertible {
    /// The maximum number of lines in a description.
    static let shownLines = 20

    package var description: String {
        guard !isEmpty else { return "no difference" }
        let rest = lines.count - Self.shownLines
        // A single further line is shown itself.
        guard rest > 1 else { return lines.joined(separator: "\n") }
        return (lines.prefix(Self.shownLines) + ["and \(rest) more"]).joined(separator: "\n")
    }
}

extension StoreFixture.Primary {
    fileprivate var summary: String {
        switch self {
        case .cache: "a cache"
        case .suite(let suite): "suite \(suite)"
        }
    }
}

extension StoreFixture {
    /// Throws unless the store equals another one.
    ///
    /// It compares the schema version, the ledger's migrations and outcomes, the records byte for byte, and the
    /// settings of each suite. It ignores the order of records, and values that differ in every run: times, durations
    /// and counts of migrations, and the versions of the app and of Molt.
    ///
    /// ```swift
    /// try fixture.migrated(through: migrations).fixture.requireEqual(to: expected)
    /// ```
    ///
    /// - Throws: ``TestingError`` with a message that lists the differences.
    public func requireEqual(to expected: StoreFixture) throws {
        let difference = StoreDifference(expected: expected, found: self)
        guard !difference.isEmpty else { return }
        throw TestingError(.different, "The store is not as expected:\n\(difference)")
    }
}
