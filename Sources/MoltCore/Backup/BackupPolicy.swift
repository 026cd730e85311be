package import Foundation

/// Whether, and for how long, a store is copied before an upgrade writes to it.
///
/// ```swift
/// var configuration = CodableCache.Configuration()
/// configuration.backup = BackupPolicy(keep: 3, maximumAge: .seconds(90 * 24 * 3600))
/// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
/// ```
///
/// An upgrade that fails is rolled back without a backup. A backup is for what no transaction undoes: a migration that
/// did what it was told and was told the wrong thing, an older release that must go on, a disk that fails in the middle.
///
/// A backup takes the space of the store; when there is not as much, the upgrade does not begin. After an upgrade the
/// older ones are removed, as this says. Those that the app has asked for itself stay.
///
/// Backups count by the upgrades that they were made for: one that is cut off and tried again counts once, and takes no
/// older release's backup away. While it lasts, the copies of its first and of its newest try are kept, as the store may
/// have been written to in between; when it has ended, the newest. An upgrade that commits in batches and goes on in a
/// later opening makes no other one, unless the store was written to meanwhile.
public struct BackupPolicy: Sendable {
    /// Of how many upgrades the backups are kept, the newest ones; 1 when it is less.
    public var keep: Int
    /// How old a backup may become; nil for any age.
    ///
    /// The newest one is kept however old it is, and nothing else when this is zero or less.
    public var maximumAge: Duration?
    /// How many bytes may be written at a path, for tests of a full disk; nil where it is not known.
    package var freeSpace: @Sendable (_ path: String) -> Int64?
    /// What time it is.
    package var now: @Sendable () -> Date

    /// Creates a policy; two backups of any age are kept by default.
    public init(keep: Int = 2, maximumAge: Duration? = nil) {
        self.keep = keep
        self.maximumAge = maximumAge
        freeSpace = { FreeSpace.bytes(at: $0) }
        now = { Date() }
    }

    /// Of a store's backups, those that are not to be kept any longer.
    ///
    /// - Parameter start: What an upgrade began from: those with the same are of tries of one, of which the newest counts.
    package func excess(
        of backups: [StoreBackup],
        by start: (StoreBackup) -> UpgradeStart = { UpgradeStart($0) }
    ) -> [StoreBackup] {
        let oldest = maximumAge.map { now().addingTimeInterval(-$0.seconds) }
        var starts: Set<UpgradeStart> = []
        return backups.filter(\.isAutomatic).sorted(by: >).enumerated()
            .filter { index, backup in
                let isNewestTry = starts.insert(start(backup)).inserted
                let isTooOld = oldest.map { backup.date < $0 } ?? false
                return index > 0 && (!isNewestTry || starts.count > keep || isTooOld)
            }
            .map(\.element)
    }

    /// Of the backups that earlier tries of an upgrade have left, all but the first, when there is a newer one.
    ///
    /// A try that was killed removes nothing afterwards. The first was made when nothing had been tried yet; the newest has
    /// what was written since.
    package func leftovers(
        of backups: [StoreBackup],
        before backup: StoreBackup,
        by start: (StoreBackup) -> UpgradeStart = { UpgradeStart($0) }
    ) -> [StoreBackup] {
        let own = start(backup)
        return backups.filter { $0.isAutomatic && $0 < backup && start($0) == own }.sorted().dropFirst().map { $0 }
    }
}
