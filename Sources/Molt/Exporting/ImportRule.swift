/// Decides what becomes of a record of an import in the open store.
protocol ImportRule {
    /// Writes a record, or leaves it out, in a write transaction of the open store; counts it in the summary.
    ///
    /// - Parameters:
    ///   - record: The record, in today's form.
    ///   - isCreated: Whether a migration has created it, so that it has no date of its own.
    func merge(
        _ record: StoreContents.DatedRecord,
        isCreated: Bool,
        into session: CacheSession,
        _ summary: inout ImportSummary
    ) throws
}

/// The rule of an import: a policy decides where the open store has another value.
struct ConflictRule: ImportRule {
    let path: String
    let policy: ConflictPolicy<CodableCache>
    /// The coders that closures use.
    let coding: RecordCoding
    /// Gives a record of the open store today's form.
    let upgrade: (StoredContent) throws -> StoreContents.StoredRecord

    func merge(
        _ record: StoreContents.DatedRecord,
        isCreated: Bool,
        into session: CacheSession,
        _ summary: inout ImportSummary
    ) throws {
        if try session.add(record) {
            summary.added += 1
            return
        }
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
            // Either the one under the key has expired, or the record is the first one of its type.
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
            if let extended = try before.extended(ifEqualTo: stored) {
                summary.kept += 1
                result.stored = extended
            } else {
                var (merged, other) = (Record(before), Record(stored))
                (merged.coding, other.coding) = (coding, coding)
                try merged.read()
                try other.read()
                _ = try ConflictPolicy<Record>.merge(body).merge(other, into: &merged)
                summary.merged += 1
                (result.created, result.updated) = (min(dates.created, record.created), session.now)
                result.stored = StoreContents.StoredRecord(merged)
            }
        } catch {
            throw MoltError(inMerge: error, of: path, key: stored.key, type: stored.typeName)
        }
        if result.stored != before { try session.set(result) }
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
}

extension StoreContents.StoredRecord {
    /// The record with the later expiry of the two, if another one has the same type and an equal content; otherwise
    /// nil.
    ///
    /// - Throws: ``MoltError`` for content that is not JSON text.
    func extended(ifEqualTo other: Self) throws -> Self? {
        guard ExactName.isSame(typeName, other.typeName) else { return nil }
        var (record, otherRecord) = (Record(self), Record(other))
        try record.read()
        try otherRecord.read()
        guard case .equal = try ConflictPolicy<Record>.keep.merge(otherRecord, into: &record) else { return nil }
        return Self(record)
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
