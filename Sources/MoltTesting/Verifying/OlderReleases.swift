internal import Foundation
internal import Molt

/// What releases of older versions would meet in upgraded fixtures whose migrations declare that those can read them.
struct OlderReleases {
    /// The shapes of types by version and name; those of some versions may be unknown.
    private let shapes: [Int: [String: TypeShape]]
    private var failures = FailureList()
    private var findings: [Finding: Occurrences] = [:]

    /// A reason why the declaration of some migrations is false.
    private struct Finding: Hashable {
        /// The migrations, one of which has caused it.
        var migrations: [Migration.Claim]
        var type: String
        var problem: Problem

        /// Whether another finding is about the same place.
        func isAboutPlace(of other: Finding) -> Bool {
            type == other.type && problem.property == other.problem.property
        }

        /// Whether another one is the same with fewer migrations.
        func isVaguer(than other: Finding) -> Bool {
            type == other.type && problem == other.problem && migrations.count > other.migrations.count
                && Set(migrations).isSuperset(of: other.migrations)
        }
    }

    private enum Problem: Hashable {
        /// The records are gone.
        case gone
        /// The records have another type name.
        case renamed(String)
        case reading(OlderReading.Problem)

        /// The path to the property; nil for a problem with the record itself.
        var property: String? {
            if case .reading(let problem) = self { problem.property } else { nil }
        }
    }

    private struct Occurrences {
        /// The versions of the older releases.
        var versions: Set<Int> = []
        /// Fixtures with keys of some records, in the order in which they were found.
        var places: [String] = []
    }

    /// - Parameter schema: The file of the app's ``SchemaSnapshot``; nil if it has none.
    /// - Throws: ``TestingError`` if there is such a file, and it cannot be read.
    init(_ migrations: MigrationRegistry, schema: URL?) throws {
        shapes = try schema.map { try SchemaHistory(at: $0).versions } ?? [:]
        if let schema, shapes.isEmpty, migrations.migrations.contains(where: \.isReadableByOlderReleases) {
            failures.add(
                .olderRelease,
                "catalog",
                "There are no shapes of older releases at \(schema.path). Record them with `SchemaSnapshot.verify(at:)`, or "
                    + "correct the path."
            )
        }
    }

    // MARK: Fixtures

    /// Checks a fixture at each version as the releases would see it that migrations to that version declare as able to
    /// read it.
    mutating func check(_ upgrades: FixtureUpgrades) throws {
        let (fixture, migrations) = (upgrades.fixture, upgrades.migrations)
        // Whether a suite alone is read does not depend on the declaration.
        guard fixture.primary == .cache, upgrades.results[migrations.version] != nil else { return }
        let own = [migrations.oldestSupportedVersion, fixture.schemaVersion]
        let versions = Set(own + migrations.migrations.map(\.version)).sorted()
        for older in versions.dropLast() where older >= migrations.oldestSupportedVersion {
            try Task.checkCancellation()
            var known: Set<Finding> = []
            var newest: StoreFixture?
            var last = older
            for version in versions where version > older {
                let passed = migrations.migrations.filter { last < $0.version && $0.version <= version }
                guard passed.allSatisfy(\.isReadableByOlderReleases) else { break }
                guard !passed.isEmpty, let store = upgrades.store(at: version) else { continue }
                (newest, last) = (store, version)
                var found: [Finding: [String]] = [:]
                read(store, before: upgrades.store(at: older), older, migrations) { type, problem, key in
                    let finding = Finding(migrations: passed.map(\.claim), type: type, problem: problem)
                    // Otherwise an earlier migration has caused it.
                    if !known.contains(where: finding.isAboutPlace) {
                        found[finding, default: []].append(Shown.key(key))
                    }
                }
                for (finding, keys) in found { add(finding, older, "\(upgrades.name), \(Shown.some(keys))") }
                known.formUnion(found.keys)
            }
            if let newest { open(newest, upgrades, older) }
        }
    }

    private mutating func add(_ finding: Finding, _ version: Int, _ place: String) {
        findings[finding, default: Occurrences()].versions.insert(version)
        if findings[finding]?.places.contains(place) == false { findings[finding]?.places.append(place) }
    }

    /// Compares a store with what a release of an older version has in it, and with the shapes that the release knows.
    ///
    /// - Parameter before: The store at that version; nil if it was never there.
    private func read(
        _ store: StoreFixture,
        before: StoreFixture?,
        _ version: Int,
        _ migrations: MigrationRegistry,
        _ add: (_ type: String, Problem, _ key: String) -> Void
    ) {
        let coding = migrations.upTo(version: version).coding
        let known = shapes[version]
        // The release does not read types of which it has no shape.
        func isRead(_ type: String) -> Bool { known.map { $0[type] != nil } ?? true }
        let former = before?.recordsByKey ?? [:]
        for record in store.records where isRead(record.typeName) {
            let other = former[Array(record.key.utf8)]
            let reading = OlderReading(
                record.content,
                before: other.flatMap { ExactName.isSame($0.typeName, record.typeName) ? $0.content : nil },
                shape: known?[record.typeName],
                coding: coding
            )
            for problem in reading.problems { add(record.typeName, .reading(problem), record.key) }
        }
        let found = store.recordsByKey
        for record in before?.records ?? [] where isRead(record.typeName) {
            guard let other = found[Array(record.key.utf8)] else {
                add(record.typeName, .gone, record.key)
                continue
            }
            if !ExactName.isSame(other.typeName, record.typeName) {
                add(record.typeName, .renamed(other.typeName), record.key)
            }
        }
    }

