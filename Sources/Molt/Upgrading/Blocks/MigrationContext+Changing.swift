internal import Foundation

extension MigrationContext {
    /// Adds a record, which `enumerate` does not visit.
    ///
    /// - Throws: ``MoltError`` with the code `keyExists`.
    func insert(_ record: inout Record, _ expiration: Date?) throws {
        if record.typeName.isEmpty { throw record.error(.stepFailed, Record.noTypeName) }
        record.expiration = expiration
        guard let arrival else { return try insert(record) }
        try insert(arrival.documents(from: record))
    }

    /// Adds a record that has been through the steps that it missed, and those that these have extracted from it.
    func insert(_ documents: [DocumentSteps.Document]) throws {
        for var document in documents {
            if let step = document.handedOverBy {
                try perform { try $0.handOver(document.record, from: HandoverSource(step)) }
            }
            guard !document.isDropped else { continue }
            guard document.isExtracted, let other = try record(forKey: document.record.key) else {
                try insert(document.record)
                continue
            }
            if try document.merge(into: other, store: runner.storeName) { try update(document.record) }
        }
    }

    private func insert(_ record: Record) throws {
        // The contents that are not written yet do not matter for it.
        try perform(at: UpgradePoint(.insert, "of \(record.typeName)"), writingFirst: false) {
            try $0.insert(record, id: nextID, version: recordVersion)
        }
        nextID += 1
        counts.created += 1
        try noteNew(record)
    }

    /// Notes a record that was added, for a dry run.
    func noteNew(_ record: @autoclosure () -> Record) throws {
        guard runner.notes != nil else { return }
        var record = record()
        try record.read()
        note(nil, record)
    }

    /// Writes back a record from ``record(forKey:)``: its content, expiry, key and type name.
    ///
    /// Inside `enumerate`, do not update the visited record and also change `new`: that is an error, because one of the
    /// two changes would be lost.
    ///
    /// - Throws: ``MoltError`` with the code `recordMissing` when the record was deleted in the meantime, or
    ///   `keyExists` when another record has its new key; or the error of a subscript of the record.
    public func update(_ record: Record) throws {
        if let failure = record.failure { throw failure }
        guard let stored = try perform({ try $0.record(id: record.id) }) else {
            throw record.error(.recordMissing, "The record was deleted, so it cannot be updated.")
        }
        if record.isDropped { return try delete(id: stored.id, ofType: stored.typeName, stored) }
        // Check before writing, so that the block may catch the error and go on.
        if let key = record.changedKey, let other = try perform({ try $0.record(forKey: key) }), other.id != record.id {
            throw stored.error(
                .keyExists,
                "The key \"\(key)\" is already used by another record, of type \(other.typeName).",
                advice: "Use a different key, or delete the other record first."
            )
        }
        // A copy from before a rename of its type does not restore the old name.
        let isRetyped = record.hasNewTypeName && !ExactName.isSame(record.typeName, stored.typeName)
        let round = newRound()
        if try write(record, isRetyped: isRetyped, round: round) {
            try perform(at: UpgradePoint(.applyPostponedChanges)) { try $0.applyPostponedChanges(round: round) }
        }
        // A record that the block has created is shown as it is in the end.
        let isNew = record.id >= firstCreatedID
        note(isNew ? nil : stored, record, replacing: isNew)
        guard isRetyped else { return }
        for level in enumerations.indices { enumerations[level].isBatchIncomplete = true }
    }

    /// Deletes the record with a key.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``MoltError`` with the code `storeFailed`.
    @discardableResult
    public func delete(_ key: String) throws -> Bool {
        guard let record = try perform({ try $0.record(forKey: key) }) else { return false }
        try delete(id: record.id, ofType: record.typeName, record)
        return true
    }

    /// Deletes all records of a type.
    ///
    /// - Returns: The number of deleted records.
    /// - Throws: ``MoltError`` with the code `storeFailed`.
    @discardableResult
    public func deleteAll(ofType type: String) throws -> Int {
        for level in enumerations.indices {
            enumerations[level].isBatchStale = true
            let current = try perform { try $0.record(id: enumerations[level].current) }
            if let current, ExactName.isSame(current.typeName, type) {
                enumerations[level].isCurrentDeleted = true
            }
        }
        let count = try perform(at: UpgradePoint(.deleteType, type)) { try $0.deleteType(type) }
        if count == 0 { try noteMissing(type) }
        noteDeleted(count, ofType: type)
        return count
    }

