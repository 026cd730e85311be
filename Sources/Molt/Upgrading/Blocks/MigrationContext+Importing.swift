/// Support for steps that import records in batches.
extension MigrationContext {
    /// Adds imported records, or merges them with those that have their keys.
    ///
    /// - Parameters:
    ///   - new: The records; empty afterwards.
    ///   - policy: The policy for two different records with the same key.
    /// - Throws: ``MoltError`` with the code `keyExists` if the policy does not decide; or the error of its closure.
    func add(imported new: inout NewRecords, _ policy: ConflictPolicy<Record>) throws {
        guard !new.isEmpty else { return }
        defer { new.removeAll() }
        try checkCancellation()
        if let arrival {
            for index in new.rows.indices {
                var documents = try arrival.documents(from: new.record(index, coding: coding))
                if !documents[0].isDropped, try record(forKey: documents[0].record.key) != nil {
                    try merge(imported: documents.removeFirst().record, policy)
                }
                try insert(documents)
            }
            return
        }
        let taken = try perform(at: UpgradePoint(.insert, "of \(new.typeName)"), writingFirst: false) {
            try $0.insert(new, from: nextID, version: recordVersion)
        }
        nextID += Int64(new.rows.count)
        counts.created += new.rows.count - taken.count
        guard runner.notes != nil || !taken.isEmpty else { return }
        var rest = taken[...]
        for index in new.rows.indices {
            if rest.first == index {
                rest.removeFirst()
                try merge(imported: new.record(index, coding: coding), policy)
            } else {
                try noteNew(new.record(index, coding: coding))
            }
        }
    }

    /// Merges an imported record with the one that has its key.
    ///
    /// - Throws: The error of the policy, which ends the upgrade, whatever the failure policy.
    private func merge(imported new: Record, _ policy: ConflictPolicy<Record>) throws {
        var new = new
        try new.read()
        do {
            guard var record = try self.record(forKey: new.key) else { throw runner.records.keyExists(new) }
            let (id, revision) = (record.id, record.revision)
            let isSameType = ExactName.isSame(record.typeName, new.typeName)
            let resolution = isSameType ? try policy.merge(new, into: &record) : .undecided(nil)
            switch resolution {
            case .equal, .merged: break
            case .first: missingCount += 1
            case .second:
                // What it replaces may be of the source, too.
                if id >= firstCreatedID { missingCount += 1 }
                record = try self.record(forKey: new.key).map { try $0.replaced(by: record) } ?? record
            case .undecided(let reason):
                throw new.error(
                    .keyExists,
                    "The source has a record with the key of a different record, of type \(record.typeName), which is in "
                        + "the store, or which the source has given before." + (reason.map { " " + $0 } ?? ""),
                    advice: isSameType
                        ? "Choose with `onConflict:` which record stays, or give the records other keys."
                        : "Give the records other keys."
                )
            }
            if resolution.isLossy {
                noteMerged(ofType: new.typeName)
                note(new, nil)
            }
            if record.revision != revision { try update(record) }
        } catch {
            let error = MoltError(error, in: step, key: new.key, type: new.typeName, store: runner.storeName)
            failure = failure ?? error
            throw error
        }
    }

    /// The error of the closure for a record that it cannot import.
    func located(_ error: any Error, at record: Record) -> MoltError {
        MoltError(error, in: step, key: record.key, type: record.typeName, store: runner.storeName)
    }

    /// Quarantines or drops a record that cannot be imported, if the failure policy says so.
    ///
    /// - Parameter record: The record as its source has it.
    /// - Throws: The error itself if the upgrade has to stop.
    func reject(imported record: Record, _ error: MoltError) throws {
        guard failurePolicy.tolerates(error) else { throw error }
        missingCount += 1
        try perform(at: UpgradePoint(.insert, "of \(record.typeName)"), writingFirst: false) {
            try $0.insert(record, id: nextID, version: recordVersion)
        }
        nextID += 1
        guard let stored = try self.record(forKey: record.key), try removeFailed(stored, now: record.typeName, error)
        else {
            throw error
        }
    }
}

extension Record {
    /// The stored record with the content and the expiry of another one.
    fileprivate func replaced(by other: Record) throws -> Record {
        var record = self
        if let data = other.data {
            try record.replaceContent(with: data)
        } else {
            record.replaceChecked(other.writtenContent)
        }
        record.extend(to: other)
        return record
    }
}
