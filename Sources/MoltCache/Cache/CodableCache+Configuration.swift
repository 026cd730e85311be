public import Foundation
public import MoltCore

extension CodableCache {
    /// How a cache works; the defaults suit an app.
    ///
    /// How it is upgraded is in ``options``, whose properties can be set here directly:
    ///
    /// ```swift
    /// var configuration = CodableCache.Configuration()
    /// configuration.sizeLimit = 50_000_000
    /// configuration.backup = BackupPolicy()
    /// ```
    @dynamicMemberLookup
    public struct Configuration: Sendable {
        /// How the file is upgraded when the cache is opened.
        public var options = MigrationOptions()
        /// Whether a file is made when there is none; otherwise that is an error with the code `fileMissing`.
        public var createsFile = true
        /// The coders that values are encoded and decoded with.
        public var coding: RecordCoding = .standard
        /// When values expire that are set without saying so; never by default.
        public var defaultExpiry: Expiry = .never
        /// How much decoded values may take in memory; nil keeps none.
        public var memory: MemoryLimit? = MemoryLimit()
        /// How many bytes of content the file may hold before the least recently used are evicted; nil for no limit.
        ///
        /// Reads count as uses. They are remembered in memory and written with the next write, so that reading
        /// writes nothing; what was not written when the process ends is forgotten. A value that is larger than the
        /// limit by itself is evicted at once, and no other with it.
        public var sizeLimit: Int?
        /// What blocks of migrations work on outside the file, beside what their steps name themselves.
        public var attached: [any Attachable] = []
        /// What happens when a type is stored otherwise than at an earlier write at the same schema version.
        ///
        /// The first write of a type after the cache was opened compares its shape, as the value shows it, with the
        /// one that the file has kept; later writes compare nothing. An error with the code `schemaDrift` in debug
        /// builds, and nothing is written then; ``MigrationEvent/drifted(_:)`` for the monitor's closure in all others,
        /// by default, once for each type at every launch until the version changes. With `ignore` nothing is compared
        /// or kept, nor is it with `report` when there is no monitor, or one without a closure.
        ///
        /// The first value of a type is encoded once more and, where its type can be read, decoded once; of types in
        /// it, up to two values each are. A cache in memory does the same.
        ///
        /// A type of which the file has no record any more may have any shape. What was kept is forgotten when a
        /// migration has run.
        public var drift = MismatchPolicy.standard
        /// How long a read or write waits while another process writes; 5 seconds by default.
        ///
        /// Less than none counts as none.
        public var busyTimeout: Duration = .seconds(5)
        /// What time it is: what expiry is compared with, and what is written as a record's dates.
        public var now: @Sendable () -> Date = { Date() }
        /// What happens when a newer app has upgraded the file; it is refused by default.
        public var downgrade = DowngradePolicy.refuse
        /// How many pages the file may have, for tests of a full disk; nil for no limit.
        package var pageLimit: Int?
        /// Whether an upgrade keeps records that have expired: a test's fixtures are older than what they hold.
        package var keepsExpired = false
        /// Whether what is committed must survive a loss of power: a test's copy need not.
        package var isDurable = true

        /// Creates a configuration with the defaults that are named at each property.
        public init() {}

        /// Whether the shapes of types are to be compared.
        var checksShapes: Bool {
            switch drift {
            case .fail: true
            case .report: options.monitor?.hasClosure == true
            case .ignore: false
            }
        }

        /// A property of ``options``.
        public subscript<Value>(dynamicMember property: WritableKeyPath<MigrationOptions, Value>) -> Value {
            get { options[keyPath: property] }
            set { options[keyPath: property] = newValue }
        }

        /// How the file is upgraded, with the clock of the cache.
        package var migrationOptions: MigrationOptions {
            var options = options
            options.now = keepsExpired ? nil : now
            return options
        }
    }

    /// How much the memory layer may hold; it drops values beyond that as it sees fit.
    public struct MemoryLimit: Sendable, Hashable {
        /// In bytes of stored content; 0 for no limit.
        public var bytes: Int
        /// In values; 0 for no limit.
        public var count: Int

        /// Creates a limit; 16 MiB by default.
        public init(bytes: Int = 16 << 20, count: Int = 0) {
            self.bytes = bytes
            self.count = count
        }
    }

    /// When a value expires: from then on it is as if it were not there.
    ///
    /// 0 seconds, fewer, and a date that has passed are an end at once; infinitely many seconds are none. What is not
    /// a number ends at once, too: no value outlives an end that nobody can know.
    public enum Expiry: Sendable, Hashable {
        /// Never.
        case never
        /// So many seconds after it was set.
        case after(seconds: Double)
        /// At a date.
        case at(Date)

        /// Seconds since 1970; nil for never.
        func expiration(from now: Double) -> Double? {
            let end: Double? =
                switch self {
                case .never: nil
                case .after(let seconds): now + seconds
                case .at(let date): date.timeIntervalSince1970
                }
            // SQLite takes NaN for NULL, which is never.
            return end?.isNaN == true ? -.infinity : end
        }
    }

    /// A value with what the cache knows about it.
    public struct Entry<Value> {
        /// The value.
        public let value: Value
        /// The key that it is stored under.
        public let key: String
        /// The type name that it was written as.
        public let typeName: String
        /// When it expires; nil for never.
        public let expiration: Date?
        /// When the key was first set.
        public let created: Date
        /// When the key was last set.
        public let updated: Date
        /// The stored content, in bytes.
        public let size: Int
    }
}

extension CodableCache.Entry: Sendable where Value: Sendable {}
extension CodableCache.Entry: Equatable where Value: Equatable {}
