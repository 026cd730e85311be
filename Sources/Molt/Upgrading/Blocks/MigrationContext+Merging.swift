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
    ///   different records that would have the same key, if the policy does not decide, or if they have different
    ///   types; or the error of the closure of `merge`. All but the first always end the upgrade.
    public func renameKeys(
        _ type: String,
        to newKey: Record.NewKey,
        onConflict policy: ConflictPolicy<Record> = .fail
    ) throws {
        var sought = SoughtProperty(policy.path)
        try enumerate(type, mergingBy: Merging(policy: policy, newKey: newKey)) { _, record in
            sought.visit(record)
            try record.rename(newKey)
        }
        noteMissing(sought, of: type)
    }

    /// How records become one that would have the same key.
    struct Merging {
        var policy: ConflictPolicy<Record>
        var newKey: Record.NewKey
    }

    /// Merges the records of a type that would have the same key when the changes of a round are applied.
    func mergeRecords(ofType type: String, in round: Int, _ merging: Merging) throws {
        do {
            try perform { try $0.findRecordsToMerge(ofType: type, round: round) }
            var kept: Kept?
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
                        try merge(record, row, into: &merged, merging)
                        kept = merged
                    } else {
                        kept = Kept(record, row)
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
    private struct Kept {
        var record: Record
        let stored: Record
        let key: ExactName
        /// Whether its new key was counted and noted as a change.
        let isMoving: Bool

        init(_ record: Record, _ row: StoreTransaction.RecordToMerge) {
            (self.record, stored) = (record, record)
            (key, isMoving) = (row.key, row.isMoving)
        }
    }

    private func merge(
        _ record: Record,
        _ row: StoreTransaction.RecordToMerge,
        into kept: inout Kept,
        _ merging: Merging
    ) throws {
        let resolution: ConflictPolicy<Record>.Resolution
        let before = kept
        do {
            resolution = try merging.policy.merge(record, into: &kept.record)
        } catch {
            throw MoltError(error, in: step, key: record.key, type: record.typeName, store: runner.storeName)
        }
        var (lost, isLostMoving) = (record, row.isMoving)
        switch resolution {
        case .undecided(let reason):
            throw record.error(
                .keyExists,
                "The records \"\(before.stored.key)\" and \"\(record.key)\" of type \(record.typeName) would both get "
                    + "the same key, from \(merging.newKey.source), and they differ." + (reason.map { " " + $0 } ?? ""),
                advice: "Choose with `onConflict` what becomes of them, or change one of the keys first."
            )
        case .second:
            (lost, isLostMoving) = (before.stored, before.isMoving)
            let merged = kept.record
            kept = Kept(record, row)
            kept.record = merged
        case .equal, .first, .merged: break
        }
        touchDeleted(lost.id)
        try perform(at: UpgradePoint(.delete)) { try $0.delete(id: lost.id) }
        // It was counted as changed when it got its new key.
        if isLostMoving { counts.changed -= 1 }
        counts.dropped += 1
        if resolution.isLossy { noteMerged(ofType: record.typeName) }
        note(lost, nil, replacing: isLostMoving)
    }

    private func write(_ kept: Kept) throws {
        let stored = kept.stored
        guard kept.record.revision != stored.revision else { return }
        if stored.id < firstCreatedID { hasOriginals = true }
        touch(stored.id)
        try perform(at: UpgradePoint(.writeBatch)) { records in
            if stored.id < firstCreatedID { try records.keepOriginal(id: stored.id) }
            try records.write(kept.record, version: recordVersion)
        }
        if !kept.isMoving { counts.changed += 1 }
        var renamed = kept.record
        renamed.key = kept.key.text
        note(stored, renamed, replacing: kept.isMoving)
    }

    private func record(id: Int64) throws -> Record? {
        guard var record = try perform({ try $0.record(id: id) }) else { return nil }
        record.coding = coding
        try record.read()
        return record
    }
}

/// The property by which a policy compares records, and whether one of the visited records has it.
struct SoughtProperty {
    let path: PropertyPath?
    private(set) var count = 0
    private var isFound = false
    /// Records without it, for a similar name.
    private(set) var samples: [Record] = []

    init(_ path: PropertyPath?) {
        self.path = path
    }

    mutating func visit(_ record: Record) {
        guard let path, !isFound else { return }
        count += 1
        isFound = record.contains(path)
        if isFound { samples = [] } else if samples.count < 20 { samples.append(record) }
    }

    /// Whether there were records, and none had it.
    var isMissing: Bool { count > 0 && !isFound }
}
