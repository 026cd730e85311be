package import Foundation

/// The policy for the backups that upgrades make before they write to a store.
///
/// ```swift
/// var configuration = MoltConfiguration()
/// configuration.backup = BackupPolicy(keep: 3, maximumAge: .seconds(90 * 24 * 3600))
/// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
/// ```
///
/// A failed upgrade is rolled back without a backup. A backup protects against damage that no transaction undoes: a
/// migration with a mistake, a return to an older release, or a failing disk.
///
/// A cache that does not exist yet is not backed up, and neither are settings that its migrations change: call
/// `Suite.backUp()` before.
///
/// A backup needs as much space as the store; without it, the upgrade does not begin. After an upgrade, older backups
/// are removed according to this policy. Backups that the app made itself are kept.
///
/// Backups are counted by the version of the store: an upgrade that is interrupted and tried again counts once, and
/// does not displace an older release's backup. Until it ends, the backups of its first and of its newest attempt are
/// kept, because the store may have changed in between; afterwards, only the newest.
public struct BackupPolicy: Sendable {
    /// The number of versions whose backups are kept, newest first; values below 1 count as 1.
    public var keep: Int
    /// The maximum age of a backup; nil for any age.
    ///
    /// The newest backup is kept at any age; it is the only one if the value is zero or less.
    public var maximumAge: Duration?
    /// The number of bytes that can be written at a path, or nil if unknown; tests replace it to simulate a full disk.
    package var freeSpace: @Sendable (_ path: String) -> Int64?
    package var now: @Sendable () -> Date

    /// Creates a policy; by default it keeps two backups of any age.
    ///
    /// - Parameters:
    ///   - keep: The number of versions whose backups are kept; values below 1 count as 1.
    ///   - maximumAge: The age at which backups other than the newest are removed; nil for no limit.
    public init(keep: Int = 2, maximumAge: Duration? = nil) {
        self.keep = keep
        self.maximumAge = maximumAge
        freeSpace = { FreeSpace.bytes(at: $0) }
        now = { Date() }
    }

    /// The automatic backups of a store that the policy no longer keeps; of each version only the newest is kept.
    func excess(of backups: [StoreBackup]) -> [StoreBackup] {
        let oldest = maximumAge.map { now().addingTimeInterval(-$0.seconds) }
        var versions: Set<Int> = []
        return backups.filter(\.isAutomatic).ordered { $1 < $0 }.enumerated()
            .filter { index, backup in
                let isNewestTry = versions.insert(backup.version).inserted
                let isTooOld = oldest.map { backup.date < $0 } ?? false
                return index > 0 && (!isNewestTry || versions.count > keep || isTooOld)
            }
            .map(\.element)
    }

    /// The backups of earlier attempts at an upgrade, except the first, when there is a newer one.
    ///
    /// An attempt that was killed removes none itself. The first backup shows the store before any attempt; the newest
    /// includes everything written since.
    func leftovers(of backups: [StoreBackup], before backup: StoreBackup) -> [StoreBackup] {
        let attempts = backups.filter { $0.isAutomatic && $0 < backup && $0.version == backup.version }
        return Array(attempts.ordered(by: <).dropFirst())
    }
}
