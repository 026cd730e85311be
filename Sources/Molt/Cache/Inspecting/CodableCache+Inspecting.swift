public import Foundation

extension CodableCache {
    /// The schema version of a cache file, read without writing; nil when there is no file.
    ///
    /// - Throws: ``MoltError`` when the file is not a cache, or cannot be read.
    public static func schemaVersion(ofFileAt url: URL) throws -> Int? {
        let state = try StoreFile.state(at: url)
        return state.isFresh ? nil : state.version
    }

    /// The ledger of a cache file: its applied migrations, in order, and its deferred ones.
    ///
    /// ```swift
    /// for entry in try CodableCache.history(at: url) { print(entry) }
    /// ```
    /// Empty when there is no file. Writes nothing.
    ///
    /// - Throws: ``MoltError`` when the file is not a cache, or cannot be read.
    public static func history(at url: URL) throws -> [LedgerEntry] {
        try StoreFile.state(at: url).ledger
    }

    /// The upgrades of a cache file that began and did not end: one in progress, or those that were interrupted.
    ///
    /// After five of them, opening the file fails with the code `attemptsFailed`; see
    /// ``MoltConfiguration/retriesInterruptedUpgrades``. An upgrade that ends, also with an error, forgets them.
    public static func attempts(at url: URL) -> [UpgradeAttempt] {
        AttemptLog(of: FileStatus.path(of: url)).attempts()
    }

    /// Runs an upgrade on a copy of a cache file and reports its effects; the file itself is not written to.
    ///
    /// ```swift
    /// print(try CodableCache.dryRun(at: url, migrations: migrations))
    /// ```
    ///
    /// All closures of the pending migrations run, so a failing upgrade fails here with the same error. The copy is in
    /// the temporary directory, which needs space for the file and its upgrade. It is removed at the end, or, after a
    /// kill, by the next dry run.
    ///
    /// If a newer release has upgraded the store, nothing is upgraded: the call throws `superseded`, or, with
    /// ``MoltConfiguration/opensNewerStores``, the report may say that the store would be open for reading.
    ///
    /// With samples, the report also shows records before and after each step, with the user's values:
    ///
    /// ```text
    /// split-full-name: transform Person
    ///   "ada" of type Person
    ///     - fullName: "Ada Lovelace"
    ///     + firstName: "Ada"
    ///     + lastName: "Lovelace"
    /// ```
    ///
    /// Suites and other attached stores are read and not changed.
    ///
    /// - Important: A block's other changes outside the store are made here, too.
    /// - Parameters:
    ///   - url: The file; when there is none, the report is that of a new store.
    ///   - migrations: The migrations to try.
    ///   - samples: The maximum number of changed records or settings to show for each step, at most 1 000; none by
    ///     default.
    ///   - configuration: How the cache would be opened; its monitor reports the progress.
    /// - Throws: ``MoltError`` as ``init(at:migrations:configuration:)`` does.
    public static func dryRun(
        at url: URL,
        migrations: MigrationRegistry,
        samples: Int = 0,
        configuration: Configuration = Configuration()
    ) throws -> MigrationReport {
        try DryRun(url, migrations, samples: samples, configuration).run()
    }

    /// Runs an upgrade on a copy of a cache file, on a queue of its own, and reports its effects.
    ///
    /// A release can try the migrations of the next one in the field, while the app is running:
    ///
    /// ```swift
    /// let monitor = MigrationMonitor()
    /// var configuration = CodableCache.Configuration()
    /// configuration.monitor = monitor
    /// configuration.deadline = .now + .seconds(20)
    /// _ = try? await CodableCache.dryRun(at: url, migrations: next, configuration: configuration)
    /// if let summary = monitor.summary { upload(summary) }
    /// ```
    ///
    /// At the configuration's ``MoltConfiguration/deadline``, or when the task is cancelled, it stops copying, or stops
    /// before the next record. It does not begin if the disk has no room for the copy and its upgrade. Attempts that a
    /// crash or a kill interrupts are not counted: note in the app that a dry run began.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - migrations: The migrations to try.
    ///   - samples: The maximum number of changed records or settings to show for each step; none by default.
    ///   - configuration: How the cache would be opened.
    ///   - priority: The priority of the work; by default one at which it does not slow down the app. Linux ignores it.
    /// - Throws: The errors of the synchronous method, and ``MoltError`` with the code `deadlinePassed` or
    ///   `cancelled`.
    public static func dryRun(
        at url: URL,
        migrations: MigrationRegistry,
        samples: Int = 0,
        configuration: Configuration = Configuration(),
        priority: TaskPriority = .utility
    ) async throws -> MigrationReport {
        let queue = DispatchQueue(label: "molt.dry-run", qos: DispatchQoS(priority))
        return try await queue.runCancellable { isCancelled in
            var configuration = configuration
            configuration.cancel(when: isCancelled)
            return try DryRun(url, migrations, samples: samples, configuration).run()
        }
    }
}

