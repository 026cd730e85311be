public import Foundation
public import MoltCore

extension CodableCache {
    /// Copies every record of a damaged file that can still be read into a new file, and lists what cannot.
    ///
    /// ```swift
    /// do {
    ///     cache = try CodableCache(at: url, migrations: migrations)
    /// } catch where isDamaged(error) {
    ///     let report = try CodableCache.salvage(from: url, to: newURL, migrations: migrations)
    ///     print(report)
    /// }
    ///
    /// func isDamaged(_ error: any Error) -> Bool {
    ///     let cause = (error as? CacheError)?.underlying ?? (error as? MigrationError)?.underlying
    ///     return (cause as? SQLiteError)?.isDamage == true
    /// }
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
    /// - Important: SQLite keeps no checksums. A bit that changed inside of a content, and left it JSON text, cannot be
    ///   noticed by anybody: such a record is saved as it is.
    /// - Parameters:
    ///   - url: The damaged file. Close every cache that has it open first. The log beside it, with `-wal` behind its
    ///     name, must be kept with it: it holds what was written last.
    ///   - newURL: The new file. Nothing may be there.
    ///   - migrations: What the app opens its caches with. It is looked at only when a part of the ledger is lost: those of
    ///     a version that the file has passed count as applied then. Without them, opening the new file throws
    ///     `lateMigration` for each whose row is lost.
    /// - Returns: What was saved, what was not, and what was assumed. Its description holds no values.
    /// - Throws: ``CacheError``: `fileMissing` or `notAFile` for the damaged file, `notADatabase` when nothing in it is a
    ///   cache's, `foreignFile`, `newerFormat`, `busy` while somebody writes it, or while another
    ///   salvage makes the new file, `fileExists` when there is something in
    ///   the place of the new file, or what the system says of the new file, as `storeFailed` for a full disk.
    public static func salvage(
        from url: URL,
        to newURL: URL,
        migrations: MigrationRegistry = []
    ) throws -> SalvageReport {
        let path = FileStatus.path(of: url)
        let newPath = FileStatus.path(of: newURL)
        do {
            return try Salvage(of: path, to: newPath, migrations).run()
        } catch let error as SQLiteError {
            throw CacheError(error, path: newPath)
        }
    }
}
