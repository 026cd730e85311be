public import Foundation
internal import MoltCore

extension CodableCache {
    /// The records that a migration could not convert, in the order in which they were set aside.
    ///
    /// ```swift
    /// for record in try cache.quarantined() { print(record) }
    /// ```
    ///
    /// They come into quarantine when the policy says so, see `MigrationOptions.unconvertible` and
    /// `MigrationStep.onFailure(_:)`, and stay there until they are tried again with ``retryQuarantined(_:with:)``, put
    /// back or removed; later upgrades leave them alone, and so does `removeAll`. Reads do not see them, and their
    /// keys are free.
    ///
    /// - Parameters:
    ///   - id: Only records behind the one with this id; all by default.
    ///   - limit: How many records at most; all by default. Of very many read one page after another.
    /// - Throws: ``CacheError``; ``MigrationError`` with the code `storeChanged`.
    public func quarantined(after id: Int64 = 0, limit: Int = .max) throws -> [QuarantinedRecord] {
        try quarantineRows(after: id, limit: limit).map(\.publicRecord)
    }

    /// How many records are in quarantine.
    public var quarantinedCount: Int {
        get throws {
            try core.read { session throws(SQLiteError) in
                guard try session.hasQuarantine() else { return 0 }
                return Int(try session.connection.integer("SELECT count(*) FROM molt_quarantine"))
            }
        }
    }

    /// Deletes records that are in quarantine.
    ///
    /// - Important: They are gone.
    /// - Parameter ids: Which of them; all by default.
    /// - Returns: How many there were.
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

    /// Puts a value in the place of a record that is in quarantine: under its key, with its expiry.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - value: What it is to be today.
    ///   - isReplacing: Whether a value that was set under the key meanwhile may be replaced; not by default.
    /// - Throws: ``CacheError`` with the code `notQuarantined`, or `keyTaken`, or as ``set(_:forKey:expiry:)``.
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
        try restore(row, isReplacing) { session throws(SQLiteError) in
            try session.apply(.set(key: row.record.key, content: content))
        }
    }

    /// Puts a record that is in quarantine back, with content that has today's shape.
    ///
    /// It is as if the content had been set under the record's key at the store's schema version: the migrations since
    /// do not see it. Content that has the shape of before goes through them with ``retryQuarantined(_:with:)``.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - content: JSON text, or raw data for a record that holds such.
    ///   - typeName: The type name that it is to have today; nil for the one that it had.
    ///   - isReplacing: Whether a value that was set under the key meanwhile may be replaced; not by default.
    /// - Throws: ``CacheError`` with the code `notQuarantined`, `keyTaken`, or `notEncodable` for what is no JSON text.
    public func restoreQuarantined(
        _ id: Int64,
        content: Data,
        typeName: String? = nil,
        replacing isReplacing: Bool = false
    ) throws {
        let row = try quarantineRow(id)
        guard row.record.isData || content.isJSONText else {
            var error = CacheError(
                .notEncodable,
                "The content for the record \"\(row.record.key)\" is not JSON text as RFC 8259 has it. Nothing was written."
            )
            error.path = path
            error.key = row.record.key
            throw error
        }
        let encoded = EncodedContent(
            data: content,
            isData: row.record.isData,
            typeName: typeName ?? row.record.typeName,
            expiration: row.record.expiration
        )
        try restore(row, isReplacing) { session throws(SQLiteError) in
            try session.apply(.set(key: row.record.key, content: encoded))
        }
    }

    // MARK: Helpers

    /// What became of a record that was to be put back.
    private enum Restoring: Sendable {
        case done, gone, taken
    }

    private func restore(
        _ row: QuarantineRow,
        _ isReplacing: Bool,
        _ write: @Sendable (CacheSession) throws(SQLiteError) -> Void
    ) throws {
        let outcome = try change { session throws(SQLiteError) -> Restoring in
            // Another process may have been quicker.
            guard try session.quarantineRow(row.id) != nil else { return .gone }
            let isTaken = try session.isTaken(row.record.key)
            guard isReplacing || !isTaken else { return .taken }
            try write(session)
            if let digest = row.digest { try session.awaitKey(row.record.key, digest: digest) }
            try session.deleteQuarantined(row.id)
            return .done
        }
        switch outcome {
        case .done: return
        case .gone: throw notQuarantined(row.id)
        case .taken:
            var error = CacheError(
                .keyTaken,
                "There is a value under the key of the record \"\(row.record.key)\", which was set after the record had "
                    + "been put into quarantine. Remove it, or pass `replacing: true`. Nothing was changed."
            )
            error.path = path
            error.key = row.record.key
            throw error
        }
    }

    private func quarantineRow(_ id: Int64) throws -> QuarantineRow {
        let row = try core.read { session throws(SQLiteError) in try session.quarantineRow(id) }
        guard let row else { throw notQuarantined(id) }
        return row
    }

    /// Reads rows in a transaction of their own.
    func quarantineRows(after id: Int64, limit: Int, byteLimit: Int = .max) throws -> [QuarantineRow] {
        try core.read { session throws(SQLiteError) in
            try session.quarantineRows(after: id, limit: max(0, limit), byteLimit: byteLimit)
        }
    }

    private func notQuarantined(_ id: Int64) -> CacheError {
        var error = CacheError(
            .notQuarantined,
            "There is no record \(id) in quarantine: it was put back or removed, or never there. Nothing was changed."
        )
        error.path = path
        return error
    }
}

extension Data {
    /// Whether it is JSON text as RFC 8259 has it, in UTF-8.
    var isJSONText: Bool {
        // Whether it throws is the answer.
        (try? Record(json: self)) != nil
    }
}