extension CodableCache {
    /// Checks a whole cache file for damage.
    ///
    /// ```swift
    /// for finding in try CodableCache.verify(at: url) { print(finding) }
    /// ```
    ///
    /// The check covers the structure of the file, the indexes, each record and Molt's own tables; values are not
    /// decoded. It writes nothing and takes no write lock, so other processes may use the file meanwhile. A file with
    /// findings is damaged: restore a backup, or salvage its records with the product MoltSalvage.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - progress: Called from time to time on the caller's thread with the completed fraction, from 0 to 1.
    /// - Returns: At most 1000 findings; empty when the file is whole.
    /// - Throws: ``MoltError`` with the code `fileMissing` when there is no cache, or with the code for a file that is
    ///   not a cache or is entirely unreadable.
    public static func verify(at url: URL, progress: ((Double) -> Void)? = nil) throws -> [CodableCache.Finding] {
        try verify(FileStatus.path(of: url), progress) { false }
    }

    /// Checks a whole cache file on a queue of its own, as the synchronous call does.
    ///
    /// Cancelling the task, for example when a background task's time is over, ends the check.
    ///
    /// - Throws: The errors of the synchronous call, and `CancellationError`.
    public static func verify(
        at url: URL,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> [CodableCache.Finding] {
        try await DispatchQueue(label: "molt.verify").runCancellable { isCancelled in
            try verify(FileStatus.path(of: url), progress, isCancelled: isCancelled)
        }
    }

    /// Whether an error says that the file is damaged, or not a database.
    ///
    /// Restore a backup with ``restore(_:at:attaching:leavingUnattached:fromAnotherStore:keepsReplaced:timeout:)``, or
    /// salvage the records with `CodableCache.salvage(at:)` of the product MoltSalvage. A file that never was a cache
    /// gives such an error, too.
    public static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isDamage
        case let error as MoltError: error.code == .notADatabase || error.underlying.map(isDamage) == true
        case is MoltError.Damage: true
        default: false
        }
    }

    /// Whether an error says that the disk is full, or that a file has reached the largest size that it may have.
    ///
    /// The failed call has changed nothing. Try again when there is space.
    public static func isOutOfSpace(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isFull || error.isAtLimit
        case let error as DurableFile.Failure: error.isOutOfSpace
        case let error as MoltError: error.code == .noSpaceForBackup || error.underlying.map(isOutOfSpace) == true
        default: false
        }
    }

    private static func verify(
        _ path: String,
        _ progress: ((Double) -> Void)?,
        isCancelled: @escaping () -> Bool
    ) throws -> [CodableCache.Finding] {
        do throws(MoltError) {
            return try CacheFile.look(path) { connection throws(SQLiteError) in
                var check = CacheVerification(connection, progress: progress ?? { _ in }, isCancelled: isCancelled)
                try check.run()
                return check.findings
            }
        } catch {
            if (error.underlying as? SQLiteError)?.isInterruption == true { throw CancellationError() }
            throw error
        }
    }
}

extension CodableCache {
    /// A fault that ``CodableCache/verify(at:progress:)-9aj1u`` found in a cache file.
    public struct Finding: Hashable, Sendable {
        /// The part of the file with the fault.
        public enum Kind: String, Hashable, Sendable, Codable {
            /// SQLite's own integrity check found a fault in the pages.
            case structure
            /// An index does not agree with the records: searches by it miss records, or find wrong ones.
            case index
            /// A record lacks its type name, has a key that is not text, or a time that is not a number.
            case record
            /// The content of a record is not valid JSON text.
            case content
            /// The ledger, the journal or another of Molt's own tables cannot be read.
            case bookkeeping
        }

        /// The part of the file with the fault.
        public let kind: Kind
        /// The record's key; nil when the finding is not about a record, or the key cannot be read.
        public let key: String?
        /// The record's type name; nil when the finding is not about a record, or the name is lost.
        public let typeName: String?
        /// A description of the fault; never a value.
        public let message: String
    }
}

extension CodableCache.Finding: CustomStringConvertible {
    /// One line: the kind, the record and the message.
    public var description: String {
        let record = key.map { " \"\($0)\"" + (typeName.map { " of type \($0)" } ?? "") } ?? ""
        return ErrorSummary.oneLine("\(kind.rawValue)\(record): \(message)")
    }
}

extension DispatchQoS {
    fileprivate init(_ priority: TaskPriority) {
        self =
            switch priority {
            case .high...: .userInitiated
            case .medium...: .default
            case .utility...: .utility
            default: .background
            }
    }
}

extension MigrationPlan {
    /// Computes what opening a cache file would do; writes nothing, and creates no file.
    ///
    /// ```swift
    /// let plan = try MigrationPlan(forFileAt: url, migrations: migrations)
    /// print(plan)
    /// ```
    ///
    /// A dry run also names types and properties in the migrations that no record has.
    ///
    /// - Throws: ``MoltError`` with the code `invalidRegistry`, or when the file is not a cache or cannot be
    ///   read.
    public init(
        forFileAt url: URL,
        migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws {
        self = try migrations.plan(for: StoreFile(at: url, attaching: configuration.attachedStores), configuration)
    }
}
