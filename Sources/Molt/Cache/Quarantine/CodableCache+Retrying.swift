internal import Foundation

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
    /// - Throws: ``MoltError``, also with the code `storeChanged` or `invalidRegistry`; the error of a
    ///   closure that was cancelled. Records that were converted before stay converted.
    @discardableResult
    public func retryQuarantined(
        _ ids: [Int64]? = nil,
        with migrations: MigrationRegistry
    ) throws -> QuarantineReport {
        try migrations.validate()
        let ledger = try core.read { session throws(SQLiteError) in
            try LedgerTable.state(session.connection).ledger
        }
        let retry = RecordRetry(migrations, ledger: ledger)
        let wanted = ids.map(Set.init)
        var report = QuarantineReport()
        var after: Int64 = 0
        while true {
            let page = try core.read { session throws(SQLiteError) in
                try session.connection.quarantined(after: after, limit: 256, byteLimit: 4 << 20)
            }
            guard let last = page.last else { return report }
            after = last.id
            let outcomes = try page.filter { wanted?.contains($0.id) ?? true }.map { record in
                let outcome =
                    record.isSound
                    ? try retry.run(record.stored, after: record.failure)
                    : .notTried("Its row in the file is damaged: there is no such step or version.")
                return (record, outcome)
            }
            report.entries += try change { session throws(SQLiteError) in
                var entries: [QuarantineReport.Entry] = []
                for (record, outcome) in outcomes {
                    if let entry = try session.settle(record, outcome) { entries.append(entry) }
                }
                return entries
            }
        }
    }
}

extension CacheSession {
    /// Writes the outcome of a retry, and moves a converted record into the store.
    ///
    /// - Returns: The entry for the report; nil if another process has removed the record first.
    fileprivate func settle(
        _ record: QuarantinedRecord,
        _ outcome: RecordRetry.Outcome
    ) throws(SQLiteError) -> QuarantineReport.Entry? {
        guard try connection.quarantined(record.id) != nil else { return nil }
        var entry = QuarantineReport.Entry(
            id: record.id,
            key: record.key,
            typeName: record.typeName,
            outcome: .notTried
        )
        switch outcome {
        case .notTried(let reason):
            entry.reason = reason
        case .dropped:
            entry.outcome = .dropped
            try connection.deleteQuarantined(record.id)
        case .failed(let changed, let failure):
            entry.outcome = .failed
            entry.failure = failure
            try connection.updateQuarantined(record.id, to: changed, after: failure)
        case .converted(let converted):
            if !ExactName.isSame(converted.key, record.key) { entry.newKey = converted.key }
            if try typeName(converted.key) != nil {
                entry.outcome = .keyTaken
            } else {
                entry.outcome = .converted
                try putBack(converted, quarantinedAs: record.id)
            }
        }
        return entry
    }
}
