internal import Foundation

/// The suites whose settings an export or an import takes.
final class TransferredSuites: Sendable {
    let suites: [Suite]
    let migrations: MigrationRegistry
    private let configuration: MoltConfiguration
    /// The open store's path.
    private let store: String

    /// - Parameters:
    ///   - suites: The suites that the app names; attached ones may stand in for them.
    ///   - configuration: That of the open store.
    init(_ suites: [Suite], _ migrations: MigrationRegistry, _ configuration: MoltConfiguration, store: String) {
        var found: [Suite] = []
        for suite in suites where !found.contains(where: { $0.attachedName == suite.attachedName }) {
            found.append(configuration.suites.first { $0.attachedName == suite.attachedName } ?? suite)
        }
        self.suites = found
        self.migrations = migrations
        self.configuration = configuration
        self.store = store
    }

    /// All suites that an upgrade of the store may use.
    var attached: [Suite] {
        configuration.suites + migrations.migrations.flatMap(\.attached).compactMap(\.suite)
    }

    private var stores: AttachedStores {
        AttachedStores(StoreFile(inMemoryWith: configuration.attachedStores), migrations, configuration)
    }

    /// Throws if the next opening of the store could not change one of the suites.
    func checkAttached() throws {
        guard store != ":memory:" else {
            throw MoltError(
                .unsupported,
                "Settings cannot be imported into a cache in memory, which keeps no journal of them.",
                advice: "Import them into a cache with a file.",
                outcome: .unchanged,
                store: store
            )
        }
        let stores = stores
        guard let name = suites.map(\.attachedName).first(where: { !stores.contains($0) }) else { return }
        throw MoltError(
            .suiteNotNamed,
            "The settings of \(name) cannot be imported, because no migration works on them and the "
                + "configuration does not name the suite.",
            advice: "Add it to `MoltConfiguration.suites`.",
            outcome: .unchanged,
            store: store,
            suite: name
        )
    }

    /// Runs a closure while no upgrade changes the suites.
    func locking<Value>(isCancelled: @escaping @Sendable () -> Bool, _ body: () throws -> Value) throws -> Value {
        try migrator(isCancelled).lockingSuites(of: file, body)
    }

    /// Makes the changes to suites that a closure commits in the store's journal.
    func changing<Value>(isCancelled: @escaping @Sendable () -> Bool, _ commit: () throws -> Value) throws -> Value {
        try migrator(isCancelled).changingSuites(of: file, commit)
    }

    private func migrator(_ isCancelled: @escaping @Sendable () -> Bool) -> Migrator {
        Migrator(migrations, configuration: configuration.unfollowed(stoppedBy: isCancelled))
    }

    private var file: StoreFile {
        store == ":memory:"
            ? StoreFile(inMemoryWith: configuration.attachedStores)
            : StoreFile(at: URL(fileURLWithPath: store), configuration, createsFile: false)
    }

    /// Reads the suites, which must have been through all migrations that work on them.
    ///
    /// - Parameter connection: One with a snapshot of the store.
    func read(_ connection: Connection) throws -> [(suite: Suite, content: SuiteSnapshot)] {
        let (stores, state) = try (stores, LedgerTable.state(connection))
        stores.learn(from: state)
        for suite in suites {
            let name = suite.attachedName
            guard let reason = try stores.reporting(name, { try suite.unavailability(from: stores.viewpoint) })
            else {
                continue
            }
            throw error(.deferred, "\(name) is unavailable: \(reason)", advice: "Try again later.", name)
        }
        let plan = try migrations.plan(
            for: Histories(state),
            of: store,
            stores,
            mode: .opening,
            hasRecords: { try connection.hasRecords(before: $0) }
        )
        if let name = plan.journal.first {
            throw error(.journalPending, "Changes to \(name) from an earlier upgrade have not been applied yet.", name)
        }
        try plan.checkProblems()
        return try suites.map { suite in
            let name = suite.attachedName
            if let entry = plan.entries.first(where: { $0.isOpen(on: name) }) {
                let isDeferred = entry.deferral != nil
                throw error(
                    isDeferred ? .deferred : .needsMigration,
                    "The settings of \(name) have not been through migration \(entry.migration)."
                        + (entry.deferral.map { " \($0)" } ?? ""),
                    name,
                    migration: entry.migration
                )
            }
            return (suite, try stores.reporting(name) { try SuiteSnapshot(suite) })
        }
    }

    /// The rows of all migrations that work on a suite, for one that has no ledger.
    func rows(of suite: String) -> [SuiteLedger.Row] {
        let origin = SuiteLedger.Origin(migrations)
        return migrations.migrations.filter { migration in migration.attached.contains { $0.name == suite } }.map {
            migration in
            SuiteLedger.Row(
                LedgerEntry(
                    of: migration,
                    in: migrations,
                    outcome: .createdAtVersion,
                    appliedAt: Date(),
                    appVersion: configuration.appVersion
                ),
                of: origin
            )
        }
    }

    private func error(
        _ code: MoltError.Code,
        _ problem: String,
        advice: String = "Open the store again, and try again.",
        _ name: String,
        migration: MigrationID? = nil
    ) -> MoltError {
        MoltError(code, problem, advice: advice, outcome: .unchanged, store: store, migration: migration, suite: name)
    }
}

extension MigrationPlan.Entry {
    /// Whether a suite has not been through the migration.
    func isOpen(on suite: String) -> Bool {
        guard declaration.attached.contains(where: { $0.name == suite }) else { return false }
        return switch actions[suite] {
        case .run, .runIfRecordsArrive, .wait: true
        case .none, .record, .startOnRead, .continueOnRead: false
        }
    }
}
