public import Foundation
public import MoltCache
public import MoltCore

extension CodableCache {
    /// Puts what can still be read of a damaged file in its place, and lists what cannot.
    ///
    /// ```swift
    /// do {
    ///     cache = try CodableCache(at: url, migrations: migrations)
    /// } catch where CodableCache.isDamage(error) {
    ///     print(try CodableCache.salvage(at: url, migrations: migrations))
    ///     cache = try CodableCache(at: url, migrations: migrations)
    /// }
    /// ```
    ///
    /// The damaged file and its log stay beside the new one, under a name that ends in `damaged`, which
    /// ``SalvageReport/setAside`` has; Molt never removes them. Where the volume allows two names for one file, as the
    /// volumes of apps do, there is always a file at the path: the old one or the new one. The work needs space for three
    /// copies of the file in the temporary directory. A cache that has the old file open gets the code `fileReplaced` at
    /// its next write.
    ///
    /// - Parameters:
    ///   - url: The damaged file. Close every cache that has it open first. Keep the log beside it, whose name ends in
    ///     `-wal`: it has what was written last.
    ///   - migrations: As for ``salvage(from:to:migrations:)``.
    ///   - timeout: How long to wait while another process replaces the file; 5 seconds by default.
    /// - Returns: What was saved, what was not, and what was assumed. Its description holds no values.
    /// - Throws: As ``salvage(from:to:migrations:)``, and `CacheError` with the code `busy` when the file was written to
    ///   meanwhile. The damaged file is then where it was.
    @discardableResult
    public static func salvage(
        at url: URL,
        migrations: MigrationRegistry = [],
        timeout: Duration = .seconds(5)
    ) throws -> SalvageReport {
        let path = FileStatus.path(of: url)
        try FileStatus.checkPath(path)
        return try explained(path) {
            let salvage = try Salvage(of: path, to: nil, migrations)
            var report = try salvage.run()
            let deadline = ContinuousClock.now + timeout
            do {
                report.setAside = try StoreReplacement(of: path).setAside(by: .file(salvage.copy.scratch)) {
                    try SalvageCopy.status(path) == salvage.copy.status
                } waiting: {
                    guard ContinuousClock.now >= deadline else { return }
                    throw SQLiteError.busy
                }
            } catch let error as SQLiteError where error == .moved {
                throw CacheError(
                    .busy,
                    "The file at \(path) was written to while it was read. Close every cache that has it open first. Nothing "
                        + "was changed.",
                    path: path
                )
            }
            return report
        }
    }

    /// Copies every record of a damaged file that can still be read into a new file, and lists what cannot.
    ///
    /// ```swift
    /// let report = try CodableCache.salvage(from: url, to: newURL, migrations: migrations)
    /// print(report)
    /// ```
    ///
    /// The damaged file is only read. The work is done on a copy in the temporary directory and needs space for two copies
    /// of the file. The new file has `.part` behind its name until it is whole, and only its owner may read and write it.
    /// It has the records with their keys, types, dates and versions, the ledger, the quarantine, and the changes that wait
    /// for attached stores. It is upgraded when it is first opened.
    ///
    /// Records are found in the trees of the file, in its indexes and, where these are damaged, page by page. So a file that
    /// SQLite no longer takes for a database may still give nearly all of its records. Deleted records do not come back,
    /// unless the part that says that they were deleted is damaged; the report then says so.
    ///
    /// A record counts as readable when its key is text and its content is JSON text or raw data.
    ///
    /// - Important: SQLite keeps no checksums of the file. A changed bit that leaves a content JSON text cannot be noticed,
    ///   and the record is saved as it is. The log beside the file, which has what was written last, does have checksums,
    ///   and each page of it that is intact is used. ``SalvageReport/lostPageCount`` counts the others, and
    ///   ``SalvageReport/staleCount`` the records that may be older because of them. A log that is missing altogether
    ///   cannot be noticed.
    /// - Parameters:
    ///   - url: The damaged file. Close every cache that has it open first. Keep the log beside it, whose name ends in
    ///     `-wal`: it has what was written last.
    ///   - newURL: The new file. Nothing may be there, nor a log beside it.
    ///   - migrations: The migrations that the app opens its caches with. They are used only when a part of the ledger is
    ///     lost: those up to the version of the file then count as applied. Without them, opening the new file throws
    ///     `lateMigration` for each migration whose row is lost.
    /// - Returns: What was saved, what was not, and what was assumed. Its description holds no values.
    /// - Throws: `CacheError` with the code `fileMissing` or `notAFile` for the damaged file; `notADatabase` when nothing in
    ///   it is a cache's; `foreignFile`; `newerFormat`; `busy` while another process writes it, or another salvage makes the
    ///   new file; `fileExists` when something is at the new file's place; or the code of a failed write, such as
    ///   `storeFailed` for a full disk.
    @discardableResult
    public static func salvage(
        from url: URL,
        to newURL: URL,
        migrations: MigrationRegistry = []
    ) throws -> SalvageReport {
        let newPath = FileStatus.path(of: newURL)
        return try explained(newPath) {
            try Salvage(of: FileStatus.path(of: url), to: newPath, migrations).run()
        }
    }

    /// Turns errors of SQLite and of the system into those of a cache.
    private static func explained<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw CacheError(error, path: path)
        } catch let error as DurableFile.Failure {
            throw FileStatus.failure(error.number, path: path)
        }
    }
}

extension CacheError {
    /// The error for the file at a path.
    init(_ code: Code, _ message: String, path: String) {
        self.init(code, message)
        self.path = path
    }
}
