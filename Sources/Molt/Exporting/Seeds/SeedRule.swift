/// The rule of a seed: what equals a record of an earlier file is replaced, and what the user has changed or deleted
/// stays so.
final class SeedRule: ImportRule {
    private let memory: SeedMemory
    /// Gives a record of the open store today's form.
    private let upgrade: (StoredContent) throws -> StoreContents.StoredRecord
    /// What has become of the records.
    private(set) var result: MigrationReport.Seed

    init(
        _ memory: SeedMemory,
        of name: String,
        upgrade: @escaping (StoredContent) throws -> StoreContents.StoredRecord
    ) {
        self.memory = memory
        self.upgrade = upgrade
        result = MigrationReport.Seed(name: name)
    }

    func merge(
        _ record: StoreContents.DatedRecord,
        isCreated: Bool,
        into session: CacheSession,
        _ summary: inout ImportSummary
    ) throws {
        let key = record.stored.key
        guard let dates = try session.dates(key), let found = try session.content(key) else {
            if memory[key] != nil {
                result.leftDeleted += 1
            } else {
                try session.set(record, used: session.now)
                result.added += 1
            }
            return
        }
        // A value that cannot be upgraded did not come from an earlier file, so it stays.
        guard let current = try? upgrade(found) else {
            result.kept += 1
            return
        }
        if let extended = try? current.extended(ifEqualTo: record.stored) {
            result.unchanged += 1
            guard extended != current else { return }
            let extended = StoreContents.DatedRecord(stored: extended, created: dates.created, updated: dates.updated)
            try session.set(extended, used: session.now)
        } else if Self.isSame(current, memory[key]) {
            var record = record
            record.created = dates.created
            try session.set(record, used: session.now)
            result.replaced += 1
        } else {
            result.kept += 1
        }
    }

    /// Removes the record under a key, if it is still as an earlier file had it.
    ///
    /// - Returns: Whether it was removed.
    func remove(_ key: String, from session: CacheSession) throws -> Bool {
        guard let found = try session.content(key), let current = try? upgrade(found),
            Self.isSame(current, memory[key])
        else { return false }
        result.removed += 1
        return try session.remove(key, as: .removed)
    }

    /// Adds what the merge has counted besides.
    func note(_ summary: ImportSummary) {
        (result.expired, result.quarantined) = (summary.expired, summary.quarantined)
    }

    private static func isSame(
        _ record: StoreContents.StoredRecord,
        _ other: StoreContents.StoredRecord?
    ) -> Bool {
        guard let other else { return false }
        return (try? record.extended(ifEqualTo: other)) != nil
    }
}
