internal import Foundation
internal import Molt

/// What releases of older versions would meet in upgraded fixtures whose migrations declare that those can read them.
struct OlderReleases {
    /// The shapes of types by version and name; those of some versions may be unknown.
    private let shapes: [Int: [String: TypeShape]]
    private let seals: SealsFile
    private var failures = FailureList()
    private var findings = FalseDeclarations()

    private typealias Finding = FalseDeclarations.Finding
    private typealias Problem = FalseDeclarations.Problem

    /// - Parameters:
    ///   - shapes: The shapes of the app's types by version and name, as far as they are known.
    ///   - seals: The sealed versions, which tell which migrations their releases had.
    init(_ shapes: [Int: [String: TypeShape]], _ seals: SealsFile = SealsFile()) {
        self.shapes = shapes
        self.seals = seals
    }

    /// The failures of all fixtures, by migration.
    func failures(of migrations: MigrationRegistry) -> FailureList {
        var list = failures
        list.add(findings.failures(of: migrations))
        return list
    }

    // MARK: Fixtures

    /// Checks a fixture at each version as the releases would see it that migrations to that version declare as able to
    /// read it.
    mutating func check(_ upgrades: FixtureUpgrades) throws {
        let fixture = upgrades.fixture
        // A release before a shortcut has the migrations that it replaces, and knows all that it does.
        let migrations = upgrades.migrations.withoutShortcuts
        // A suite has no records.
        guard fixture.primary == .cache, upgrades.results[upgrades.migrations.version] != nil else { return }
        let own = [migrations.oldestSupportedVersion, fixture.version]
        let versions = Set(own + upgrades.migrations.migrations.map(\.version)).sorted()
        for older in versions.dropLast() {
            try Task.checkCancellation()
            var reported: Set<Finding> = []
            var newest: StoreFixture?
            var (last, all) = (older, [Migration]())
            for version in versions where version > older {
                let passed = migrations.migrations.filter { last < $0.version && $0.version <= version }
                guard passed.allSatisfy({ $0.olderReleases >= .read }) else { break }
                guard !passed.isEmpty, let store = upgrades.store(at: version) else { continue }
                (newest, last, all) = (store, version, all + passed)
                var found: [Finding: [String]] = [:]
                let now = upgrades.configuration.now()
                let before = upgrades.store(at: older)?.withoutExpired(by: now)
                read(store.withoutExpired(by: now), before: before, older, migrations) { type, problem, key in
                    let finding = Finding(passed, type, problem)
                    // Otherwise an earlier migration has caused it.
                    if !reported.contains(where: finding.isAboutProperty) {
                        found[finding, default: []].append(Shown.key(key))
                    }
                }
                findings.add(found, older, upgrades.name)
                reported.formUnion(found.keys)
            }
            if let newest { open(newest, upgrades, older, passed: all) }
        }
        // A release of this version may not have its shortcuts yet.
        let hasShortcuts = migrations.migrations.count < upgrades.migrations.migrations.count
        if hasShortcuts, let store = upgrades.results[upgrades.migrations.version] {
            open(store, upgrades, migrations.version, passed: [])
        }
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
        let releaseShapes = shapes[version]
        // The release does not read types of which it has no shape.
        func isRead(_ type: String) -> Bool { releaseShapes.map { $0[type] != nil } ?? true }
        let former = before?.recordsByKey ?? [:]
        for record in store.records where isRead(record.typeName) {
            let other = former[Array(record.key.utf8)]
            let reading = OlderReading(
                record.content,
                before: other.flatMap { ExactName.isSame($0.typeName, record.typeName) ? $0.content : nil },
                shape: releaseShapes?[record.typeName],
                coding: coding
            )
            for problem in reading.problems { add(record.typeName, .reading(problem), record.key) }
        }
        let found = store.recordsByKey
        for record in before?.records ?? [] where isRead(record.typeName) {
            guard let other = found[Array(record.key.utf8)] else {
                add(record.typeName, .missing, record.key)
                continue
            }
            if !ExactName.isSame(other.typeName, record.typeName) {
                add(record.typeName, .renamed(other.typeName), record.key)
            }
        }
    }

