public import Foundation
public import MoltCache
public import MoltCore
public import MoltDefaults
internal import Synchronization

/// A copy of a fixture on disk, to open and upgrade as an app would; it is removed when nobody uses it any more.
///
/// Suites are copied, too, into suites of new names, which take the places of those that the fixture and the registry
/// name: the app's own settings are neither read nor changed.
public final class TemporaryStore: Sendable {
    /// The cache file; there is none yet when the fixture is a suite alone.
    public let url: URL
    /// What was copied.
    public let fixture: StoreFixture
    let directory: URL
    /// Whether files and suites are removed with this object; those of another process are not.
    private let isOwner: Bool
    private let state = Mutex(State())

    private struct State {
        /// The suites that take the places of others, by the name that steps know those by.
        var standIns: [String: (original: Suite, standIn: Suite)] = [:]
        /// What the store for ``EntryPoint/inMemory`` holds between two upgrades.
        var memory: StoreContents?
    }

    /// Copies a fixture.
    public convenience init(_ fixture: StoreFixture) throws {
        try self.init(fixture, pageSize: nil)
    }

    /// Copies a fixture.
    ///
    /// - Parameter pageSize: How large the pages of the file are, in bytes; nil for what a cache has.
    init(_ fixture: StoreFixture, pageSize: Int?) throws {
        self.fixture = fixture
        isOwner = true
        directory = FileManager.default.temporaryDirectory
            .appending(path: "molt-testing-\(UUID().uuidString)", directoryHint: .isDirectory)
        url = directory.appending(path: "store.molt", directoryHint: .notDirectory)
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        switch fixture.primary {
        case .cache:
            let store = CacheStore(at: url)
            if let pageSize { store.pageSize = pageSize }
            store.isDurable = false
            defer { store.close() }
            try fixture.contents.write(to: store)
        case .suite(let suite):
            try standIn(for: suite).fill([:], state: fixture.contents)
        }
        for (suite, values) in fixture.suites { try standIn(for: suite).fill(values) }
    }

    /// Works on the copy of another process.
    init(at directory: URL, primary: StoreFixture.Primary, standIns: [(original: Suite, name: String)]) {
        self.directory = directory
        fixture = StoreFixture(primary: primary, schemaVersion: 0)
        isOwner = false
        url = directory.appending(path: "store.molt", directoryHint: .notDirectory)
        state.withLock { state in
            for (original, name) in standIns {
                state.standIns[original.attachedName] = (original, original.standIn(named: name))
            }
        }
    }

    deinit {
        guard isOwner else { return }
        let standIns = state.withLock { $0.standIns.values.map(\.standIn) }
        for suite in standIns { suite.erase() }
        try? FileManager.default.removeItem(at: directory)
    }

    /// The suite that holds the settings of another one in this copy; an empty one when the fixture has none of it.
    public func standIn(for suite: Suite) -> Suite {
        state.withLock { state in
            if let known = state.standIns[suite.attachedName] { return known.standIn }
            let standIn = suite.standIn(named: "molt-testing.\(UUID().uuidString)")
            state.standIns[suite.attachedName] = (suite, standIn)
            return standIn
        }
    }

    /// All suites that take the places of others.
    var allStandIns: [(original: Suite, standIn: Suite)] {
        state.withLock { Array($0.standIns.values) }
    }

    // MARK: Opening

    /// Opens the copy as the app would open its file.
    public func open(
        migrations: MigrationRegistry,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) throws -> CodableCache {
        try CodableCache(at: url, migrations: migrations, configuration: redirected(configuration, migrations))
    }

