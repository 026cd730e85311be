/// What a store says of itself: its schema version and its ledger.
public struct StoreState: Hashable, Sendable {
    /// The schema version; 0 = written before Molt, or never migrated.
    public var version: Int
    /// Whether there is no store yet: no file, or one in which nothing was ever written.
    public var isFresh: Bool
    /// The migrations that the store counts as applied, in the order in which they were recorded.
    public var ledger: [LedgerEntry]
    /// The attached stores to which the changes of a committed upgrade have not been applied yet.
    public var journal: [String]
    /// The migration that is half done; nil when none is.
    public var unfinished: UnfinishedMigration?

    /// Creates a state.
    public init(
        version: Int,
        isFresh: Bool,
        ledger: [LedgerEntry],
        journal: [String] = [],
        unfinished: UnfinishedMigration? = nil
    ) {
        self.version = version
        self.isFresh = isFresh
        self.ledger = ledger
        self.journal = journal
        self.unfinished = unfinished
    }

    /// The state of a store that does not exist yet.
    public static let fresh = StoreState(version: 0, isFresh: true, ledger: [])
}
