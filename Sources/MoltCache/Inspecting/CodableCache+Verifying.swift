public import Foundation
internal import MoltCore

extension CodableCache {
    /// Checks all of a cache file, and says what is wrong with it.
    ///
    /// ```swift
    /// for finding in try CodableCache.verify(at: url) { print(finding) }
    /// ```
    ///
    /// The check looks at the structure of the file, the indexes, each record and Molt's own tables. It does not decode
    /// values. It writes nothing and takes no write lock: other processes may use the file meanwhile. A file with findings
    /// is damaged; put a backup in its place, or save what can be read with the product MoltSalvage.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - progress: Called now and then on the caller's thread with the part that is done, from 0 to 1.
    /// - Returns: What is wrong, at most 1000 findings; empty for a file that is whole.
    /// - Throws: ``CacheError`` with the code `fileMissing` when there is no cache, and that of a file that is not a cache,
    ///   or of which nothing can be read.
    public static func verify(at url: URL, progress: ((Double) -> Void)? = nil) throws -> [CacheFinding] {
        try verify(FileStatus.path(of: url), progress) { false }
    }

    /// Checks all of a cache file on a queue of its own, as the synchronous call does.
    ///
    /// A task that is cancelled, as one in the background whose time is over, ends the check.
    ///
    /// - Throws: As the synchronous call, and `CancellationError`.
    public static func verify(
        at url: URL,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> [CacheFinding] {
        try await DispatchQueue(label: "molt.verify").runCancellable { isCancelled in
            try verify(FileStatus.path(of: url), progress, isCancelled: isCancelled)
        }
    }

    /// Whether an error of an opening, a read or a write says that the file is damaged, or not a database at all.
    ///
    /// Put a backup in its place with ``restore(_:at:attaching:fromAnotherStore:keepsReplaced:timeout:)``, or save what can
    /// be read with `CodableCache.salvage(at:)` of the product MoltSalvage. A file that never was a cache gives such an
    /// error, too.
    public static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isDamage
        case let error as CacheError: error.code == .notADatabase || error.underlying.map(isDamage) == true
        case let error as MigrationError: error.underlying.map(isDamage) == true
        case is MigrationError.Damage: true
        default: false
        }
    }

    private static func verify(
        _ path: String,
        _ progress: ((Double) -> Void)?,
        isCancelled: @escaping () -> Bool
    ) throws -> [CacheFinding] {
        do throws(CacheError) {
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
        var error = CacheError(.fileMissing, "There is no cache at \(path).")
        error.path = path
        throw error
    }
}
