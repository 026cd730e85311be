internal import Foundation

extension MoltError {
    /// The options for a store that this release cannot upgrade.
    static func recoveryAdvice(_ kind: StoreKind) -> String {
        guard kind == .cache else {
            return "To go back to earlier settings, restore a backup with `Suite.restore(_:)`."
        }
        return "To go back to an earlier state, restore a backup with `CacheFile.restore(_:)`. To start with an "
            + "empty cache, call `CacheFile.startAfresh()`, which sets this one aside."
    }

    /// The error for a backup that does not fit on the disk.
    ///
    /// - Parameter free: The number of free bytes; nil when the disk became full during the copy.
    static func noSpace(
        for bytes: Int64,
        free: Int64?,
        in directory: String,
        store: String,
        kind: BackupName.Kind
    ) -> MoltError {
        let advice =
            switch kind {
            case .automatic: "Free some space, and open the store again, or open it without a backup."
            case .replaced: "Free some space, and try again, or keep no copy of what is replaced."
            case .manual, .aside, .damaged: "Free some space, and try again."
            }
        let found = free.map { "only \($0) bytes are free" } ?? "the disk became full during the copy"
        return MoltError(
            .noSpaceForBackup,
            "A backup of the store needs \(bytes) bytes in \(directory), and \(found).",
            advice: advice,
            outcome: .unchanged,
            store: store
        )
    }

    static func backupFailed(
        _ reason: String,
        advice: String? = nil,
        store: String,
        underlying: (any Error)? = nil
    ) -> MoltError {
        if (underlying as? DurableFile.Failure)?.isSuspension == true { return .suspended() }
        return MoltError(
            .backupFailed,
            "A backup of the store cannot be made: \(reason)",
            advice: advice,
            outcome: .unchanged,
            store: store,
            underlying: underlying
        )
    }

    static func backupUnusable(
        _ backup: StoreBackup,
        _ reason: String,
        advice: String = "Choose another one.",
        store: String? = nil,
        underlying: (any Error)? = nil
    ) -> MoltError {
        MoltError(
            .backupUnusable,
            "The backup at \(backup.url.path) cannot be restored: \(reason)",
            advice: advice,
            outcome: .unchanged,
            store: store,
            underlying: underlying
        )
    }

    static func backupOfAnotherStore(_ backup: StoreBackup, _ store: String) -> MoltError {
        backupUnusable(
            backup,
            "according to its name or directory, it belongs to a store other than \(store).",
            advice: "Choose another one, or pass `fromAnotherStore: true` to use it anyway.",
            store: store
        )
    }

    @inline(never)
    static func restoreFailed(
        _ backup: StoreBackup,
        _ reason: String,
        advice: String? = nil,
        underlying: (any Error)? = nil
    ) -> MoltError {
        if (underlying as? DurableFile.Failure)?.isSuspension == true { return .suspended() }
        return MoltError(
            .restoreFailed,
            "The backup at \(backup.url.path) cannot be restored: \(reason)",
            advice: advice,
            outcome: .unchanged,
            underlying: underlying
        )
    }
}
