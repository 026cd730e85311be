extension MoltError {
    /// Whether the file is damaged, or not a database.
    ///
    /// Restore a backup with ``CacheFile/restore(_:suites:leavingOthers:fromAnotherStore:keepingReplaced:timeout:)``,
    /// or salvage the records with `CacheFile.salvage(_:timeout:)` of the product MoltSalvage. A file that never was a
    /// cache gives such an error, too.
    public var isDamage: Bool {
        code == .notADatabase || underlying.map(Self.isDamage) == true
    }

    /// Whether the disk is full, or a file has reached the largest size that it may have.
    ///
    /// The failed call has changed nothing. Try again when there is space.
    public var isOutOfSpace: Bool {
        code == .noSpaceForBackup || underlying.map(Self.isOutOfSpace) == true
    }

    /// The error of a call that creates no file, for a path at which there is none.
    static func noCache(at path: String) -> MoltError {
        MoltError(
            .fileMissing,
            "There is no cache at \(path).",
            advice: "Check the path; the first opening of a cache there creates the file.",
            store: path
        )
    }

    package static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isDamage
        case let error as MoltError: error.isDamage
        case is Damage: true
        default: false
        }
    }

    package static func isOutOfSpace(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isFull || error.isAtLimit
        case let error as DurableFile.Failure: error.isOutOfSpace
        case let error as MoltError: error.isOutOfSpace
        default: false
        }
    }
}
