internal import Foundation
public import MoltCore

extension CodableCache {
    /// Tries to convert records in quarantine again, with a registry whose step was corrected, and puts them back.
    ///
    /// ```swift
    /// let cache = try CodableCache(at: url, migrations: migrations)
    /// if try cache.quarantinedCount > 0 {
    ///     print(try cache.retryQuarantined(with: migrations))
    /// }
    /// ```
    ///
    /// Each goes through the migration that it failed in, and through all that were applied to the store since; it is
    /// then what it would be, had that migration never failed. To correct the step, change what its closure does, and
    /// leave the order of the steps and the revision as they are: the migration stays the same for stores that have it.
    ///
    /// What is converted is written in one transaction for each 256 records or 4 MiB. A record that fails again stays in
    /// quarantine with the new reason, as it is before the migration that it failed in this time. One whose key is taken
    /// meanwhile stays as it was, and so does one that cannot be tried now, as when an attached store cannot be read.
    ///
    /// - Important: A `run` block sees the records that are tried with it, not the whole store; run again, it reads
    ///   attached stores and does not change them. What it creates is added unless the key is taken. Steps that bring
    ///   data in from elsewhere do not run again.
    /// - Parameters:
    ///   - ids: Which records; all by default.
    ///   - migrations: The app's registry.
    /// - Returns: What became of each record.
    /// - Throws: ``CacheError``; ``MigrationError`` with the code `storeChanged` or `invalidRegistry`; what says that a
    ///   closure was cancelled. What was converted before stays so.
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
        let trial = QuarantineTrial(migrations, ledger: ledger, configuration)
        var after: Int64 = 0
        while after < last {
            let page = try core.read { session throws(SQLiteError) in
                try session.quarantineRows(after: after, through: last, limit: 256, byteLimit: 4 << 20)
            }
            guard let id = page.last?.id else { break }
            after = id
            let rows = page.filter { wanted?.contains($0.id) ?? true }
            for group in QuarantineTrial.groups(rows) {
                let results = try trial.run(group)
                let part = try change { session throws(SQLiteError) in try session.settle(group, results) }
                report.entries += part.entries
                report.created += part.created
            }
        }
        return report
    }
}

extension CacheSession {
    /// Writes what came of rows: those that could be converted go into the store.
    fileprivate func settle(
        _ rows: [QuarantineRow],
        _ trial: QuarantineTrial.Results
    ) throws(SQLiteError) -> QuarantineReport {
        var report = QuarantineReport()
        for (row, result) in zip(rows, trial.results) {
            // Another process may have been quicker.
            guard try quarantineRow(row.id) != nil else { continue }
            var entry = QuarantineReport.Entry(
                id: row.id,
                key: row.record.key,
                typeName: row.record.typeName,
                outcome: .notTried
            )
            switch result {
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
                if !record.key.utf8.elementsEqual(row.record.key.utf8) { again.digest = nil }
                try update(again)
            case .converted(let record):
                let isSameKey = record.key.utf8.elementsEqual(row.record.key.utf8)
                if !isSameKey { entry.newKey = record.key }
                if try isTaken(record.key) {
                    entry.outcome = .keyTaken
                } else {
                    entry.outcome = .converted
                    try add(
                        record,
                        created: row.created,
                        updated: row.updated,
                        digest: isSameKey ? row.digest : nil
                    )
                    try deleteQuarantined(row.id)
                }
            }
            report.entries.append(entry)
        }
        for record in trial.created where try !isTaken(record.key) {
            try add(record, created: now, updated: now, digest: nil)
            report.created += 1
        }
        return report
    }
}
