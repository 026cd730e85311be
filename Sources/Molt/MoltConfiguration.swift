public import Foundation

/// How stores are opened, upgraded and used; the defaults suit an app.
///
/// ```swift
/// var configuration = MoltConfiguration()
/// configuration.sizeLimit = 50_000_000
/// configuration.backup = BackupPolicy()
/// ```
///
/// Upgrades of a suite without a cache take the same configuration, and pass over what concerns caches alone.
public struct MoltConfiguration: Sendable {
    // MARK: Upgrades

    /// The monitor that follows the upgrade.
    public var monitor: MigrationMonitor?
    /// The app's version, for the ledger; by default the short version of the main bundle, or empty if it has none.
    public var appVersion = bundleVersion
    private static let bundleVersion =
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""
    /// The suites that blocks of migrations change, in addition to those that steps name.
    public var suites: [Suite] = []
    /// How long the keys are kept that upgrades take from records; nil, the default, records none.
    ///
    /// Set it in an app that synchronizes its records; ``CodableCache/droppedKeys(after:ofType:_:)`` lists the keys.
    /// Choose the time after which a device synchronizes from scratch:
    ///
    /// ```swift
    /// configuration.droppedKeyLifetime = .seconds(90 * 86_400)
    /// ```
    ///
    /// The next upgrade or backfill that writes removes older ones; an upgrade without a lifetime removes all.
    public var droppedKeyLifetime: Duration?
    /// The bundle identifiers that the app had before, or on Linux the names of its process; none by default.
    ///
    /// A store remembers whose ``Suite/standard`` its migrations have worked on, so that another program does not take
    /// its own settings for the app's. After the app has got another identifier, name the old one here; its settings
    /// are not those of the old one.
    public var formerDomains: Set<String> = []
    /// Whether an upgrade for which there is clearly no room is refused before it writes anything; true by default.
    ///
    /// By a sample of the records, it would need twice the free space. Otherwise, an upgrade that finds the disk full
    /// is rolled back. Either error is one of those for which ``MoltError/isOutOfSpace`` is true.
    public var checksDiskSpace = true
    /// Whether the store is backed up before an upgrade writes to it; nil, the default, for no backup.
    public var backup: BackupPolicy?
    /// What this process is: whether it upgrades stores, and whether ``Suite/standard`` is that of the app.
    ///
    /// By default, an app extension is a helper, and everything else is the app. Set `.helper()` in any other process
    /// that opens the app's stores, such as a login item, or `.tool` if it has to upgrade them: as the app, a migration
    /// that moves settings from ``Suite/standard`` would count as applied although those of the app were not moved.
    public var process = Process.current
    /// How long to wait while another process holds the store.
    ///
    /// If it is nil, the default, an upgrade waits for 60 seconds, since the other process may be upgrading the store
    /// itself, and a read or write for 5 seconds. A negative duration counts as zero.
    public var timeout: Duration?
    /// The time by which the store's locks must be released; nil, the default, for no limit.
    ///
    /// Some systems kill an app that is suspended while it holds a lock. An upgrade still running at the deadline stops
    /// before the next record, or within a statement of the store, and fails with the code `deadlinePassed`. Before its
    /// commit it is rolled back, and a later opening starts again; after it, the next opening makes the changes to
    /// settings that are left. It cannot stop within a closure of a migration, so leave time for those. The backfill
    /// ends at the deadline, too; the next opening continues.
    public var deadline: ContinuousClock.Instant? {
        get { lastInstant?.instant }
        set { lastInstant = newValue.map(Instant.init) }
    }
    /// Called between records, on any thread, and while waiting; if it returns true, an upgrade that is not committed
    /// is rolled back.
    package var isCancelled: @Sendable () -> Bool = { false }
    /// Whether an upgrade is tried again that a crash or a kill has interrupted five times; false by default.
    ///
    /// If false, it fails with the code `attemptsFailed` until another build of the app opens the store: one with
    /// another ``appVersion``, build number or, without a bundle, executable. Work after the commit is then left
    /// undone. ``MoltError/attempts`` lists the attempts. Let the user choose whether to try again, to restore a backup
    /// or to start afresh.
    public var retriesInterruptedUpgrades = false
    // Apple documents only the limit of tvOS. The messages of other systems are quoted in tus/TUSKit#73,
    // iterate-ch/cyberduck#16560 and RevenueCat/purchases-ios#5912.
    /// The size in bytes above which plans name a setting in ``MigrationPlan/notes``; nil to name none.
    ///
    /// It is 512 KiB by default. Plans look at the suites that migrations work on. The size does not change upgrades.
    ///
    /// Systems limit all settings of a domain together. tvOS warns an app at 512 kB and terminates it at 1 MB, as Apple
    /// documents at `UserDefaults.sizeLimitExceededNotification`. iOS since 13 and macOS log an error for a domain
    /// of 4 MiB, and watchOS 26 for one of 1 MiB.
    package var largeSettingSize: Int? = 512 * 1024
    /// What happens if code does not match the store's record of it: an error in debug builds, an event in all others.
    ///
    /// There are two cases:
    ///
    /// - A migration was edited after the store had counted it as applied; see ``Migration/fingerprint``. The opening
    ///   throws `migrationEdited`, or the monitor gets ``MigrationEvent/edited(_:)``.
    /// - The shape of a type has changed at the same schema version. The first write of a type after the cache is
    ///   opened compares the shape of its value with the one stored in the file; later writes compare nothing. The
    ///   write throws `shapeChanged`, or the monitor's closure gets ``MigrationEvent/shapeChanged(_:)``, once for each
    ///   type at every launch until the version changes.
    ///
    /// The shape of a type is its properties, their types, and which may be missing. New types, another order of
    /// properties and new cases of an enum need no version. A shape is taken from a value, so some types seem to change
    /// although they do not:
    ///
    /// - Two types have the same name, such as `Order.Item` and `Cart.Item`. Give one of them another name with
    ///   ``RecordType``.
    /// - A hand-written `encode(to:)` writes a property as different types. Wrap the value in a type that encodes
    ///   itself with a `singleValueContainer()`; the shape of such a type is not compared.
    /// - A hand-written `encode(to:)` leaves out some properties. Use `encodeIfPresent` and `decodeIfPresent` for them.
    ///
    /// A type that was renamed in code alone has no stored shape. When the first value of a type is written whose shape
    /// is that of another type with values, or when ``CodableCache/update(_:forKey:expiry:_:)`` gives a record another
    /// type, a debug build prints a warning.
    ///
    /// No shape is compared or stored with `ignore`, nor with `report` if no monitor has a closure. For the comparison,
    /// the first value of a type is encoded once more and, if its type is `Decodable`, decoded once; so are up to two
    /// values of each type in it. A cache in memory does the same. A type without any record in the file may have any
    /// shape. A migration clears the stored shapes.
    public var mismatches = MismatchPolicy.standard
    #if DEBUG
        /// Whether the last upgrade is redone when its migrations have changed since; false by default.
        ///
        /// Use it while you write a migration. When you then edit, rename or remove the migrations of the store's
        /// version, the next opening restores the copy of the store and its suites that was made before those
        /// migrations ran, and upgrades the store again. Upgrades make such copies even without a ``backup`` policy. If
        /// there is no copy, a cache whose migrations work on no suite is started afresh. The replaced contents are
        /// kept beside the store until the app removes them. A change of an earlier migration is an error as usual, and
        /// so is a closure whose edit does not increase its revision: Molt cannot see it.
        ///
        /// It exists in debug builds only, so that it cannot ship:
        ///
        /// ```swift
        /// #if DEBUG
        ///     configuration.redoesUnshippedMigrations = true
        /// #endif
        /// ```
        public var redoesUnshippedMigrations = false
    #endif