    /// Opens a store with the registry of an older version, lists its records, and writes to them if the release may.
    ///
    /// - Parameter passed: The migrations since that version.
    private mutating func open(
        _ store: StoreFixture,
        _ upgrades: FixtureUpgrades,
        _ version: Int,
        passed: [Migration]
    ) {
        do {
            let copy = try TemporaryStore(store.declaring(what: upgrades.migrations))
            let configuration = upgrades.configuration
            let older = upgrades.migrations.ofRelease(version, seals)
            let mayWrite = passed.allSatisfy { $0.olderReleases == .write }
            let cache = try copy.open(older, configuration, mode: mayWrite ? .opening : .reading)
            defer { cache.close() }
            let live = store.withoutExpired(by: upgrades.configuration.now()).records
            guard try cache.count() == live.count,
                try live.allSatisfy({ try cache.typeName(forKey: $0.key) == $0.typeName })
            else { throw TestingError(.unsuitable, "It lists other records than the store has.") }
            // What a release of the same version writes is no different from what this one does.
            guard !passed.isEmpty, !cache.isReadOnly, let releaseShapes = shapes[version] else { return }
            // No other record has such a key.
            var prefix = "copy of "
            while store.records.contains(where: { $0.key.hasPrefix(prefix) }) { prefix += prefix }
            cache.close()
            var written: [StoreFixture.Record] = []
            for (type, shape) in releaseShapes.sorted(by: { $0.key < $1.key }) {
                let records = live.filter { ExactName.isSame($0.typeName, type) }
                guard !records.isEmpty else { continue }
                // A cache knows a type by one name, and all types of the release are the same one here.
                let cache = try copy.open(migrations: older, configuration: configuration)
                defer { cache.close() }
                for record in records {
                    guard let value = OlderValue(record, shape, older.coding) else { continue }
                    try value.set(in: cache, forKey: prefix + record.key)
                    try value.set(in: cache, forKey: record.key)
                    try value.withChangedElements.set(in: cache, forKey: record.key)
                    written.append(record)
                }
            }
            try read(written, prefix, in: copy, upgrades, version, passed)
        } catch {
            failures.add(
                .olderRelease,
                upgrades.name,
                "a release of version \(version) cannot use the store at version \(store.version), although "
                    + (passed.isEmpty
                        ? "it has all that later replacements replace" : "all later migrations declare that it can")
                    + ": \(UpgradeText.of(error))"
            )
        }
    }

    /// Reads the records to which an older release has written, and copies of them that it has added.
    ///
    /// - Parameter prefix: The beginning of the keys of the copies.
    private mutating func read(
        _ records: [StoreFixture.Record],
        _ prefix: String,
        in copy: TemporaryStore,
        _ upgrades: FixtureUpgrades,
        _ version: Int,
        _ passed: [Migration]
    ) throws {
        var found: [Finding: [String]] = [:]
        func add(_ problem: Problem, _ record: StoreFixture.Record) {
            let finding = Finding(passed, record.typeName, problem)
            found[finding, default: []].append(Shown.key(record.key))
        }
        let written = try copy.contents().recordsByKey
        for record in records {
            guard let content = written[Array(record.key.utf8)]?.content else { continue }
            let reading = OlderReading(content, before: record.content, shape: nil, coding: .standard)
            for problem in reading.problems where problem.kind == .lost { add(.overwriting(problem.property), record) }
        }
        _ = try copy.upgradeNow(through: upgrades.migrations, by: .open, configuration: upgrades.configuration)
        let upgraded = try copy.contents().recordsByKey
        let types = Dictionary(upgrades.types.map { ($0.name, $0) }) { $1 }
        for record in records {
            guard let added = upgraded[Array((prefix + record.key).utf8)],
                let problem = types[added.typeName]?.problem(added.content, upgrades.migrations.coding)
            else { continue }
            add(.adding(problem), record)
        }
        findings.add(found, version, upgrades.name)
    }
}

extension MigrationRegistry {
    /// The registry that the release of a version had.
    ///
    /// A migration that has left the code since stands in it without its steps: the release reads what the migration
    /// has written, and does not run it again.
    fileprivate func ofRelease(_ version: Int, _ seals: SealsFile) -> MigrationRegistry {
        let today = withoutShortcuts.upTo(version: version)
        guard seals.versions[version] != nil else { return today }
        let ledger = seals.ledger(of: version)
        let own = Dictionary(migrations.map { ($0.name, $0) }) { first, _ in first }
        var names: Set<String> = []
        let all = ledger.filter { names.insert($0.name).inserted }.map { entry in
            own[entry.name]
                ?? Migration(to: entry.version, entry.name, replacing: entry.replaces, steps: [])
                .olderReleases(may: entry.olderReleases)
        }
        // The release still had what has been retired since.
        var registry = today.without(Set(today.names)).oldestVersion(0)
        for migration in all.enumerated().sorted(by: {
            ($0.element.version, $0.offset) < ($1.element.version, $1.offset)
        }) {
            registry.register(migration.element)
        }
        return registry
    }
}

extension StoreFixture {
    /// The store after upgrades in which the migrations declared what they declare today.
    fileprivate func declaring(what migrations: MigrationRegistry) -> StoreFixture {
        var fixture = self
        let replacedByShortcuts = migrations.replacedByShortcuts
        for migration in migrations.migrations {
            let isShortcut = replacedByShortcuts[migration.name] != nil
            let names = isShortcut ? [migration.name] : [migration.name] + migration.replaces
            for index in ledger.indices where names.contains(ledger[index].name) {
                fixture.ledger[index].olderReleases = migration.olderReleases
                guard ledger[index].name == migration.name else { continue }
                fixture.ledger[index].replacedKinds = migrations.replacedKinds(by: migration)
            }
        }
        return fixture
    }
}
