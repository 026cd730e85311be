extension CodableCache {
    /// A change that this process made to a cache.
    public struct Change: Hashable, Sendable {
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
            /// All values, or all values of one type, were removed.
            case removedAll
        }

        /// The key; nil when several values were removed at once.
        public let key: String?
        /// The stored type name of the value; nil when all values were removed.
        public let typeName: String?
        /// The kind of change.
        public let kind: Kind

        /// Creates a change.
        public init(key: String?, typeName: String?, kind: Kind) {
            self.key = key
            self.typeName = typeName
            self.kind = kind
        }
    }
}

extension CodableCache.Change: CustomStringConvertible {
    /// The kind of change, the key and the type, in one line.
    public var description: String {
        let value = key.map { "\"\($0)\"" } ?? (typeName == nil ? "all values" : "all")
        return "\(kind.rawValue): \(value)" + (typeName.map { " of type \($0)" } ?? "")
    }
}
