extension MigrationContext {
    /// Gives the records of a type new keys.
    ///
    /// ```swift
    /// try migration.renameKeys("Tag", to: .lowercased, onConflict: .newest(by: "updated"))
    /// ```
    ///
    /// The rules are those of the step ``MigrationStep/renameKeys(_:to:onConflict:)``.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - newKey: The source of the new keys.
    ///   - policy: The policy for two different records that would have the same key; by default the upgrade fails.
    /// - Throws: ``MoltError`` with the code `typeMismatch` for a record without a new key, or `keyExists` for two
    ///   records that would have the same key, if the policy does not decide; that always ends the upgrade.
    public func renameKeys(
        _ type: String,
        to newKey: Record.NewKey,
        onConflict policy: Record.ConflictPolicy = .stop
    ) throws {
        try enumerate(type, mergingBy: policy) { _, record in
            let key = try newKey.key(of: record)
            if !ExactName.isSame(key, record.key) { record.key = key }
        }
    }

    /// Merges the records of a type that would have the same key when the changes of a round are applied.
    func mergeRecords(ofType type: String, in round: Int, by policy: Record.ConflictPolicy) throws {
        do {
            try perform { try $0.findRecordsToMerge(ofType: type, round: round) }
            var kept: Merged?
            var last: Int64 = 0
            while true {
                try configuration.checkCancellation()
                let rows = try perform { try $0.recordsToMerge(after: last, count: configuration.hooks.batchSize) }
                guard let end = rows.last else { break }
                for row in rows {
                    if let merged = kept, merged.key != row.key {
                        try write(merged)
                        kept = nil
                    }
                    guard let record = try withAutoreleasePool({ try self.record(id: row.id) }) else { continue }
                    if var merged = kept {
                        try merge(record, row, into: &merged, policy)
                        kept = merged
                    } else {
                        kept = Merged(record: record, key: row.key, isCounted: row.isMoving)
                    }
                }
                last = end.number
            }
            if let kept { try write(kept) }
        } catch {
            // Both records are whole, so the failure policy has no say.
            failure = failure ?? error
            throw error
        }
    }

    /// The record that stays.
    private struct Merged {
        var record: Record
        var key: ExactName
        /// Whether it was counted as changed.
        var isCounted: Bool
        /// The record as it is stored, once it was changed.
        var stored: Record?
        /// Whether a closure has merged others into it.
        var isMerged = false

        /// Makes it expire with another record, if that exists longer.
        mutating func extend(to other: Record) {
            guard record.expiresBefore(other) else { return }
            stored = stored ?? record
            record.expiration = other.expiration
        }
    }

    private func merge(
        _ record: Record,
        _ row: StoreTransaction.RecordToMerge,
        into merged: inout Merged,
        _ policy: Record.ConflictPolicy
    ) throws {
        let outcome: Record.ConflictPolicy.Outcome
        do {
            outcome = try policy.resolve(merged.record, isMerged: merged.isMerged, record)
        } catch {
            throw MoltError(error, in: step, key: record.key, type: record.typeName, store: runner.storeName)
        }
        let loser: Record
        switch outcome {
        case .undecided(let reason):
            throw record.error(
                .keyExists,
                "The records \"\(merged.record.key)\" and \"\(record.key)\" of type \(record.typeName) would both get "
                    + "the key \"\(row.key.text)\", and they differ." + (reason.map { " " + $0 } ?? ""),
                advice: "Choose with `onConflict` what becomes of them, or change one of the keys first."
            )
        case .second:
            loser = merged.stored ?? merged.record
            let replaced = merged.record
            merged = Merged(record: record, key: row.key, isCounted: row.isMoving)
            merged.extend(to: replaced)
        case .merged(let changed):
            loser = record
            merged.stored = merged.stored ?? merged.record
            merged.record = changed
            merged.isMerged = true
        case .equal, .first:
            loser = record
            merged.extend(to: record)
        }
        touch(loser.id, isDeleted: true)
        try perform(at: UpgradePoint(.delete)) { try $0.delete(id: loser.id) }
        noteMerged(ofType: record.typeName)
        note(loser, nil)
    }

    private func write(_ merged: Merged) throws {
        guard let stored = merged.stored else { return }
        if stored.id < firstCreatedID { hasOriginals = true }
        touch(stored.id)
        try perform(at: UpgradePoint(.writeBatch)) { records in
            if stored.id < firstCreatedID { try records.keepOriginal(id: stored.id) }
            try records.write(merged.record, version: recordVersion)
        }
        if !merged.isCounted { counts.changed += 1 }
        note(stored, merged.record)
    }

    private func record(id: Int64) throws -> Record? {
        guard var record = try perform({ try $0.record(id: id) }) else { return nil }
        record.coding = coding
        try record.read()
        return record
    }
}
