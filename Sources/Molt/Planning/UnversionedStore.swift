/// A store without a ledger, as the closure of a baseline sees it; see ``MigrationRegistry/baseline(from:)``.
///
/// Do not use it after the closure has returned.
public struct UnversionedStore {
    /// The number in SQLite's `user_version`; 0 if nothing has set it, and for settings.
    public let userVersion: Int
    private let records: RecordLookup
    private let stores: AttachedStores

    init(_ state: StoreState, _ records: RecordLookup, _ stores: AttachedStores) {
        userVersion = state.holdsRecords ? state.version : 0
        self.records = records
        self.stores = stores
    }

    /// The record under a key; nil if there is none.
    public func record(forKey key: String) throws -> Record? {
        try records.record(key)
    }

    /// The number of records of a type.
    public func count(ofType type: String) throws -> Int {
        try records.count(type)
    }

    /// The value of a setting; nil if there is none.
    ///
    /// - Throws: ``MoltError`` with the code `deferred` if the suite cannot be read now, so that the store is entered
    ///   at a later opening.
    public func setting(_ key: String, in suite: Suite) throws -> PropertyListValue? {
        try stores.values(of: suite)[key]
    }
}

/// Access to the records of a store, or of a transaction.
struct RecordLookup {
    var record: (_ key: String) throws -> Record?
    var count: (_ type: String) throws -> Int
}

extension MigrationRegistry {
    /// Declares the version at which a store enters that an earlier release has versioned itself.
    ///
    /// Use it if users have stores without a ledger which are not in the form of version 0, because the app has counted
    /// versions and changed the values on its own:
    ///
    /// ```swift
    /// let registry = MigrationRegistry([
    ///     Migration(to: 4, "mail-becomes-email", .renameProperty("Person", "mail", to: "email")),
    /// ])
    /// .baseline { store in
    ///     try store.setting("schemaVersion", in: .standard)?.int.map { Int($0) }
    /// }
    /// ```
    ///
    /// The closure is called for a cache file whose ledger is empty, and for a suite with settings and without a
    /// ledger. It may look at a setting, a record, or the `user_version` of the file. Migrations up to the version that
    /// it returns do not run, not even those that import data; the ledger gets a row for each with the outcome
    /// ``LedgerEntry/Outcome/baseline``. If it returns nil, the store is at the version that it has. A new store with
    /// nothing in it is never asked about.
    ///
    /// - Parameter body: Returns the version; the plan calls it, too, so it must change nothing. An error that it
    ///   throws, and a negative version, fail the opening with the code `baselineFailed`; a version above that of the
    ///   registry fails it with the code `superseded`.
    public func baseline(from body: @escaping @Sendable (UnversionedStore) throws -> Int?) -> MigrationRegistry {
        var registry = self
        registry.baseline = body
        return registry
    }

    /// Declares the version at which every store without a ledger enters.
    ///
    /// ```swift
    /// let registry = MigrationRegistry([Migration(to: 4, "nickname-added")]).baseline(3)
    /// ```
    ///
    /// Use it if all releases without Molt wrote the same form; see ``baseline(from:)`` otherwise.
    public func baseline(_ version: Int) -> MigrationRegistry {
        baseline(from: { _ in version })
    }
}

extension AttachedStores {
    /// The state with the version at which the app says that the store enters, if it has no ledger.
    func entering(_ state: StoreState, _ records: RecordLookup) throws -> StoreState {
        guard let baseline = registry.baseline, state.ledger.isEmpty, state.journal.isEmpty else { return state }
        guard try !state.isFresh || suiteStates().contains(where: { !$1.isEmpty && $1.hasNoLedger }) else {
            return state
        }
        var state = state
        do {
            state.baseline = try baseline(UnversionedStore(state, records, self))
        } catch {
            if (error as? MoltError)?.code == .deferred { throw error }
            throw MoltError(
                .baselineFailed,
                "The closure that tells at which version the store enters failed.",
                outcome: .unchanged,
                underlying: error
            )
        }
        guard let version = state.baseline, version < 0 else { return state }
        throw MoltError(
            .baselineFailed,
            "The app says that the store enters at version \(version); no version is below 0.",
            outcome: .unchanged
        )
    }

    /// The values of a suite, which need not be one of the registry's.
    fileprivate func values(of suite: Suite) throws -> [String: PropertyListValue] {
        let name = suite.attachedName
        let suite = contains(name) ? try store(name).suite ?? suite : suite
        return try reporting(name) {
            if let reason = try suite.unavailability(in: role) {
                throw MoltError(.deferred, reason, advice: "Open the store again later.", attachedStore: name)
            }
            return try suite.values()
        }
    }
}