    /// Opens a store with the registry of an older version, and lists its records.
    private mutating func open(_ store: StoreFixture, _ upgrades: FixtureUpgrades, _ version: Int) {
        do {
            let copy = try TemporaryStore(store.declaring(what: upgrades.migrations))
            var configuration = upgrades.configuration
            configuration.readsNewerStores = true
            let cache = try copy.open(
                migrations: upgrades.migrations.upTo(version: version),
                configuration: configuration
            )
            defer { cache.close() }
            let live = store.records.filter { $0.expiration.map { $0 > Date() } ?? true }
            guard try cache.count() == live.count,
                try live.allSatisfy({ try cache.typeName(forKey: $0.key) == $0.typeName })
            else { throw TestingError(.unsuitable, "It lists other records than the store has.") }
        } catch {
            failures.add(
                .olderRelease,
                upgrades.name,
                "a release of version \(version) cannot read the store at version \(store.schemaVersion), although all "
                    + "later migrations declare that it can: \(UpgradeText.of(error))"
            )
        }
    }

    // MARK: Failures

    /// The failures of all fixtures, by migration.
    func failures(of migrations: MigrationRegistry) -> FailureList {
        var list = failures
        let order = Dictionary(migrations.migrations.enumerated().map { ($1.claim, $0) }) { first, _ in first }
        let clearest = findings.filter { finding, _ in !findings.keys.contains { finding.isVaguer(than: $0) } }
        let texts = clearest.map { finding, occurrences in
            let position = finding.migrations.first.flatMap { order[$0] } ?? 0
            return (position, Self.text(finding, occurrences.versions.sorted()), occurrences.places)
        }
        for (_, text, places) in texts.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }) {
            for place in places { list.add(.olderRelease, "registry", text, at: .summary(place)) }
        }
        return list
    }

    private static func text(_ finding: Finding, _ versions: [Int]) -> String {
        let names = finding.migrations.map(\.id.description).joined(separator: ", ")
        let declarations = Set(finding.migrations.map(\.declaration)).sorted().joined(separator: " or ")
        let claim =
            finding.migrations.count == 1
            ? "migration \(names) declares \(declarations)" : "one of the migrations \(names) declares \(declarations)"
        let numbers = versions.map(String.init).joined(separator: ", ")
        let release = versions.count == 1 ? "a release of version \(numbers)" : "releases of versions \(numbers)"
        return "\(claim), but \(release) \(Self.text(finding.problem, of: finding.type)), or remove the declaration."
    }

    /// What a release would meet, and what to keep.
    private static func text(_ problem: Problem, of type: String) -> String {
        switch problem {
        case .gone: return "would not find the records of type \(type). Keep the records"
        case .renamed(let name):
            return "would not find the records of type \(type), which have the type \(name). Keep the name"
        case .reading(let problem):
            let property = problem.property
            let place = property.isEmpty || property.hasPrefix("[]") ? type + property : "\(type).\(property)"
            switch problem.kind {
            case .missing: return "could not read \(type), because \(place) is missing. Keep the property"
            case .lost: return "would not find \(place), which the records had. Keep the property"
            case .form(let expected, let found):
                return "could not read \(place): it expects \(expected), and finds \(found). Keep the form"
            case .unknownCase(let name):
                return "could not read \(place): it does not know the case \"\(Shown.text(name))\". Keep the old cases"
            }
        }
    }
}

extension Migration {
    /// What a migration declares about older releases.
    fileprivate struct Claim: Hashable {
        var id: MigrationID
        var declaration: String
    }

    fileprivate var claim: Claim {
        Claim(
            id: id,
            declaration: isWritableByOlderReleases ? "writableByOlderReleases()" : "readableByOlderReleases()"
        )
    }
}

extension StoreFixture {
    /// The store after upgrades in which the migrations declared what they declare today.
    fileprivate func declaring(what migrations: MigrationRegistry) -> StoreFixture {
        var fixture = self
        for migration in migrations.migrations {
            for index in ledger.indices where ([migration.name] + migration.replaces).contains(ledger[index].name) {
                fixture.ledger[index].isReadableByOlderReleases = migration.isReadableByOlderReleases
                fixture.ledger[index].isWritableByOlderReleases = migration.isWritableByOlderReleases
            }
        }
        return fixture
    }
}
