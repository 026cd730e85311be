/// Writes the records of an upgraded temporary store into an open one.
struct ImportMerge {
    let path: String
    let selection: RecordSelection
    let policy: ConflictPolicy<CodableCache>
    /// The coders that closures use.
    let coding: RecordCoding
    /// Gives a record of the open store today's form.
    let upgrade: (StoredContent) throws -> StoreContents.StoredRecord
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
            try merge(record, isCreated: rows.real(9) != RecordImport.imported, into: session, &summary)
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
                outcome: .unchanged,
                store: path,
                key: key
            )
        }
        transfer.report(readCount + visited, of: readCount + visited)
        summary.missingTypes = search.missingTypes.map(\.description)
        return summary
    }

    private func merge(
        _ record: StoreContents.DatedRecord,
        isCreated: Bool,
        into session: CacheSession,
        _ summary: inout ImportSummary
    ) throws {
        if let dates = try session.dates(record.stored.key) {
            switch policy.rule {
            case .fail, .merge, .newest, .newestSuite: throw conflict(record.stored)
            case .mergeImported(let body, _):
                // A record of a type that a migration on read deletes does not count.
                if let found = try session.content(record.stored.key) {
                    return try merge(record, createdWith: dates, found, body, into: session, &summary)
                }
                summary.added += 1
            case .newestValue where isCreated || record.updated <= dates.updated, .keep:
                summary.kept += 1
                return
            case .newestValue, .replace: summary.replaced += 1
            }
        } else {
            summary.added += 1
        }
        try session.set(record)
    }

    /// Merges a record into that of the open store.
    private func merge(
        _ record: StoreContents.DatedRecord,
        createdWith dates: (created: Double, updated: Double),
        _ found: StoredContent,
        _ body: @escaping @Sendable (_ record: inout Record, _ other: Record) throws -> Void,
        into session: CacheSession,
        _ summary: inout ImportSummary
    ) throws {
        let before = try upgrade(found)
        let stored = record.stored
        guard ExactName.isSame(before.typeName, stored.typeName) else {
            throw conflict(stored, "They have different types: the one of the cache is of type \(before.typeName).")
        }
        var result = StoreContents.DatedRecord(stored: before, created: dates.created, updated: dates.updated)
        do {
            var (merged, other) = (Record(before), Record(stored))
            (merged.coding, other.coding) = (coding, coding)
            try merged.read()
            try other.read()
            if case .equal = try ConflictPolicy<Record>.keep.merge(other, into: &merged) {
                summary.kept += 1
            } else {
                merged = Record(before)
                merged.coding = coding
                try merged.read()
                _ = try ConflictPolicy<Record>.merge(body).merge(other, into: &merged)
                summary.merged += 1
                (result.created, result.updated) = (min(dates.created, record.created), session.now)
            }
            result.stored = StoreContents.StoredRecord(merged)
        } catch {
            throw MoltError(inMerge: error, of: path, key: stored.key, type: stored.typeName)
        }
        if result.stored != before { try session.set(result) }
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

    private func conflict(_ record: StoreContents.StoredRecord, _ reason: String? = nil) -> MoltError {
        MoltError(
            .keyExists,
            "The cache has a value under the key \"\(record.key)\", and so has the import, from the file or a "
                + "migration." + (reason.map { " " + $0 } ?? ""),
            advice: reason == nil
                ? "Pass `onConflict:`, or --conflicts to the tool, to say which one stays."
                : "Change the key of one of them first, or import the other records with a selection.",
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

extension MoltError {
    /// Creates the error for what merging two values of an import has thrown.
    ///
    /// An error of the two values keeps its code. Any other one becomes the underlying error.
    ///
    /// - Parameters:
    ///   - path: The path of the file that is imported.
    ///   - suite: The name of the suite, if the values are settings.
    ///   - type: The type of the records.
    init(inMerge error: any Error, of path: String, suite: String? = nil, key: String, type: String? = nil) {
        if let error = error as? MoltError, error.store == nil, error.migration == nil {
            self = error
        } else {
            self.init(
                .stepFailed,
                "The closure of `onConflict` threw an error; see the underlying error.",
                underlying: error
            )
        }
        (store, self.suite, outcome) = (path, suite, .unchanged)
        (self.key, self.type) = (key, type)
    }
}