    // MARK: Caches

    /// The expiry of values that are set without one; never by default.
    public var defaultExpiry = CodableCache.Expiry.never
    /// How much memory recently read values may take; nil keeps none.
    ///
    /// It is 16 MiB of stored content by default. Instances of classes are not kept. When another process changes the
    /// file, all values are dropped.
    public var memory: CodableCache.MemoryLimit? = CodableCache.MemoryLimit()
    /// The content limit in bytes, above which the least recently used values are evicted; nil for none.
    ///
    /// Reads count as uses. They are kept in memory and written with the next write, so that reading writes nothing;
    /// uses not yet written when the process ends are lost. A single value that is larger than the limit is evicted at
    /// once, and no other with it. A limit of 0 or less is refused with the code `unsupported`.
    public var sizeLimit: Int?
    /// Whether values that are set keep the properties of the stored content that their type does not declare; false by
    /// default.
    ///
    /// If it is true, an older build that writes a value does not remove what a newer one has added:
    ///
    /// ```swift
    /// // The file has {"name":"John","photo":"7"}, and this build's Person has a name only.
    /// try cache.set(Person(name: "Jim"), forKey: "john")  // {"name":"Jim","photo":"7"}
    /// ```
    ///
    /// The same holds for nested objects, under properties, under keys of dictionaries, in the payloads of enums, and
    /// in arrays. Values of unknown properties are kept byte for byte. A property is declared if the type has a coding
    /// key for it; a declared one that is encoded as nil is removed.
    ///
    /// An element of an array that has not changed, as this build reads it, keeps its stored bytes, also at another
    /// index. A changed element of an `Identifiable` type keeps the unknown properties of the stored one with its `id`.
    /// An element of another type keeps those at its index, if the array has as many elements as before and none has
    /// only moved. Do not rely on it where elements are both changed and moved in one write: they lose them, or get
    /// those of the one that was at their index. A changed element of a set loses them.
    ///
    /// Nothing is kept if the stored record has another type, if an enum has another case, if the type looks at all
    /// keys when it decodes itself, or if it is not `Decodable`. Documents and records that are imported or restored
    /// replace everything.
    ///
    /// Every `set` also reads the stored content, and takes about a twentieth longer; about a tenth if properties of
    /// the record itself are unknown. If unknown ones may be inside nested objects or changed arrays, the new value is
    /// also decoded, to see which keys its types declare; for arrays, the stored one is decoded, too.
    ///
    /// A store that a newer release has upgraded keeps unknown properties whatever the option: see
    /// ``Migration/olderReleases(may:)``.
    public var keepsUnknownProperties = false
    /// What becomes of a record that cannot be read as its type when a value of the type is written over it.
    ///
    /// By default it is put into quarantine first, in the same transaction:
    ///
    /// ```swift
    /// // The file has {"fullName":"John Roe"}, which this release's Person cannot read.
    /// try cache.set(Person(firstName: "John", lastName: "Roe"), forKey: "john")
    /// print(try cache.quarantined())
    /// ```
    ///
    /// ``MigrationEvent/quarantined(_:)`` names it. Once a migration can convert such records, see
    /// ``CodableCache/retryQuarantined(_:with:)``. The file keeps at most 100 of them, with at most 1 000 000 bytes of
    /// content; the oldest are removed first. The newest stays, whatever its size, and so do the records that
    /// migrations have quarantined.
    ///
    /// Before the first write over a record, the cache decodes it. It does not need to where it has read or written a
    /// value of the type under the key before, and no other connection has written since. Expired records, records of
    /// other types and those of a type that is not `Decodable` are replaced as they are, and so are all records by raw
    /// data, documents and imports. Removing a value quarantines nothing.
    ///
    /// If a batch replaces more unreadable records than are kept, the newest are kept, and the last event says how many
    /// others there were.
    public var unreadableValues = UnreadablePolicy.quarantine()
    /// Whether the open cache upgrades the remaining records of migrations on read in the background; true by default.
    ///
    /// If false, call `finishBackfill()`. In a helper, it does not start automatically; see ``process``.
    public var runsBackfill = true
    /// How fast that upgrade is, and when it pauses.
    public var backfillPace = BackfillPace()
    /// The clock, for expiry and for the dates of records; a test may set another.
    public var now: @Sendable () -> Date = { Date() }