    /// Upgrades the copy, and closes it.
    @discardableResult
    public func upgrade(
        through migrations: MigrationRegistry,
        by entry: EntryPoint,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> MigrationReport {
        switch entry {
        case .asyncOpen:
            let configuration = redirected(configuration, migrations)
            let cache = try await CodableCache.open(at: url, migrations: migrations, configuration: configuration)
            cache.close()
            return cache.report
        case .asyncSuite:
            let configuration = redirected(configuration, migrations)
            return try await primarySuite().upgrade(
                with: migrations,
                attaching: configuration.attached,
                options: configuration.migrationOptions
            )
        default:
            return try upgradeNow(through: migrations, by: entry, configuration: configuration)
        }
    }

    /// Upgrades the copy in a way that does not suspend, and closes it.
    func upgradeNow(
        through migrations: MigrationRegistry,
        by entry: EntryPoint,
        configuration: CodableCache.Configuration
    ) throws -> MigrationReport {
        let configuration = redirected(configuration, migrations)
        switch entry {
        case .open, .asyncOpen:
            let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
            cache.close()
            return cache.report
        case .migrator:
            let store = CacheStore(at: url, coding: configuration.coding, attachments: configuration.attached)
            store.pageLimit = configuration.pageLimit
            store.isDurable = configuration.isDurable
            defer { store.close() }
            return try Migrator(migrations, options: configuration.migrationOptions).migrate(store)
        case .inMemory:
            return try upgradeInMemory(through: migrations, configuration)
        case .suite, .asyncSuite:
            return try primarySuite().upgrade(
                with: migrations,
                attaching: configuration.attached,
                options: configuration.migrationOptions
            )
        }
    }

    /// Runs an upgrade and writes nothing.
    public func dryRun(
        of migrations: MigrationRegistry,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) throws -> MigrationReport {
        let configuration = redirected(configuration, migrations)
        switch fixture.primary {
        case .cache:
            return try CodableCache.dryRun(at: url, migrations: migrations, configuration: configuration)
        case .suite:
            return try primarySuite().dryRun(
                of: migrations,
                attaching: configuration.attached,
                options: configuration.migrationOptions
            )
        }
    }

    private func upgradeInMemory(
        through migrations: MigrationRegistry,
        _ configuration: CodableCache.Configuration
    ) throws -> MigrationReport {
        let contents = state.withLock { $0.memory } ?? fixture.contents
        let store = CacheStore(inMemory: configuration.coding, attachments: configuration.attached)
        try contents.write(to: store)
        defer { store.close() }
        let report = try Migrator(migrations, options: configuration.migrationOptions).migrate(store)
        let upgraded = try store.contents()
        state.withLock { $0.memory = upgraded }
        return report
    }

    // MARK: What it holds

    /// What the copy holds now.
    ///
    /// - Parameter entry: The way that it was upgraded: a store in memory is another one than the file.
    public func contents(after entry: EntryPoint = .open) throws -> StoreFixture {
        var found = StoreFixture(primary: fixture.primary, schemaVersion: 0)
        switch fixture.primary {
        case .cache where entry == .inMemory:
            found.contents = state.withLock { $0.memory } ?? fixture.contents
        case .cache:
            found.contents = try CacheStore.contents(at: url)
        case .suite(let suite):
            let state = try DefaultsStore(standIn(for: suite)).state()
            found.contents = StoreContents(version: state.version, ledger: state.ledger)
        }
        for (original, standIn) in state.withLock({ Array($0.standIns.values) }) {
            let values = try standIn.contents()
            if !values.isEmpty { found.suites[original] = values }
        }
        return found
    }

    /// The attached stores to which changes of an upgrade are still to be made.
    func pendingJournal() throws -> [String] {
        switch fixture.primary {
        case .cache: try CacheStore.state(at: url).journal
        case .suite(let suite): try DefaultsStore(standIn(for: suite)).state().journal
        }
    }

    // MARK: Helpers

    private func primarySuite() throws -> Suite {
        guard case .suite(let suite) = fixture.primary else {
            throw TestingError(
                .unsuitable,
                "The fixture is a cache: upgrade it as one, or make it with `primary: .suite(…)`."
            )
        }
        return standIn(for: suite)
    }

    /// Makes stand-ins of all suites that an upgrade may work on.
    func makeStandIns(for migrations: MigrationRegistry, _ configuration: CodableCache.Configuration) {
        let named = configuration.attached + migrations.migrations.flatMap(\.attached)
        for case let suite as Suite in named { _ = standIn(for: suite) }
    }

    /// Puts the copies of suites in the places of the suites themselves.
    private func redirected(
        _ configuration: CodableCache.Configuration,
        _ migrations: MigrationRegistry
    ) -> CodableCache.Configuration {
        var configuration = configuration
        configuration.isDurable = false
        makeStandIns(for: migrations, configuration)
        let others = configuration.attached.filter { !($0 is Suite) }
        configuration.attached = state.withLock { $0.standIns.values.map(\.standIn) } + others
        return configuration
    }
}
