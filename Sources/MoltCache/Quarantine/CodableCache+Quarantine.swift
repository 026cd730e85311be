internal import MoltCore

extension CodableCache {
    /// Returns the records that a migration could not convert, in the order in which they were quarantined.
    ///
    /// ```swift
    /// for record in try cache.quarantined() { print(record) }
    /// ```
    ///
    /// Records are quarantined when the policy allows it; see `MigrationOptions.unconvertible` and
    /// `MigrationStep.onFailure(_:)`. They stay in quarantine until they are retried with
    /// ``retryQuarantined(_:with:)``, restored or removed. Later upgrades and `removeAll` leave them alone. Reads do
    /// not see them, and their keys are free.
    ///
    /// - Parameters:
    ///   - id: Returns only records after this id. The default is all.
    ///   - limit: The maximum number of records. The default is no limit; read a large quarantine in pages.
    /// - Throws: ``CacheError``; ``MigrationError`` with the code `storeChanged`.
    public func quarantined(after id: Int64 = 0, limit: Int = .max) throws -> [QuarantinedRecord] {
        try quarantineRows(after: id, limit: limit).map(\.publicRecord)
    }

    /// The number of records in quarantine.
    public var quarantinedCount: Int {
        get throws {
            try core.read { session throws(SQLiteError) in
                guard try session.hasQuarantine() else { return 0 }
                return Int(try session.connection.integer("SELECT count(*) FROM molt_quarantine"))
            }
        }
    }

    /// Deletes records in quarantine.
    ///
    /// - Important: Deleted records cannot be recovered.
    /// - Parameter ids: The records to delete. The default is all.
    /// - Returns: The number of deleted records.
    @discardableResult
    public func removeQuarantined(_ ids: [Int64]? = nil) throws -> Int {
        try change { session throws(SQLiteError) in
            guard try session.hasQuarantine() else { return 0 }
            let connection = session.connection
            guard let ids else {
                try connection.execute("DELETE FROM molt_quarantine")
                return connection.changes
            }
            var count = 0
            for id in ids {
                try session.deleteQuarantined(id)
                count += connection.changes
            }
            return count
        }
    }

    /// Replaces a record in quarantine with a value in the store, under its key and with its expiry.
    ///
    /// - Parameters:
    ///   - id: The id of the record.
    ///   - value: The value to store.
    ///   - isReplacing: Whether to replace a value that was set under the key since. The default is false.
    /// - Throws: ``CacheError`` with the code `notQuarantined` or `keyTaken`, or as ``set(_:forKey:expiry:)`` does.
    public func restoreQuarantined<Value: Encodable>(
        _ id: Int64,
        as value: Value,
        replacing isReplacing: Bool = false
    ) throws {
        let row = try quarantineRow(id)
        let types = knownTypes.types
        var names = TypeNames()
        let encoded = try encode(value, key: row.record.key, expiry: .never, isKnown: types.contains, &names)
        let content = EncodedContent(
            data: encoded.data,
            isData: encoded.isData,
            typeName: encoded.typeName,
            expiration: row.record.expiration,
            firstShape: encoded.firstShape
        )
        try restore(row, replacing: isReplacing) { session throws(SQLiteError) in
            try session.set(row.record.key, content)
            try session.deleteQuarantined(row.id)
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
    /// - Throws: ``CacheError`` with the code `notQuarantined` or `keyTaken`; ``MigrationError`` with the code
    ///   `storeChanged`.
    public func restoreQuarantined(_ id: Int64, replacing isReplacing: Bool = false) throws {
        let row = try quarantineRow(id)
        try restore(row, replacing: isReplacing) { session throws(SQLiteError) in
            _ = try session.remove(row.record.key, as: .removed)
            try session.putBack(row.record, of: row)
        }
    }

    // MARK: Helpers

    private enum Restoring: Sendable {
        case done, gone, taken
    }

    /// Calls a closure that puts a row's record back, unless the row is gone or its key is taken.
    private func restore(
        _ row: QuarantineRow,
        replacing isReplacing: Bool,
        _ putBack: @Sendable (CacheSession) throws(SQLiteError) -> Void
    ) throws {
        let outcome = try change { session throws(SQLiteError) -> Restoring in
            // Another process may have removed it first.
            guard try session.quarantineRow(row.id) != nil else { return .gone }
            let isTaken = try session.typeName(row.record.key) != nil
            guard isReplacing || !isTaken else { return .taken }
            try putBack(session)
            return .done
        }
        switch outcome {
        case .done: return
        case .gone: throw notQuarantined(row.id)
        case .taken:
            throw CacheError(
                .keyTaken,
                "There is a value under the key of the record \"\(row.record.key)\", which was set after the record had "
                    + "been put into quarantine. Remove it, or pass `replacing: true`. Nothing was changed.",
                path: path,
                key: row.record.key
            )
        }
    }

    private func quarantineRow(_ id: Int64) throws -> QuarantineRow {
        let row = try core.read { session throws(SQLiteError) in try session.quarantineRow(id) }
        guard let row else { throw notQuarantined(id) }
        return row
    }

    /// Reads rows in a separate transaction.
    func quarantineRows(after id: Int64, limit: Int, byteLimit: Int = .max) throws -> [QuarantineRow] {
        try core.read { session throws(SQLiteError) in
            try session.quarantineRows(after: id, limit: max(0, limit), byteLimit: byteLimit)
        }
    }

    private func notQuarantined(_ id: Int64) -> CacheError {
        CacheError(
            .notQuarantined,
            "There is no record \(id) in quarantine: it was restored or removed, or never existed. Nothing was changed.",
            path: path
        )
    }
}
