extension Migration {
    /// What releases that do not know a migration may do with a store after it.
    public enum Access: Int, Comparable, Sendable, Codable {
        /// They may not open the store.
        case nothing = 0
        /// They may read the store.
        case read = 1
        /// They may read and write the store.
        case write = 2

        /// Whether the first access is part of the second.
        public static func < (access: Access, other: Access) -> Bool { access.rawValue < other.rawValue }
    }
}
