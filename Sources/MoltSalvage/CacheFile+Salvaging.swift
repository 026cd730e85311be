public import Foundation
public import Molt

extension CacheFile {
    /// Replaces a damaged file with one of its readable records, and lists the losses.
    ///
    /// ```swift
    /// do {
    ///     cache = try CodableCache(at: url, migrations: migrations)
    /// } catch let error as MoltError where error.isDamage {
    ///     print(try CacheFile(at: url).salvage(migrations))
    ///     cache = try CodableCache(at: url, migrations: migrations)
    /// }
    /// ```
    ///
    /// Close every cache that has the file open first, and keep the log beside it, whose name ends in `-wal`: it has
    /// the last writes.
    ///
    /// The damaged file and its log stay beside the new one, under a name that ends in `damaged`; see
    /// ``SalvageReport/setAside``. Molt never removes them. On volumes that support hard links, as those of apps do,
    /// there is always a file at the path: the old one or the new one. The work needs space for three copies of the
    /// file in the temporary directory. A cache that has the old file open gets the code `fileReplaced` at its next
    /// write.
    ///
    /// - Parameters:
    ///   - migrations: As for ``salvage(_:to:)``.
    ///   - timeout: How long to wait while another process replaces the file; 5 seconds by default.
    /// - Returns: What was saved, lost and assumed. Its description contains no values.
    /// - Throws: The errors of ``salvage(_:to:)``, and `MoltError` with the code `busy` when the file
    ///   was written to meanwhile. The damaged file is then where it was.
    @discardableResult
    public func salvage(_ migrations: MigrationRegistry = [], timeout: Duration = .seconds(5)) throws -> SalvageReport {
        try FileStatus.checkPath(path)
        return try Self.explained(path) {
            let salvage = try Salvage(of: path, to: nil, migrations)
            var report = try salvage.run()
            let patience = Patience(timeout)
            do {
                report.setAside = try StoreReplacement(of: path).setAside(
                    by: .file(salvage.copy.scratch),
                    ifStill: { try SalvageCopy.status(path) == salvage.copy.status },
                    waiting: { try patience.wait(orThrow: SQLiteError.busy) }
                )
            } catch let error as SQLiteError where error == .moved {
                throw MoltError(
                    .busy,
                    "The file at \(path) was written to while it was read.",
                    advice: "Close every cache that has it open, and try again.",
                    outcome: .unchanged,
                    store: path
                )
            }
            return report
        }
    }

    /// Copies every readable record of a damaged file into a new file, and lists the losses.
    ///
    /// ```swift
    /// let report = try CacheFile(at: url).salvage(migrations, to: newURL)
    /// print(report)
    /// ```
    ///
    /// Close every cache that has the file open first, and keep the log beside it, whose name ends in `-wal`: it has
    /// the last writes.
    ///
    /// The damaged file is only read. The work is done on a copy in the temporary directory and needs space for two
    /// copies of the file. The new file has the suffix `.part` until it is complete, and only its owner may read and
    /// write it. It gets the records with their keys, types, dates and versions, the ledger, the quarantine, and the
    /// pending changes to suites. It is upgraded when it is first opened.
    ///
    /// Records are found in the trees of the file, in its indexes and, where these are damaged, page by page. A file
    /// that SQLite no longer accepts as a database may therefore still yield nearly all of its records. Deleted records
    /// do not come back unless the part of the file that records the deletion is damaged; the report then says so.
    ///
    /// A record counts as readable when its key is text and its content is JSON text or raw data.
    ///
    /// - Important: SQLite keeps no checksums of the file. If a changed bit leaves the content valid JSON, the damage
    ///   goes unnoticed and the record is saved as it is. The log beside the file, which has the last writes, does have
    ///   checksums, and each of its intact pages is used. The report's description counts the others, and the records
    ///   that may be older because of them. A missing log goes unnoticed.
    /// - Parameters:
    ///   - newURL: The new file. Neither it nor a log beside it may exist.
    ///   - migrations: The migrations that the app opens its caches with. They are used only when a part of the ledger
    ///     is lost: those up to the version of the file then count as applied. Without them, opening the new file
    ///     throws `lateMigration` for each migration whose row is lost.
    /// - Returns: What was saved, lost and assumed. Its description contains no values.
    /// - Throws: `MoltError` with the code `fileMissing` or `notAFile` for the damaged file; `notADatabase` when it
    ///   contains nothing of a cache; `foreignFile`; `newerFormat`; `busy` while another process writes it, or another
    ///   salvage creates the new file; `fileExists` when the new file's path is in use; or the code of a failed write,
    ///   such as `storeFailed` for a full disk.
    @discardableResult
    public func salvage(_ migrations: MigrationRegistry = [], to newURL: URL) throws -> SalvageReport {
        let newPath = FileStatus.path(of: newURL)
        return try Self.explained(newPath) {
            try Salvage(of: path, to: newPath, migrations).run()
        }
    }

    /// Maps errors of SQLite and of the system to ``MoltError``.
    private static func explained<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw MoltError(error, store: path)
        } catch let error as DurableFile.Failure {
            throw FileStatus.failure(error.number, path: path)
        }
    }
}
