public import Foundation
public import Molt

/// A copy of a fixture on disk, to open and upgrade as an app would; removed when it is deallocated.
///
/// The first copy of a process removes those that killed processes have left.
///
/// Suites are copied into suites with new names, which replace those that the fixture and the registry name; the app's
/// own settings are neither read nor changed. The directory of an
/// `adoptCacheDirectory(to:_:directory:onConflict:removingSource:strict:)` is copied when the first upgrade begins,
/// and the upgrades work on the copy.
public final class TemporaryStore: Sendable {
    /// The cache file; it does not exist if the fixture is only a suite.
    public let url: URL
    /// The fixture that was copied.
    public let fixture: StoreFixture
    package let directory: URL
    /// The directory while this object owns it, which removes it; nil for a copy that another process made.
    private let owned: CopyDirectory?
    private var isOwner: Bool { owned != nil }
    private static let leftovers = CopyDirectory.removeLeftovers(of: [.fixture])
    private let state = Locked(State())

    private struct State {
        /// The stand-ins, by the original's attached name.
        var standIns: [String: (original: Suite, standIn: Suite)] = [:]
        var directories: [String: AttachedDirectory] = [:]
        /// Whether the ledgers of the suites say what the fixture's ledger does.
        var isMarked = false
        /// The content of the store for `EntryPoint.inMemory` between two upgrades.
        var memory: StoreContents?
        var doesWork = false
    }

    /// Creates a store without a file, as on a device on which the app was just installed.
    ///
    /// - Parameter primary: The store that carries the schema version and the ledger; a cache by default.
    /// - Throws: `MoltError` if the temporary directory cannot be written to.
    public convenience init(_ primary: StoreFixture.Primary = .cache) throws {
        try self.init(StoreFixture(primary: primary, version: 0), pageSize: nil, isEmpty: true)
    }

    /// Copies a fixture.
    ///
    /// - Throws: ``TestingError`` for a suite with records.
    public convenience init(_ fixture: StoreFixture) throws {
        try self.init(fixture, pageSize: nil)
    }

    /// - Parameters:
    ///   - pageSize: The page size of the file in bytes; nil for a cache's default.
    ///   - isEmpty: Whether no file is created.
    init(_ fixture: StoreFixture, pageSize: Int?, isEmpty: Bool = false) throws {
        self.fixture = fixture
        if case .suite = fixture.primary, let record = fixture.records.first {
            throw TestingError(
                .unsuitable,
                "The fixture is a suite, and a suite has no records; it has \(Shown.key(record.key)). Leave them out, or "
                    + "make it with `primary: .cache`."
            )
        }
        _ = Self.leftovers
        let owned = try CopyDirectory(for: .fixture, removesLeftovers: false)
        self.owned = owned
        directory = owned.url
        url = directory.appending(path: "store.molt", directoryHint: .notDirectory)
        switch fixture.primary {
        case .cache where isEmpty:
            break
        case .cache:
            memory = fixture.contents
            let store = StoreFile(at: url)
            if let pageSize { store.options.pageSize = pageSize }
            store.options.isDurable = false
            defer { store.close() }
            try fixture.contents.write(to: store)
        case .suite(let suite):
            let isNew = fixture.version == 0 && fixture.ledger.isEmpty
            try temporarySuite(for: suite).fill([:], state: isNew ? nil : fixture.contents)
        }
        for (suite, values) in fixture.suites { try temporarySuite(for: suite).fill(values) }
    }

    /// Uses the copy that another process made.
    package init(at directory: URL, primary: StoreFixture.Primary, standIns: [(original: Suite, name: String)]) {
        self.directory = directory
        fixture = StoreFixture(primary: primary, version: 0)
        owned = nil
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
    }

    /// The temporary suite in the place of another one; empty if the fixture does not have the suite.
    ///
    /// ```swift
    /// try store.temporarySuite(for: .standard).set("dark", forKey: "theme")
    /// ```
    public func temporarySuite(for suite: Suite) -> Suite {
        state.withLock { state in
            if let cached = state.standIns[suite.attachedName] { return cached.standIn }
            let standIn = suite.standIn(named: TemporaryName.make())
            state.standIns[suite.attachedName] = (suite, standIn)
            return standIn
        }
    }

    package var allStandIns: [(original: Suite, standIn: Suite)] {
        state.withLock { Array($0.standIns.values) }
    }

    /// The content of the store for `EntryPoint.inMemory` between two upgrades; nil if it is new.
    var memory: StoreContents? {
        get { state.withLock { $0.memory } }
        set { state.withLock { $0.memory = newValue } }
    }

    /// Whether openings do the work of migrations outside the store.
    var doesWork: Bool {
        get { state.withLock { $0.doesWork } }
        set { state.withLock { $0.doesWork = newValue } }
    }

    // MARK: Replacing suites and directories

    /// Creates stand-ins for all suites that an upgrade may work on, and copies of the directories.
    func makeStandIns(
        for migrations: MigrationRegistry,
        _ configuration: MoltConfiguration,
        copiesDirectories: Bool = true
    ) throws {
        let declared = migrations.migrations.flatMap(\.attached)
        for suite in configuration.suites + declared.compactMap(\.suite) { _ = temporarySuite(for: suite) }
        if copiesDirectories { for directory in declared.compactMap(\.directory) { try copy(directory) } }
        try markSuites(migrations)
    }

    /// Gives each suite the ledger that it had: that of the fixture, without migrations that do not work on it.
    ///
    /// A fixture has one ledger, and its store had brought the suites through it.
    private func markSuites(_ migrations: MigrationRegistry) throws {
        let isFirst = state.withLock { state in
            defer { state.isMarked = true }
            return !state.isMarked
        }
        guard isFirst, isOwner else { return }
        for (original, standIn) in allStandIns where fixture.primary != .suite(original) {
            let names = migrations.migrations.filter { migration in
                migration.attached.contains { $0.name == original.attachedName }
            }.flatMap { [$0.name] + $0.replaces }
            let rows = fixture.ledger.filter { names.contains($0.name) && $0.outcome.isApplied }
            guard !rows.isEmpty else { continue }
            let version = rows.map(\.version).max() ?? 0
            try standIn.fill([:], state: StoreContents(version: version, ledger: rows))
        }
    }

    /// Copies a directory once, unless another process has copied it.
    private func copy(_ store: AttachedDirectory) throws {
        // An invalid path is refused when the directory is read.
        guard store.path.hasPrefix("/") else { return }
        let name = store.name
        let copy = "\(directory.path)/attached-\(SHA256.hexadecimal(of: name.utf8))"
        try state.withLock { state in
            guard state.directories[name] == nil else { return }
            if isOwner { try DirectoryCopy.make(of: store.path, at: copy) }
            var copied = store
            copied.path = copy
            state.directories[name] = copied
        }
    }

    /// Replaces suites and directories in a configuration with their copies.
    ///
    /// - Parameter copiesDirectories: Whether directories are copied; a plan does not read them.
    package func redirected(
        _ configuration: MoltConfiguration,
        _ migrations: MigrationRegistry,
        copiesDirectories: Bool = true
    ) throws -> MoltConfiguration {
        var configuration = configuration
        configuration.hooks.isDurable = false
        configuration.hooks.findsUnmatchedNames = true
        // It would change the developer's files, of which there is no copy.
        configuration.hooks.doesWork = doesWork
        try makeStandIns(for: migrations, configuration, copiesDirectories: copiesDirectories)
        state.withLock { state in
            configuration.suites = state.standIns.values.map(\.standIn)
            configuration.hooks.directories = Array(state.directories.values)
        }
        return configuration
    }
}
