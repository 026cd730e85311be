/// Writes the records of an upgraded temporary store into an open one.
struct ImportMerge {
    let path: String
    let selection: RecordSelection
    let rule: any ImportRule
    let transfer: TransferProgress
    /// The number of records that were read before.
    let readCount: Int

    /// Merges the records in a write transaction of the open store.
    ///
    /// - Returns: The summary, with the numbers of records added.
    func run(from source: Connection, into session: CacheSession, _ summary: ImportSummary) throws -> ImportSummary {
        var summary = summary
        var search = selection.search()
        let count = try reading(source.recordCount)
        let rows = try reading { () throws(SQLiteError) in try source.prepare(.stored) }
        defer { rows.reset() }
        var names = TypeNamesInRows()
        var visited = 0
        while try reading(rows.step) {
            visited += 1
            try transfer.check(after: readCount + visited, of: readCount + count)
            let (key, type) = try reading { () throws(SQLiteError) in
                (try rows.key(1), try names.name(rows, 2))
            }
            search.note(type: type)
            guard selection.includes(key: key, type: type) else { continue }
            search.note(key)
            if let expiration = rows.real(3), expiration <= session.now {
                summary.expired += 1
                continue
            }
            let record = StoreContents.DatedRecord(rows, key: key, typeName: type)
            if !record.hasPossibleDates { throw impossibleDate(record.stored) }
            let isCreated = rows.real(9) != ImportSource.imported
            try rule.merge(record, isCreated: isCreated, into: session, &summary)
        }
        try reading { () throws(SQLiteError) in try source.checkIndexes(have: visited) }
        let quarantine = try reading { () throws(SQLiteError) in try QuarantineTable(of: source) }
        if let quarantine { summary.quarantined = try merge(quarantine, into: session, &search) }
        summary.waiting = try reading { () throws(SQLiteError) in
            try HandoverTable.add(from: source, to: session.connection) { key, type in
                guard let type else { return true }
                search.note(type: type)
                guard selection.includes(key: key, type: type) else { return false }
                search.note(key)
                return true
            }
        }
        if let key = search.missing {
            throw MoltError(
                .recordMissing,
                "The file at \(path) has no record under the key \"\(key)\".",
                advice: "Correct the key, or leave it out.",
                outcome: .unchanged,
                store: path,
                key: key
            )
        }
        transfer.report(readCount + visited, of: readCount + visited)
        summary.missingTypes = search.missingTypes.map(\.description)
        return summary
    }

    /// Adds the records that could not be converted to the open store's quarantine.
    ///
    /// - Returns: The number of records.
    private func merge(
        _ source: QuarantineTable,
        into session: CacheSession,
        _ search: inout RecordSelection.Search
    ) throws -> Int {
        var count = 0
        var target: QuarantineTable?
        let rows = try reading(source.rows)
        defer { rows.reset() }
        while try reading(rows.step) {
            guard selection.includesUnconverted(key: rows.text(1)) else { continue }
            search.note(rows.text(1))
            if target == nil { target = try QuarantineTable(creatingIn: session.connection) }
            try target?.add(rows)
            count += 1
        }
        return count
    }

    private func impossibleDate(_ record: StoreContents.StoredRecord) -> MoltError {
        MoltError(
            .storeFailed,
            "The record \"\(record.key)\" of the file at \(path) was created or changed at a time that no "
                + "calendar has.",
            advice: "Import the other records with a selection.",
            outcome: .unchanged,
            store: path,
            key: record.key,
            type: record.typeName
        )
    }

    /// Runs a closure that reads the temporary store; its error is not one of the open store.
    private func reading<Value>(_ body: () throws(SQLiteError) -> Value) throws(MoltError) -> Value {
        do throws(SQLiteError) { return try body() } catch { throw MoltError(error, store: path) }
    }
}
