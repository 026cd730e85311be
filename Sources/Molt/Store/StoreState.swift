/// What a file says of its store: the schema version, the ledger, and what an upgrade has left to do.
package struct StoreState: Equatable, Sendable {
    /// The schema version; 0 = written before Molt, or never migrated.
    package var version: Int
    /// Whether the store does not exist yet: there is no file, or nothing was ever written to it.
    package var isFresh: Bool
    /// The rows for applied and deferred migrations, in the order in which they were recorded.
    package var ledger: [LedgerEntry]
    /// The attached stores with committed changes that are not applied yet.
    package var journal: [String]
    /// The number of the store's layout, if a later release of Molt wrote it and this one can read but not write it.
    package var laterLayout: Int?
    /// Whether bytes of deleted records are still to be erased from the file.
    var needsErasure = false
    /// What steps have taken out of the store, and is still to be handed over.
    package internal(set) var handovers: [Handover] = []
    /// The domain that is the standard suite for the store; nil if no upgrade has worked on it.
    var standardDomain: String?
    /// The suites, as attached stores, that upgrades of the store have given a ledger.
    var suitesWithLedger: Set<String> = []

    package init(version: Int, isFresh: Bool, ledger: [LedgerEntry], journal: [String] = []) {
        self.version = version
        self.isFresh = isFresh
        self.ledger = ledger
        self.journal = journal
    }

    package static let fresh = StoreState(version: 0, isFresh: true, ledger: [])
}

/// What an upgrade works on.
package enum StoreKind: Sendable {
    /// A cache, with records and the suites that its migrations work on.
    case cache
    /// A suite that is upgraded without a cache, and has no records.
    case suite
}
