public import Foundation

extension CodableCache {
    /// Checks a whole cache file for damage.
    ///
    /// ```swift
    /// for finding in try CodableCache.verify(at: url) { print(finding) }
    /// ```
    ///
    /// The check covers the structure of the file, the indexes, each record and Molt's own tables; values are not
    /// decoded. It writes nothing and takes no write lock, so other processes may use the file meanwhile. A file with
    /// findings is damaged: restore a backup, or salvage its records with the product MoltSalvage.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - progress: Called from time to time on the caller's thread with the completed fraction, from 0 to 1.
    /// - Returns: At most 1000 findings; empty when the file is whole.
    /// - Throws: ``MoltError`` with the code `fileMissing` when there is no cache, or with the code for a file that is
    ///   not a cache or is entirely unreadable.
    public static func verify(at url: URL, progress: ((Double) -> Void)? = nil) throws -> [CodableCache.Finding] {
        try verify(FileStatus.path(of: url), progress) { false }
    }

    /// Checks a whole cache file on a queue of its own, as the synchronous call does.
    ///
    /// Cancelling the task, for example when a background task's time is over, ends the check.
    ///
    /// - Throws: The errors of the synchronous call, and `CancellationError`.
    public static func verify(
        at url: URL,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> [CodableCache.Finding] {
        try await DispatchQueue(label: "molt.verify").runCancellable { isCancelled in
            try verify(FileStatus.path(of: url), progress, isCancelled: isCancelled)
        }
    }

    /// Whether an error says that the file is damaged, or not a database.
    ///
    /// Restore a backup with ``restore(_:at:attaching:leavingUnattached:fromAnotherStore:keepsReplaced:timeout:)``, or salvage the
    /// records with `CodableCache.salvage(at:)` of the product MoltSalvage. A file that never was a cache gives such an
    /// error, too.
    public static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isDamage
        case let error as MoltError: error.code == .notADatabase || error.underlying.map(isDamage) == true
        case is MoltError.Damage: true
        default: false
        }
    }

    /// Whether an error says that the disk is full, or that a file has reached the largest size that it may have.
    ///
    /// The failed call has changed nothing. Try again when there is space.
    public static func isOutOfSpace(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isFull || error.isAtLimit
        case let error as DurableFile.Failure: error.isOutOfSpace
        case let error as MoltError: error.underlying.map(isOutOfSpace) == true
        default: false
        }
    }

    private static func verify(
        _ path: String,
        _ progress: ((Double) -> Void)?,
        isCancelled: @escaping () -> Bool
    ) throws -> [CodableCache.Finding] {
        do throws(MoltError) {
            let findings = try FileProbe.look(path) { connection throws(SQLiteError) in
                var check = CacheCheck(connection, progress: progress ?? { _ in }, isCancelled: isCancelled)
                try check.run()
                return check.findings
            }
            if let findings { return findings }
        } catch {
            if (error.underlying as? SQLiteError)?.isInterruption == true { throw CancellationError() }
            throw error
        }
        throw MoltError(.fileMissing, "There is no cache at \(path).", store: path)
    }
}