    // MARK: Internals

    /// The deadline.
    private(set) var lastInstant: Instant?
    package var hooks = TestHooks()
    /// The records that were fetched for this opening, by the name of the migration and the position of the step.
    var fetched: [String: [Int: SpooledRecords]] = [:]

    /// Creates a configuration with the defaults named at each property.
    public init() {}
}

extension MoltConfiguration {
    /// What a process is that opens stores.
    public enum Process: Equatable, Sendable {
        /// The app, or a server: it upgrades stores, and ``Suite/standard`` is its own.
        case app
        /// A widget, an extension or a login item: it never upgrades a store, and ``Suite/standard`` is not the app's.
        ///
        /// The opening of a store that needs an upgrade waits for the app and then fails with the code
        /// `needsMigration`; by default it fails at once. The app must also create a store that does not exist yet.
        case helper(waiting: Duration = .zero)
        /// A process beside the app that upgrades stores, although ``Suite/standard`` is not the app's.
        case tool

        /// `.helper()` in an app extension, whose bundle has the path extension `appex`; `.app` in any other process.
        public static let current: Process = Bundle.main.bundleURL.pathExtension == "appex" ? .helper() : .app

        var upgrades: Bool { if case .helper = self { false } else { true } }
    }

    /// The policy for code that does not match the store's record of it.
    ///
    /// A mismatch is the developer's mistake: it should be noticed at once, but not stop users.
    public enum MismatchPolicy: Equatable, Sendable {
        /// An error is thrown.
        case fail
        /// A ``MigrationEvent`` is sent to the monitor.
        case report
        /// The mismatch is ignored.
        case ignore

