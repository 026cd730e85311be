public import Foundation

/// A cache file, open or not: its version, its plan, its backups, and what repairs it.
///
/// ```swift
/// let file = CacheFile(at: url)
/// print(try file.plan(migrations))
/// if let backup = try file.backups().first { try file.restore(backup) }
/// ```
///
/// Making one reads nothing; each call looks at the file anew. A ``Suite`` has the same methods for settings without a
/// cache. Use ``CodableCache`` for the values in the file.
public struct CacheFile: Sendable {
    /// The file.
    public let url: URL
    package let path: String
    /// The file's name in output: its path, or that of the original.
    package let name: String
    /// Removes the file at its end; nil if the file is not a copy.
    private let copy: (any AnyObject & Sendable)?

    /// Names a cache file, which need not exist.
    public init(at url: URL) {
        self.init(at: url, named: FileStatus.path(of: url), retaining: nil)
    }

    /// - Parameters:
    ///   - name: The file's name in output.
    ///   - copy: What removes the file at its end; it is retained.
    package init(at url: URL, named name: String, retaining copy: (any AnyObject & Sendable)?) {
        self.url = url
        path = FileStatus.path(of: url)
        self.name = name
        self.copy = copy
    }

    /// The schema version of the file, read without writing; nil when there is no file.
    ///
    /// - Throws: ``MoltError`` when the file is not a cache, or cannot be read.
    public func version() throws -> Int? {
        let state = try state()
        return state.isFresh ? nil : state.version
    }

    /// The ledger: the applied migrations, in order, and the deferred ones.
    ///
    /// ```swift
    /// for entry in try CacheFile(at: url).history() { print(entry) }
    /// ```
    /// Empty when there is no file. Writes nothing.
    ///
    /// - Throws: ``MoltError`` when the file is not a cache, or cannot be read.
    public func history() throws -> [LedgerEntry] {
        try state().ledger
    }

    /// The upgrades that began and did not end: one in progress, or those that were interrupted.
    ///
    /// After five of them, opening the file fails with the code `attemptsFailed`; see
    /// ``MoltConfiguration/retriesInterruptedUpgrades``. An upgrade that ends, also with an error, forgets them.
    public func attempts() -> [UpgradeAttempt] {
        AttemptLog(of: path).attempts()
    }

    /// Computes what opening the file would do; writes nothing, and creates no file.
    ///
    /// ```swift
    /// print(try CacheFile(at: url).plan(migrations))
    /// ```
    ///
    /// A dry run also names types and properties in the migrations that no record has.
    ///
    /// - Throws: ``MoltError`` with the code `invalidRegistry`, or when the file is not a cache or cannot be read.
    public func plan(
        _ migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigrationPlan {
        let store = StoreFile(at: url, attaching: configuration.attachedStores)
        var plan = try migrations.plan(for: store, configuration)
        if plan.needsRun, let work = plan.spaceWork(configuration) {
            // A plan does not fail for an estimate.
            plan.space = try? FileProbe.look(path) { connection throws(SQLiteError) in
                try SpaceSample(of: connection).estimate(for: work)
            }
        }
        return plan
    }
}

extension CacheFile: CustomStringConvertible {
    /// The file's path.
    public var description: String { name }
}
