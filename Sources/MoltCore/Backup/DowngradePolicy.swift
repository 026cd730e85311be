/// What happens when a store is opened that a newer app has upgraded.
///
/// ```swift
/// var configuration = CodableCache.Configuration()
/// configuration.downgrade = .restoreBackup { loss in
///     print("Would be lost: \(loss)")
///     return askUser("Go back to version \(loss.backup?.schemaVersion ?? 0)?")
/// }
/// ```
///
/// Nothing but a refusal happens by itself: each choice is named where the store is opened, and those that lose
/// something ask first.
public enum DowngradePolicy: Sendable {
    /// An error with the code `superseded`, and the store untouched.
    case refuse
    /// The store is opened for reading, when every newer migration has declared that older releases may read it.
    ///
    /// See ``Migration/readableByOlderReleases()``. Otherwise it is refused. A cache can be opened so; settings need not
    /// be, as a `Suite` is read without an upgrade.
    case openReadOnly
    /// The newest backup that the registry can open is put in the place of the store, when `confirm` says so.
    ///
    /// A backup has the settings, too, that the newer app's upgrade worked on: attach those suites, also when none of this
    /// app's migrations is about them. A backup that has one that is not attached is not put back. Suites that only later
    /// upgrades worked on are taken from the backups made before those; ``DowngradeLoss/storesLeft`` names the others.
    ///
    /// - Important: What was written since the backup was made is not seen any more. The store as it was is kept beside,
    ///   with `replaced` at the end of its name, until it is removed. Where `confirm` says no, or when there
    ///   is no such backup, the store is refused. Where that copy cannot be made, the opening fails with the code
    ///   `noSpaceForBackup` or `backupFailed`, and nothing is changed.
    case restoreBackup(confirm: @Sendable (DowngradeLoss) -> Bool)
    /// The store is kept aside under another name, and a fresh one takes its place, when `confirm` says so.
    ///
    /// Nothing is deleted, but the app does not see it any more. Settings of suites are not touched. Only a cache can be
    /// started afresh: the settings of a suite are also other libraries', and the system's.
    case startAfresh(confirm: @Sendable (DowngradeLoss) -> Bool)
}