    /// Renames a type for all its records; if the new name already has records, the two types are merged.
    ///
    /// - Throws: ``MoltError`` with the code `storeFailed`.
    public func renameType(_ name: String, to newName: String) throws {
        let names = try types
        // Names are compared by their bytes, as in the store: different Unicode spellings are different types.
        guard !ExactName.isSame(name, newName) else { return }
        guard names.contains(where: { ExactName.isSame($0, name) }) else { return try noteMissing(name) }
        uncountedChanges += 1
        if hasOriginals || names.contains(where: { ExactName.isSame($0, newName) }) {
            hasOriginals = true
            try perform { try $0.keepOriginals(ofType: name) }
        } else {
            originalTypeNames[ExactName(newName)] = originalTypeNames.removeValue(forKey: ExactName(name)) ?? name
        }
        try perform(at: UpgradePoint(.renameType, "\(name) to \(newName)")) { try $0.renameType(name, to: newName) }
        for level in enumerations.indices {
            enumerations[level].isBatchStale = true
            enumerations[level].isBatchIncomplete = true
            enumerations[level].looksForOriginals = hasOriginals
        }
    }

    /// Renames a property in all records of a type that have it.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - newName: The new name, without the path.
    ///   - policy: The policy for a record in which another value has the new name.
    /// - Returns: The number of records that had the property.
    /// - Throws: ``MoltError`` with the code `propertyExists` when another value of a record has the new name.
    @discardableResult
    public func renameProperty(
        _ type: String,
        _ path: PropertyPath,
        to newName: String,
        onConflict policy: ConflictPolicy<RecordValue> = .fail
    ) throws -> Int {
        var renamed = 0
        try enumerate(type) { _, new in
            let revision = new.revision
            try new.rename(path, to: newName, ifMissing: .skip, onConflict: policy)
            if new.revision != revision { renamed += 1 }
        }
        return renamed
    }

    // MARK: Writing

    /// Writes a record, and postpones the change of its key and type name; returns whether there is one.
    ///
    /// - Parameter isVisited: Whether `enumerate` visits it, so that its content is written with those of other
    ///   records.
    func write(_ record: Record, isRetyped: Bool, round: Int, isVisited: Bool = false) throws -> Bool {
        if record.id < firstCreatedID { hasOriginals = true }
        touch(record.id)
        if record.id < firstCreatedID { counts.changed += 1 } else { uncountedChanges += 1 }
        let isWrittenLater = isVisited && !record.hasNewExpiration
        return try perform(at: UpgradePoint(.writeBatch), writingFirst: !isWrittenLater) { records in
            if isWrittenLater {
                unwritten.rows.append(
                    RecordContents.Row(record, version: recordVersion, buffer: 0, writingTo: &unwritten.buffers[0])
                )
            } else {
                if record.id < firstCreatedID { try records.keepOriginal(id: record.id) }
                try records.write(record, version: recordVersion)
            }
            guard record.changedKey != nil || isRetyped else { return false }
            try configuration.reach(.postponeChange)
            if let key = record.changedKey {
                try records.postpone(PostponedChange(round: round, id: record.id, kind: .key(key)))
            }
            if isRetyped {
                try records.postpone(PostponedChange(round: round, id: record.id, kind: .type(record.typeName)))
            }
            return true
        }
    }

    /// - Parameters:
    ///   - typeName: The record's stored type name.
    ///   - before: The record before the deletion, for a dry run.
    func delete(id: Int64, ofType typeName: String, _ before: Record?) throws {
        touchDeleted(id)
        try perform(at: UpgradePoint(.delete)) { try $0.delete(id: id) }
        noteDeleted(1, ofType: typeName)
        if let before { note(before, nil) }
    }

    /// Notes in the current enumerations that a record may have changed since they read it.
    func touch(_ id: Int64) {
        // No enumeration visits the records that the block has created.
        guard id < firstCreatedID else { return }
        for level in enumerations.indices {
            if id == enumerations[level].current {
                enumerations[level].isCurrentWritten = true
            } else if id > enumerations[level].current {
                enumerations[level].isBatchStale = true
                enumerations[level].looksForOriginals = true
            }
        }
    }

    /// Notes in the current enumerations that a record is deleted.
    func touchDeleted(_ id: Int64) {
        touch(id)
        for level in enumerations.indices where enumerations[level].current == id {
            enumerations[level].isCurrentDeleted = true
        }
    }
}
