/// What only tests and tools change in a ``MoltConfiguration``.
package struct TestHooks: Sendable {
    /// Called at each point of the upgrade, to inject failures; nil costs nothing.
    package var atPoint: UpgradeHook?
    /// The number of records that are read, changed and written at a time.
    package var batchSize = 512
    /// How often an upgrade may be interrupted before it is no longer tried.
    package var attemptLimit = 5
    /// The app's build; nil for that of the running one, which is found out only for an attempt.
    package var build: String?
    /// The maximum number of pages in the file, for a full disk; nil for no limit.
    package var pageLimit: Int?
    /// Whether a commit must survive a power loss; a test's copy need not.
    package var isDurable = true
    /// Whether the work of migrations after the commit is done and reported, and seeds are applied; a test's copy
    /// changes nothing outside it, and keeps its records.
    package var doesWork = true
    /// Whether what steps take out is handed over; a tool would store a user's secrets where it runs.
    package var handsOver = true
    /// Directories that replace those of the same name in the registry.
    package var directories: [AttachedDirectory] = []
    /// Why the backfill should pause on this device; nil if it need not.
    package var deviceState: @Sendable () -> MoltConfiguration.BackfillPace.DeviceState? = { .current }
    /// The time, in seconds, after which a backfill that pauses for the device asks again.
    package var deviceCheckInterval = 15.0
    /// Whether the report names what matches nothing in the store, which may read records; a dry run always does.
    package var findsUnmatchedNames: Bool = {
        #if DEBUG
            true
        #else
            false
        #endif
    }()
}
