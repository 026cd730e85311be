internal import Foundation
public import MoltCore

extension CodableCache {
    /// Retries the conversion of records in quarantine with a corrected registry, and moves the converted ones back.
    ///
    /// ```swift
    /// let cache = try CodableCache(at: url, migrations: migrations)
    /// if try cache.quarantinedCount > 0 {
    ///     print(try cache.retryQuarantined(with: migrations))
    /// }
    /// ```
    ///
    /// Each record runs through the migration that it failed in and all migrations applied to the store since. The
    /// result is the same as if that migration had never failed. To correct a step, change its closure, and keep the
    /// order of the steps and the revision: stores that have the migration must still recognize it.
    ///
    /// Converted records are written in transactions of 256 records or 4 MiB. A record that fails again stays in
    /// quarantine, with the new reason and in its shape before the migration that failed this time. A record stays
    /// unchanged when its key is taken, or when it cannot be tried: its way leads through a block (`run`) or another
    /// step that needs the whole store, or the store has run late migrations since, in another order than that of the
    /// registry. ``restoreQuarantined(_:replacing:)`` puts such a record back as it is.
    ///
    /// Steps that import data from elsewhere, or change only settings, do not run again.
    ///
    /// - Parameters:
    ///   - ids: The records to retry. The default is all.
    ///   - migrations: The app's registry.
    /// - Returns: The outcome of each record.
    /// - Throws: ``CacheError``; ``MigrationError`` with the code `storeChanged` or `invalidRegistry`; the error of a
    ///   closure that was cancelled. Records that were converted before stay converted.
    @discardableResult
    public func retryQuarantined(
        _ ids: [Int64]? = nil,
        with migrations: MigrationRegistry
    ) throws -> QuarantineReport {
        try migrations.validate()
        var report = QuarantineReport()
        let wanted = ids.map(Set.init)
        let (last, ledger) = try core.read { session throws(SQLiteError) in
            (try session.lastQuarantinedID(), try LedgerTable.state(session.connection).ledger)
        }
        let retry = RecordRetry(migrations, ledger: ledger)
        var after: Int64 = 0
        while after < last {
            let page = try core.read { session throws(SQLiteError) in
                try session.quarantineRows(after: after, through: last, limit: 256, byteLimit: 4 << 20)
            }
            guard let id = page.last?.id else { break }
            after = id
            let rows = page.filter { wanted?.contains($0.id) ?? true }
            let outcomes = try rows.map { row in
                row.isSound
                    ? try retry.run(row.record, after: row.failure)
                    : .notTried("Its row in the file is damaged: there is no such step or version.")
            }
            report.entries += try change { session throws(SQLiteError) in try session.settle(rows, outcomes) }
        }
        return report
    }
}

extension CacheSession {
    /// Writes the outcomes of retries, and moves converted records into the store.
    fileprivate func settle(
        _ rows: [QuarantineRow],
        _ outcomes: [RecordRetry.Outcome]
    ) throws(SQLiteError) -> [QuarantineReport.Entry] {
        var entries: [QuarantineReport.Entry] = []
        for (row, outcome) in zip(rows, outcomes) {
            // Another process may have removed it first.
            guard try quarantineRow(row.id) != nil else { continue }
            var entry = QuarantineReport.Entry(
                id: row.id,
                key: row.record.key,
                typeName: row.record.typeName,
                outcome: .notTried
            )
            switch outcome {
            case .notTried(let reason):
                entry.reason = reason
            case .dropped:
                entry.outcome = .dropped
                try deleteQuarantined(row.id)
            case .failed(let record, let failure):
                entry.outcome = .failed
                entry.failure = failure
                var again = row
                again.failure = failure
                again.record = record
                try update(again)
            case .converted(let record):
                if !RecordValue.Object.isSame(record.key, row.record.key) { entry.newKey = record.key }
                if try typeName(record.key) != nil {
                    entry.outcome = .keyTaken
                } else {
                    entry.outcome = .converted
                    try putBack(record, of: row)
                }
            }
            entries.append(entry)
        }
        return entries
    }
}
