internal import Foundation

extension MigrationError.Code {
    /// There is not as much space on the disk as a backup needs; nothing was changed.
    public static let noSpaceForBackup = MigrationError.Code(rawValue: "noSpaceForBackup")
    /// A backup could not be made; nothing was changed.
    public static let backupFailed = MigrationError.Code(rawValue: "backupFailed")
    /// A backup cannot be put back: it is damaged, missing, or none of this store; nothing was changed.
    public static let backupUnusable = MigrationError.Code(rawValue: "backupUnusable")
    /// A backup could not be put back: a disk that is full, or fails; the store is as it was.
    public static let restoreFailed = MigrationError.Code(rawValue: "restoreFailed")
}

extension MigrationError {
    /// What can be done with a store that this release cannot upgrade.
    static let waysBack =
        "To go on with what there was before, call restore with a backup; to begin with an empty cache and keep this one "
        + "aside, call CodableCache.startAfresh(at:)."

    /// The error for a backup that would not fit on the disk.
    ///
    /// - Parameter free: The bytes that are free; nil when the disk was full in the middle.
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
        let found = free.map { "only \($0) bytes are free" } ?? "the disk was full before it was whole"
        var error = MigrationError(
            .noSpaceForBackup,
            "A backup of the store needs \(bytes) bytes in \(directory), and \(found). \(advice) Nothing was changed.",
            underlying: underlying
        )
        error.store = store
        return error
    }

    /// The error for a backup that could not be made.
    package static func backupFailed(_ reason: String, store: String, underlying: (any Error)? = nil) -> MigrationError
    {
        var error = MigrationError(
            .backupFailed,
            "A backup of the store cannot be made: \(reason) Nothing was changed.",
            underlying: underlying
        )
        error.store = store
        return error
    }

    /// The error for a backup that cannot be put back.
    package static func backupUnusable(
        _ backup: StoreBackup,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> MigrationError {
        MigrationError(
            .backupUnusable,
            "The backup at \(backup.url.path) cannot be put back: \(reason) Choose another one. Nothing was changed.",
            underlying: underlying
        )
    }

    /// The error for a backup that is not one of the store that it was to be put back into.
    package static func backupOfAnotherStore(_ backup: StoreBackup, _ store: String) -> MigrationError {
        var error = MigrationError.backupUnusable(
            backup,
            "it is none of \(store), by its name and its directory. Say `fromAnotherStore: true` if it is to take that "
                + "store's place all the same."
        )
        error.store = store
        return error
    }

    /// The error for a backup that could not be put back.
    package static func restoreFailed(
        _ backup: StoreBackup,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> MigrationError {
        MigrationError(
            .restoreFailed,
            "The backup at \(backup.url.path) could not be put back: \(reason) The store is as it was.",
            underlying: underlying
        )
    }
}
