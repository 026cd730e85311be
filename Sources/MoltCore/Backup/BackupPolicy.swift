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
public struct BackupPolicy: Sendable {
    /// How many backups are kept, the newest ones; at least 1.
    public var keep: Int
    /// How old a backup may become; nil for any age.
    ///
    /// The newest one is kept however old it is.
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
    package func excess(of backups: [StoreBackup]) -> [StoreBackup] {
        let automatic = backups.filter(\.isAutomatic).sorted(by: >)
        let oldest = maximumAge.map { now().addingTimeInterval(-$0.seconds) }
        return automatic.enumerated().dropFirst()
            .filter { index, backup in index >= keep || oldest.map { backup.date < $0 } ?? false }
            .map(\.element)
    }

    /// Of the backups that earlier tries of an upgrade have left, those that one more makes too many.
    ///
    /// A try that was killed removes nothing afterwards. Backups of other versions are not looked at: they are what
    /// older releases need.
    package func leftovers(of backups: [StoreBackup], before backup: StoreBackup) -> [StoreBackup] {
        backups.filter { $0.isAutomatic && $0.schemaVersion == backup.schemaVersion && $0 < backup }
            .sorted(by: >).dropFirst(max(1, keep)).map { $0 }
    }
}
