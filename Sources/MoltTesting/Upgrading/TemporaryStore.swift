public import Foundation
internal import MoltCache
internal import MoltCore
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
    package let directory: URL
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
            memory = fixture.contents
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
    package init(at directory: URL, primary: StoreFixture.Primary, standIns: [(original: Suite, name: String)]) {
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
        // What stays behind is removed by a later process, by its name.
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
    package var allStandIns: [(original: Suite, standIn: Suite)] {
        state.withLock { Array($0.standIns.values) }
    }

    /// What the store for ``EntryPoint/inMemory`` holds between two upgrades; nil when it is new.
    var memory: StoreContents? {
        get { state.withLock { $0.memory } }
        set { state.withLock { $0.memory = newValue } }
    }

    // MARK: In the places of others

    /// Makes stand-ins of all suites that an upgrade may work on, and copies of the directories.
    func makeStandIns(for migrations: MigrationRegistry, _ configuration: CodableCache.Configuration) throws {
        let declared = migrations.migrations.flatMap(\.attached)
        for case let suite as Suite in configuration.attached.stores + declared { _ = standIn(for: suite) }
        let given = Set(configuration.attached.stores.map(\.attachedName))
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
    func redirected(
        _ configuration: CodableCache.Configuration,
        _ migrations: MigrationRegistry
    ) throws -> CodableCache.Configuration {
        var configuration = configuration
        configuration.isDurable = false
        // A fixture of years ago would lose them, and with them what it is there to test.
        configuration.keepsExpired = true
        try makeStandIns(for: migrations, configuration)
        let others = configuration.attached.stores.filter { !($0 is Suite) }
        let copies: [any AttachedStore] = state.withLock { state in
            state.standIns.values.map(\.standIn) + Array(state.directories.values)
        }
        // The first one of a name counts.
        configuration.attached = others + copies
        return configuration
    }
}
