public import Foundation
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
    /// The damaged file stays beside the new one, with its log, under a name that ends in `damaged`, which
    /// ``SalvageReport/setAside`` has: nothing removes it. At every moment there is a file at the path, the old one or
    /// the new one, where the volume can have two names for one file, as those of an app's data can. The work is done in
    /// the temporary directory, which needs space for the file three times. Who has the old one open gets the code `fileReplaced` at the next write.
    ///
    /// - Parameters:
    ///   - url: The damaged file. Close every cache that has it open first. The log beside it, with `-wal` behind its
    ///     name, must be kept with it: it holds what was written last.
    ///   - migrations: As for ``salvage(from:to:migrations:)``.
    ///   - timeout: How long to wait while another process puts something in the file's place; 5 seconds by default.
    /// - Returns: What was saved, what was not, and what was assumed. Its description holds no values.
    /// - Throws: As ``salvage(from:to:migrations:)``; ``CacheError`` with the code `busy`, too, when the file was written
    ///   to meanwhile. The damaged file is where it was then.
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
                report.setAside = try StoreReplacement(of: path).setAside(by: salvage.copy.scratch) {
                    try SalvageCopy.status(path) == salvage.copy.status
                } waiting: {
                    guard ContinuousClock.now >= deadline else { return }
                    throw SQLiteError.busy
                }
            } catch let error as SQLiteError where error == .moved {
                var failure = CacheError(
                    .busy,
                    "The file at \(path) was written to while it was read. Close every cache that has it open first. Nothing "
                        + "was changed."
                )
                failure.path = path
                throw failure
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
    /// The damaged file is only read; the work is done on a copy in the temporary directory, which needs space for the
    /// file twice. The new file is made with `.part` behind its name, gets its name when it is whole, and may be read
    /// and written by its owner only. It has the records with their keys, types, dates and versions, the ledger, and
    /// the changes that wait for attached stores; it is not upgraded until it is opened.
    ///
    /// Records are found by the trees of the file, by its indexes and, where these are damaged, by looking at each page:
    /// also a file that SQLite does not take for a database any more may hold nearly all of its records. What was
    /// deleted does not come back, unless the damaged part is the one that says so; the report then says that.
    ///
    /// A record counts as readable when its key is text and its content is JSON text, or raw data.
    ///
    /// - Important: SQLite keeps no checksums of the file. A bit that changed inside of a content, and left it JSON text,
    ///   cannot be noticed by anybody: such a record is saved as it is. What was written last is in the log beside the
    ///   file, page by page, with checksums. Each page of a damaged log that adds up is used;
    ///   ``SalvageReport/lostPageCount`` counts the others, and ``SalvageReport/staleCount`` the records that may be older
    ///   because of that. A log that is gone nobody misses.
    /// - Parameters:
    ///   - url: The damaged file. Close every cache that has it open first. The log beside it, with `-wal` behind its
    ///     name, must be kept with it: it holds what was written last.
    ///   - newURL: The new file. Nothing may be there, nor a log beside it.
    ///   - migrations: What the app opens its caches with. It is looked at only when a part of the ledger is lost: those of
    ///     a version that the file has passed count as applied then. Without them, opening the new file throws
    ///     `lateMigration` for each whose row is lost.
    /// - Returns: What was saved, what was not, and what was assumed. Its description holds no values.
    /// - Throws: ``CacheError``: `fileMissing` or `notAFile` for the damaged file, `notADatabase` when nothing in it is a
    ///   cache's, `foreignFile`, `newerFormat`, `busy` while somebody writes it, or while another salvage makes the new
    ///   file, `fileExists` when there is something in the place of the new file, or what the system says of the new file,
    ///   as `storeFailed` for a full disk.
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

    /// Whether an error of an opening, a read or a write says that the file is damaged, or no database at all.
    ///
    /// Then ``salvage(at:migrations:timeout:)`` saves what can still be read, and a backup may be put back. A file that
    /// never was a cache gives such an error, too: the salvage throws ``CacheError/Code/notADatabase`` for it.
    public static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.isDamage
        case let error as CacheError: error.code == .notADatabase || error.underlying.map(isDamage) == true
        case let error as MigrationError: error.underlying.map(isDamage) == true
        case is MigrationError.Damage: true
        default: false
        }
    }

    /// Runs a closure, and gives what SQLite and the system say the words of a cache.
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
