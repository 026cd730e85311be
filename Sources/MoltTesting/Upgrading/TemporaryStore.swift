public import Foundation
public import MoltCache
public import MoltCore
public import MoltDefaults
internal import Synchronization

/// A copy of a fixture on disk, to open and upgrade as an app would; it is removed when nobody uses it any more.
///
/// Suites are copied, too, into suites of new names, which take the places of those that the fixture and the registry
/// name: the app's own settings are neither read nor changed. The directory of an
/// `adoptCacheDirectory(to:_:directory:keys:type:existing:afterwards:strict:)` is read, and copied when the first upgrade
/// begins; the upgrades work on the copy.
///
/// - Important: Stores of the app's own that conform to `AttachedStore` cannot be copied. Upgrades work on what the
///   migrations name, also with the changes that they make to it. Give another store of the same name in the
///   configuration's `attached`: that one takes its place.
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
        /// The copies of directories, by the name that steps know these by.
        var directories: [String: any DirectoryAttachedStore] = [:]
        /// What the store for ``EntryPoint/inMemory`` holds between two upgrades.
        var memory: StoreContents?
    }

    /// Makes a place for a store that is not there yet, as on a device on which the app was just installed.
    ///
    /// - Parameter primary: What is to carry the schema version and the ledger; a cache by default.
    public convenience init(_ primary: StoreFixture.Primary = .cache) throws {
        try self.init(StoreFixture(primary: primary, schemaVersion: 0), pageSize: nil, isEmpty: true)
    }

    /// Copies a fixture.
    ///
    /// - Throws: ``TestingError`` with the code `unsuitable` for a suite with records.
    public convenience init(_ fixture: StoreFixture) throws {
        try self.init(fixture, pageSize: nil)
    }

    /// Copies a fixture.
    ///
    /// - Parameters:
    ///   - pageSize: How large the pages of the file are, in bytes; nil for what a cache has.
    ///   - isEmpty: Whether there is to be no file yet.
    init(_ fixture: StoreFixture, pageSize: Int?, isEmpty: Bool = false) throws {
        self.fixture = fixture
        if case .suite = fixture.primary, let record = fixture.records.first {
            throw TestingError(
                .unsuitable,
                "The fixture is a suite, and a suite has no records; it has \(Shown.key(record.key)). Leave them out, or "
                    + "make it with `primary: .cache`."
            )
        }
        isOwner = true
        directory = FileManager.default.temporaryDirectory
            .appending(path: TemporaryName.make(), directoryHint: .isDirectory)
        url = directory.appending(path: "store.molt", directoryHint: .notDirectory)
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        switch fixture.primary {
        case .cache where isEmpty:
            break
        case .cache:
            let store = CacheStore(at: url)
            if let pageSize { store.pageSize = pageSize }
            store.isDurable = false
            defer { store.close() }
            try fixture.contents.write(to: store)
        case .suite(let suite):
            // A suite that was never upgraded has no ledger.
            let isNew = fixture.schemaVersion == 0 && fixture.ledger.isEmpty
            try standIn(for: suite).fill([:], state: isNew ? nil : fixture.contents)
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
            let standIn = suite.standIn(named: TemporaryName.make())
            state.standIns[suite.attachedName] = (suite, standIn)
            return standIn
        }
    }

    /// All suites that take the places of others.
    var allStandIns: [(original: Suite, standIn: Suite)] {
        state.withLock { Array($0.standIns.values) }
    }

    // MARK: Opening

    /// Opens the copy as the app would open its file; it is there for as long as the cache is.
    public func open(
        migrations: MigrationRegistry,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) throws -> CodableCache {
        try CodableCache(
            at: url,
            migrations: migrations,
            configuration: redirected(configuration, migrations),
            retaining: self
        )
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
            let configuration = try redirected(configuration, migrations)
            let cache = try await CodableCache.open(at: url, migrations: migrations, configuration: configuration)
            cache.close()
            return cache.report
        case .asyncSuite:
            let configuration = try redirected(configuration, migrations)
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
        let configuration = try redirected(configuration, migrations)
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
        let configuration = try redirected(configuration, migrations)
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

    /// Makes stand-ins of all suites that an upgrade may work on, and copies of the directories.
    func makeStandIns(for migrations: MigrationRegistry, _ configuration: CodableCache.Configuration) throws {
        let declared = migrations.migrations.flatMap(\.attached)
        for case let suite as Suite in configuration.attached + declared { _ = standIn(for: suite) }
        let given = Set(configuration.attached.map(\.attachedName))
        for case let store as any DirectoryAttachedStore in declared where !given.contains(store.attachedName) {
            try copy(store)
        }
    }

    /// Copies a directory, once; the one of another process is copied already.
    private func copy(_ store: any DirectoryAttachedStore) throws {
        // What is no path is refused by the store itself.
        guard store.path.hasPrefix("/") else { return }
        let name = store.attachedName
        let copy = "\(directory.path)/attached-\(SHA256.hexadecimal(of: name.utf8))"
        try state.withLock { state in
            guard state.directories[name] == nil else { return }
            if isOwner { try DirectoryCopy.make(of: store.path, at: copy) }
            state.directories[name] = store.standIn(at: copy)
        }
    }

    /// Puts the copies of suites and directories in the places of these themselves.
    private func redirected(
        _ configuration: CodableCache.Configuration,
        _ migrations: MigrationRegistry
    ) throws -> CodableCache.Configuration {
        var configuration = configuration
        configuration.isDurable = false
        try makeStandIns(for: migrations, configuration)
        let others = configuration.attached.filter { !($0 is Suite) }
        let copies: [any AttachedStore] = state.withLock { state in
            state.standIns.values.map(\.standIn) + Array(state.directories.values)
        }
        // The first one of a name counts.
        configuration.attached = others + copies
        return configuration
    }
}
