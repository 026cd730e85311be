internal import Foundation

extension CodableCache {
    /// Returns the records in quarantine, in the order in which they were put there.
    ///
    /// ```swift
    /// for record in try cache.quarantined() { print(record) }
    /// ```
    ///
    /// Records that a migration cannot convert are quarantined when the policy allows it; see
    /// `MigrationRegistry.onFailure(_:)` and `MigrationStep.onFailure(_:)`. Records that their type cannot read are
    /// quarantined before a value is written over them; see ``MoltConfiguration/unreadableValues``. They stay in
    /// quarantine until they are retried with ``retryQuarantined(_:with:)``, restored or removed, and those of writes
    /// until there are too many of them. Later upgrades and `removeAll` leave them alone. Reads do not see them, and
    /// their keys are free.
    ///
    /// - Parameters:
    ///   - id: Returns only records after this id. The default is all.
    ///   - limit: The maximum number of records. The default is no limit; read a large quarantine in pages.
    /// - Throws: ``MoltError``, also with the code `storeChanged`.
    public func quarantined(after id: Int64 = 0, limit: Int = .max) throws -> [QuarantinedRecord] {
        try core.read { session in
            try session.connection.quarantined(after: id, limit: limit)
        }
    }

    /// The number of records in quarantine.
    public var quarantinedCount: Int {
        get throws {
            try core.read { try $0.connection.quarantinedCount() }
        }
    }

    /// Deletes some records in quarantine.
    ///
    /// - Important: Deleted records cannot be recovered.
    /// - Parameter ids: The records to delete; ids of records that are not in quarantine do nothing.
    /// - Returns: The number of deleted records.
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `readOnly`, `suspended`, `storeChanged` or
    ///   `storeFailed`.
    @discardableResult
    public func removeQuarantined(_ ids: [Int64]) throws -> Int {
        try change { session in
            guard let quarantine = try QuarantineTable(of: session.connection) else { return 0 }
            var count = 0
            for id in ids {
                try quarantine.remove(id)
                count += session.connection.changes
            }
            return count
        }
    }

    /// Deletes all records in quarantine.
    ///
    /// - Important: Deleted records cannot be recovered.
    /// - Returns: The number of deleted records.
    /// - Throws: As ``removeQuarantined(_:)`` does.
    @discardableResult
    public func removeAllQuarantined() throws -> Int {
        try change { session in
            guard let quarantine = try QuarantineTable(of: session.connection) else { return 0 }
            try quarantine.removeAll()
            return session.connection.changes
        }
    }

    /// Replaces a record in quarantine with a value in the store, under its key and with its expiry.
    ///
    /// - Important: The value may have any type, and the content of the record is lost. Look at the record's
    ///   ``QuarantinedRecord/typeName`` first, and compute the value from its ``QuarantinedRecord/content``.
    /// - Parameters:
    ///   - id: The id of the record.
    ///   - value: The value to store.
    ///   - isReplacing: Whether to replace a value that was set under the key since. The default is false.
    /// - Throws: ``MoltError`` with the code `notQuarantined` or `keyExists`, or as ``set(_:forKey:expiry:)`` does.
    public func restoreQuarantined<Value: Encodable>(
        _ id: Int64,
        as value: Value,
        replacing isReplacing: Bool = false
    ) throws {
        let record = try quarantined(id)
        var names = TypeNames()
        let content = try encode(
            value,
            key: record.key,
            expiry: record.expiration.map { .at($0) } ?? .never,
            isChecked: checkedShapes.contains,
            &names
        )
        try restore(record, replacing: isReplacing) { session in
            // The app knows of what it replaces.
            try session.set(record.key, content, isChecked: true)
            try QuarantineTable(of: session.connection)?.remove(id)
        }
    }

    /// Puts a record in quarantine back into the store as it is, with its type name, expiry and version.
    ///
    /// Use it for a record that cannot be retried because its way leads through a block. The app must be able to read
    /// its form: of the migrations that the store has applied, only one on read that is not complete converts it.
    ///
    /// - Parameters:
    ///   - id: The id of the record.
    ///   - isReplacing: Whether to replace a value that was set under the key since. The default is false.
    /// - Throws: ``MoltError`` with the code `notQuarantined`, `keyExists` or `storeChanged`.
    public func restoreQuarantined(_ id: Int64, replacing isReplacing: Bool = false) throws {
        let record = try quarantined(id)
        try restore(record, replacing: isReplacing) { session in
            _ = try session.remove(record.key, as: .removed)
            try session.putBack(record.stored, quarantinedAs: id)
        }
    }

    // MARK: Helpers

    private func quarantined(_ id: Int64) throws -> QuarantinedRecord {
        let record = try core.read { try $0.connection.quarantined(id) }
        guard let record else { throw notQuarantined(id) }
        return record
    }

    /// Calls a closure that puts a record back, unless it is gone or its key is in use.
    private func restore(
        _ record: QuarantinedRecord,
        replacing isReplacing: Bool,
        _ putBack: @Sendable (CacheSession) throws -> Void
    ) throws {
        try change { session in
            // Another process may have removed it first.
            guard try session.connection.quarantined(record.id) != nil else { throw notQuarantined(record.id) }
            if !isReplacing, try session.typeName(record.key) != nil { throw keyExists(record.key) }
            try putBack(session)
        }
    }

