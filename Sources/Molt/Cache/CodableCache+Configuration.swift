public import Foundation

extension CodableCache {
    /// How a cache works; the defaults suit an app.
    public typealias Configuration = MoltConfiguration

    /// The limit of the memory layer, which drops values beyond it as it sees fit.
    public struct MemoryLimit: Sendable, Hashable {
        /// The limit in bytes of stored content; 0 for none.
        public var bytes: Int
        /// The limit in number of values; 0 for none.
        public var count: Int

        /// Creates a limit; 16 MiB by default.
        public init(bytes: Int = 16 << 20, count: Int = 0) {
            self.bytes = bytes
            self.count = count
        }
    }

    /// When a value expires; an expired value is treated as missing.
    ///
    /// Zero or negative seconds, and a past date, make the value expire immediately; an infinite number of seconds
    /// means never. NaN makes it expire immediately, too: no value outlives an unknown expiry.
    public enum Expiry: Sendable, Hashable {
        /// Never.
        case never
        /// A number of seconds after the value is set.
        case after(seconds: Double)
        /// At a date.
        case at(Date)

        func expiration(from now: Double) -> Double? {
            let end: Double? =
                switch self {
                case .never: nil
                case .after(let seconds): now + seconds
                case .at(let date): date.timeIntervalSince1970
                }
            // SQLite turns NaN into NULL, which means never.
            return end?.isNaN == true ? -.infinity : end
        }
    }

    /// A value with what the cache knows about it.
    public struct Entry<Value> {
        /// The value.
        public let value: Value
        /// The key.
        public let key: String
        /// The stored type name.
        public let typeName: String
        /// When it expires; nil for never.
        public let expiration: Date?
        /// When the key was first set.
        public let created: Date
        /// When the key was last set.
        public let updated: Date
        /// The size of the stored content in bytes.
        public let size: Int
    }
}

extension CodableCache.Entry: Sendable where Value: Sendable {}
extension CodableCache.Entry: Equatable where Value: Equatable {}
