internal import Foundation

extension MigrationError.Code {
    /// There is not enough disk space for a backup; nothing was changed.
    public static let noSpaceForBackup = MigrationError.Code(rawValue: "noSpaceForBackup")
    /// A backup could not be made; nothing was changed.
    public static let backupFailed = MigrationError.Code(rawValue: "backupFailed")
    /// A backup cannot be restored: it is damaged, missing, or of another store; nothing was changed.
    public static let backupUnusable = MigrationError.Code(rawValue: "backupUnusable")
    /// Restoring a backup failed: the disk is full or faulty; the store is unchanged.
    public static let restoreFailed = MigrationError.Code(rawValue: "restoreFailed")
}

extension MigrationError {
    /// The options for a store that this release cannot upgrade.
    static let recoveryAdvice =
        "To go back to an earlier state, restore a backup. To begin with an empty cache and keep this one aside, call "
        + "CodableCache.startAfresh(at:); settings cannot start afresh."

    /// The error for a backup that does not fit on the disk.
    ///
    /// - Parameter free: The number of free bytes; nil when the disk became full during the copy.
    package static func noSpace(
        for bytes: Int64,
        free: Int64?,
        in directory: String,
        store: String,
        kind: BackupName.Kind = .automatic,
        underlying: (any Error)? = nil
    ) -> MigrationError {
        let advice =
            switch kind {
            case .automatic: "Free some space and open the store again, or open it without a backup."
            case .replaced: "Free some space and try again, or keep no copy of what is replaced."
            case .manual, .aside, .damaged: "Free some space and try again."
            }
        let found = free.map { "only \($0) bytes are free" } ?? "the disk became full during the copy"
        var error = MigrationError(
            .noSpaceForBackup,
            "A backup of the store needs \(bytes) bytes in \(directory), and \(found). \(advice) Nothing was changed.",
            underlying: underlying
        )
        error.store = store
        return error
    }

    package static func backupFailed(_ reason: String, store: String, underlying: (any Error)? = nil) -> MigrationError
    {
        if (underlying as? DurableFile.Failure)?.isSuspension == true { return .suspended() }
        var error = MigrationError(
            .backupFailed,
            "A backup of the store cannot be made: \(reason) Nothing was changed.",
            underlying: underlying
        )
        error.store = store
        return error
    }

    package static func backupUnusable(
        _ backup: StoreBackup,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> MigrationError {
        MigrationError(
            .backupUnusable,
            "The backup at \(backup.url.path) cannot be restored: \(reason) Choose another one. Nothing was changed.",
            underlying: underlying
        )
    }

    package static func backupOfAnotherStore(_ backup: StoreBackup, _ store: String) -> MigrationError {
        var error = MigrationError.backupUnusable(
            backup,
            "according to its name or directory, it belongs to a store other than \(store). Pass "
                + "`fromAnotherStore: true` to use it anyway."
        )
        error.store = store
        return error
    }

    package static func restoreFailed(
        _ backup: StoreBackup,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> MigrationError {
        if (underlying as? DurableFile.Failure)?.isSuspension == true { return .suspended() }
        return MigrationError(
            .restoreFailed,
            "The backup at \(backup.url.path) could not be restored: \(reason) The store is as it was.",
            underlying: underlying
        )
    }
}