    private func notQuarantined(_ id: Int64) -> MoltError {
        MoltError(
            .notQuarantined,
            "There is no record \(id) in quarantine: it was restored or removed, or never existed.",
            store: path
        )
    }

    private func keyExists(_ key: String) -> MoltError {
        MoltError(
            .keyExists,
            "The key \"\(key)\" has a value that was set after its record went into quarantine.",
            advice: "Remove it, or pass `replacing: true`.",
            store: path,
            key: key
        )
    }
}

extension CodableCache {
    /// Retries the conversion of records in quarantine with a corrected registry, and moves the converted ones back.
    ///
    /// ```swift
    /// let cache = try CodableCache(at: url, migrations: migrations)
    /// if try cache.quarantinedCount > 0 {
    ///     for record in try cache.retryQuarantined(with: migrations) { print(record) }
    /// }
    /// ```
    ///
    /// Each record runs through the migration that it failed in and all migrations applied to the store since. The
    /// result is the same as if that migration had never failed. To correct a step, change its closure, and keep the
    /// order of the steps and the revision: stores that have the migration must still recognize it. A record that a
    /// write has quarantined runs through the migrations applied since.
    ///
    /// Converted records are written in transactions of 256 records or 4 MiB. A record that fails again stays in
    /// quarantine, with the new reason and in its shape before the migration that failed this time. A record stays
    /// unchanged when its key is in use, or when it cannot be tried: its way leads through a block (`run`) or another
    /// step that needs the whole store, the store has run late migrations since, in another order than that of the
    /// registry, or no migration applied since a write quarantined it changes it.
    /// ``restoreQuarantined(_:replacing:)`` puts such a record back as it is.
    ///
    /// Steps that import data from elsewhere, or change only settings, do not run again.
    ///
    /// - Parameters:
    ///   - ids: The records to retry. The default is all.
    ///   - migrations: The app's registry.
    /// - Returns: The records with their outcomes, in the order in which they were quarantined.
    /// - Throws: ``MoltError``, also with the code `storeChanged` or `invalidRegistry`; the error of a
    ///   closure that was cancelled. Records that were converted before stay converted.
    @discardableResult
    public func retryQuarantined(_ ids: [Int64]? = nil, with migrations: MigrationRegistry) throws -> [RetriedRecord] {
        try migrations.validate()
        let ledger = try core.read { session in
            try LedgerTable.state(session.connection).ledger
        }
        let retry = RecordRetry(migrations, ledger: ledger)
        let wanted = ids.map(Set.init)
        var retried: [RetriedRecord] = []
        var after: Int64 = 0
        while true {
            let page = try core.read { session in
                try session.connection.quarantined(after: after, limit: 256, byteLimit: 4 << 20)
            }
            guard let last = page.last else { return retried }
            after = last.id
            let results = try page.filter { wanted?.contains($0.id) ?? true }.map { record in
                let result =
                    record.isSound
                    ? try retry.run(record.stored, after: record.cause)
                    : .notTried("Its row in the file is damaged: the step or the version in it does not exist.")
                return (record, result)
            }
            retried += try change { session in
                try results.compactMap { record, result in
                    let retried = try session.apply(result, to: record)
                    if configuration.droppedKeyLifetime != nil, let retried { try session.noteKey(of: retried) }
                    return retried
                }
            }
        }
    }
}

extension CacheSession {
    /// Notes the key of a record that a retry has dropped, handed over or given another key.
    fileprivate func noteKey(of retried: CodableCache.RetriedRecord) throws(SQLiteError) {
        switch retried.outcome {
        case .dropped, .handedOver:
            try noteDropped(retried.key, ofType: retried.typeName)
        case .converted where retried.newKey != nil:
            try noteDropped(retried.key, ofType: retried.typeName, newKey: retried.newKey)
        default: break
        }
    }

    /// Writes the result of a retry, and moves a converted record into the store.
    ///
    /// - Returns: The record with its outcome; nil if another process has removed the record first.
    fileprivate func apply(
        _ result: RecordRetry.RetryResult,
        to record: CodableCache.QuarantinedRecord
    ) throws -> CodableCache.RetriedRecord? {
        guard let quarantine = try QuarantineTable(of: connection), try connection.quarantined(record.id) != nil else {
            return nil
        }
        var retried = CodableCache.RetriedRecord(record)
        switch result {
        case .notTried(let reason):
            retried.reason = reason
        case .dropped:
            retried.outcome = .dropped
            try quarantine.remove(record.id)
        case .handedOver(let converted, let source):
            retried.outcome = .handedOver
            try HandoverTable(creatingIn: connection).add(converted, from: source)
            try quarantine.remove(record.id)
        case .failed(let changed, let failure):
            retried.outcome = .failed
            retried.recordFailure = failure
            try quarantine.update(record.id, to: changed, after: failure)
        case .converted(let converted):
            if !ExactName.isSame(converted.key, record.key) { retried.newKey = converted.key }
            if try typeName(converted.key) != nil {
                retried.outcome = .keyExists
            } else {
                retried.outcome = .converted
                try putBack(converted, quarantinedAs: record.id)
            }
        }
        return retried
    }
}
