/// A change of a cache that this process made.
public struct CacheChange: Hashable, Sendable {
    /// The kinds of change.
    public enum Kind: String, Hashable, Sendable {
        /// A value was set.
        case set
        /// A value was removed.
        case removed
        /// A value was removed because it had expired.
        case expired
        /// A value was removed because the cache was larger than its limit.
        case evicted
        /// All values, or all of a type, were removed.
        case removedAll
    }

    /// The key; nil when all values, or all of a type, were removed.
    public let key: String?
    /// The type name that the value is or was written as; nil when all values were removed.
    public let typeName: String?
    /// What happened.
    public let kind: Kind

    /// Creates a change.
    public init(key: String?, typeName: String?, kind: Kind) {
        self.key = key
        self.typeName = typeName
        self.kind = kind
    }
}