        /// ``fail`` in debug builds, ``report`` in all others.
        public static var standard: MismatchPolicy {
            #if DEBUG
                .fail
            #else
                .report
            #endif
        }
    }
}

extension MoltConfiguration {
    var upgradeTimeout: Duration { max(.zero, timeout ?? .seconds(60)) }

    var accessTimeout: Duration { max(.zero, timeout ?? .seconds(5)) }

    /// The stores for blocks, in addition to those that steps name.
    package var attachedStores: [AttachedStore] { attachedStores(suites) }

    /// The stores for blocks, with other suites than those of the app.
    func attachedStores(_ suites: [Suite]) -> [AttachedStore] {
        suites.map(AttachedStore.suite) + hooks.directories.map(AttachedStore.directory)
    }

    /// Whether the last upgrade is redone when its migrations have changed since; false in release builds.
    var redoesLastUpgrade: Bool {
        #if DEBUG
            redoesUnshippedMigrations
        #else
            false
        #endif
    }

    /// The policy for backups of the upgrade.
    var effectiveBackup: BackupPolicy? {
        backup ?? (redoesLastUpgrade ? BackupPolicy(keep: 5) : nil)
    }

    /// Whether shapes of types are compared; false when no one would receive the result.
    var checksShapes: Bool {
        switch mismatches {
        case .fail: true
        case .report: monitor?.hasClosure == true
        case .ignore: false
        }
    }

    // MARK: Stopping

    /// The configuration of a run inside another call, which nobody follows and only that call stops.
    func unfollowed(stoppedBy isCancelled: @escaping @Sendable () -> Bool) -> Self {
        var configuration = self
        configuration.monitor = nil
        configuration.deadline = nil
        configuration.isCancelled = isCancelled
        return configuration
    }

    /// Cancels the upgrade also when a closure returns true.
    mutating func cancel(when isCancelled: @escaping @Sendable () -> Bool) {
        let other = self.isCancelled
        self.isCancelled = { isCancelled() || other() }
    }

    /// Throws when the upgrade was cancelled or its deadline has passed.
    @inline(never)
    func checkCancellation() throws {
        try checkDeadline()
        guard isCancelled() else { return }
        throw MoltError(
            .cancelled,
            "The opening was cancelled.",
            advice: "Open the store again to upgrade it.",
            underlying: CancellationError()
        )
    }

    /// Throws when the deadline has passed, or when the app has suspended its access to stores.
    func checkDeadline() throws {
        if StoreAccess.isSuspended { throw MoltError.suspended() }
        if let lastInstant, Instant.now >= lastInstant { throw MoltError.deadlinePassed }
    }
}

extension CodableCache {
    /// The limit of the memory layer, which drops values beyond it as it sees fit.
    public struct MemoryLimit: Equatable, Sendable {
        /// The limit in bytes of stored content; 0 for none.
        public var bytes: Int
        /// The limit in number of values; 0 for none.
        public var count: Int

        /// Creates a limit; 16 MiB by default.
        ///
        /// - Parameters:
        ///   - bytes: The limit in bytes of stored content; 16 MiB by default, and 0 for none.
        ///   - count: The limit in number of values; none by default.
        public init(bytes: Int = 16 << 20, count: Int = 0) {
            self.bytes = bytes
            self.count = count
        }
    }

    /// When a value expires; an expired value is treated as missing.
    ///
    /// Zero or negative seconds, and a past date, make the value expire immediately; an infinite number of seconds
    /// means never. NaN makes it expire immediately, too: no value outlives an unknown expiry.
    public enum Expiry: Equatable, Sendable {
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
}
