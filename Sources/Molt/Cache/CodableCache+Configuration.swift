public import Foundation

extension CodableCache {
    /// How a cache works; the defaults suit an app.
    ///
    /// The options of an upgrade are in ``options``; its properties can be set here directly:
    ///
    /// ```swift
    /// var configuration = CodableCache.Configuration()
    /// configuration.sizeLimit = 50_000_000
    /// configuration.backup = BackupPolicy()
    /// ```
    @dynamicMemberLookup
    public struct Configuration: Sendable {
        /// The options of the upgrade when the cache is opened.
        public var options = MigrationOptions()
        /// Whether a missing file is created; otherwise opening throws an error with the code `fileMissing`.
        public var createsFile = true
        /// The expiry of values that are set without one; never by default.
        public var defaultExpiry: Expiry = .never
        /// How much memory decoded values may take; nil keeps none.
        public var memory: MemoryLimit? = MemoryLimit()
        /// The content limit in bytes, above which the least recently used values are evicted; nil for none.
        ///
        /// Reads count as uses. They are kept in memory and written with the next write, so that reading writes
        /// nothing; uses not yet written when the process ends are lost. A value larger than the limit by itself is
        /// evicted at once, and no other with it.
        public var sizeLimit: Int?
        /// The suites that blocks of migrations change, in addition to those that steps name.
        public var attached: [Suite] = []
        /// The policy for a type whose shape has changed at the same schema version.
        ///
        /// The first write of a type after the cache is opened compares the shape of its value with the one stored in
        /// the file; later writes compare nothing. By default, a difference is an error with the code `schemaDrift` in
        /// debug builds, and nothing is written; in other builds, the monitor's closure gets
        /// ``MigrationEvent/drifted(_:)``, once for each type at every launch until the version changes. With `ignore`,
        /// and with `report` but no monitor with a closure, nothing is compared or stored.
        ///
        /// For the comparison, the first value of a type is encoded once more and, if its type is `Decodable`, decoded
        /// once; so are up to two values of each type in it. A cache in memory does the same.
        ///
        /// A type without any record in the file may have any shape. A migration clears the stored shapes.
        public var drift = MigrationOptions.MismatchPolicy.standard
        /// Whether the open cache upgrades the remaining records of migrations on read in the background; true by
        /// default.
        ///
        /// If false, call `backfill()`. With a duty of `.others`, it does not start automatically. A deadline in the
        /// options ends it, too; the next opening continues.
        public var runsBackfill = true
        /// How long a read or write waits while another process writes; 5 seconds by default.
        ///
        /// A negative duration counts as zero.
        public var busyTimeout: Duration = .seconds(5)
        /// The clock, for expiry and for the dates of records.
        public var now: @Sendable () -> Date = { Date() }
        /// The policy for a file that a newer app has upgraded; the file is refused by default.
        public var downgrade = MigrationOptions.DowngradePolicy.refuse
        /// The maximum number of pages in the file, for tests of a full disk; nil for no limit.
        package var pageLimit: Int?
        /// Directories that replace those of the same name in the registry, for tests.
        package var directories: [AttachedDirectory] = []
        /// Whether opening the cache only records migrations on read; false for tests of their result.
        package var onlyRecordsOnRead = true
        /// Whether an upgrade keeps expired records: a test's fixtures are older than their records' expiry.
        package var keepsExpired = false
        /// Whether a commit must survive a power loss; a test's copy need not.
        package var isDurable = true

        /// Creates a configuration with the defaults named at each property.
        public init() {}

        package var attachments: [AttachedStore] {
            attached.map(AttachedStore.suite) + directories.map(AttachedStore.directory)
        }

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

        /// The options of the upgrade, with the clock of the cache.
        package var migrationOptions: MigrationOptions {
            var options = options
            options.now = keepsExpired ? nil : now
            return options
        }
    }

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
