public import Foundation

/// Takes the records that a step fetches before the upgrade; see
/// ``MigrationStep/fetchRecords(_:as:revision:onConflict:_:)``.
///
/// Any number of tasks may add records.
public final class FetchedRecords: Sendable {
    private let typeName: String
    private let coding: RecordCoding
    private let records: SpooledRecords
    private let expected = Locked<Int?>(nil)

    init(_ type: String, _ coding: RecordCoding) throws {
        typeName = type
        self.coding = coding
        records = try SpooledRecords()
    }

    /// The number of records that the source has given so far.
    public var count: Int { records.count }

    /// The number of records that the source has, if it is known; nil by default.
    ///
    /// The opening fails if the source gives another number of records.
    public var expectedCount: Int? {
        get { expected.withLock { $0 } }
        set { expected.withLock { $0 = newValue } }
    }

    /// Adds a value, which the migration's coders encode; `Data` is stored as raw data.
    ///
    /// - Parameters:
    ///   - value: The value, in the form of the migration's own version: later migrations change it.
    ///   - key: The key; it must not be empty.
    ///   - expiration: When it expires; nil for never.
    /// - Throws: ``MoltError`` with the code `typeMismatch` if the value cannot be encoded, `cannotStore` for an empty
    ///   key, `storeFailed` if the temporary database cannot be written, or `closed` if the closure that got the
    ///   records has returned; `CancellationError` if the task was cancelled.
    public func add(_ value: some Encodable, forKey key: String, expiration: Date? = nil) throws {
        try counting {
            var record = Record(coding: coding, key: key, typeName: typeName)
            try record.replaceUnread(with: value)
            try add(record, expiration)
        }
    }

    /// Adds a record with properties of any kind.
    ///
    /// - Throws: The same errors as for a value.
    public func add(_ content: RecordValue, forKey key: String, expiration: Date? = nil) throws {
        try counting {
            var record = Record(coding: coding, key: key, typeName: typeName)
            try record.replaceContent(with: content)
            try add(record, expiration)
        }
    }

    /// Adds a record whose content is JSON text, which is kept byte for byte.
    ///
    /// - Throws: ``MoltError`` with the code `malformedContent` if it is not JSON, or the same errors as for a value.
    public func add(json: Data, forKey key: String, expiration: Date? = nil) throws {
        try counting { try add(Record(key: key, typeName: typeName, json: Array(json)), expiration) }
    }

    /// Notes a record that is not added, although the closure may go on without it.
    private func counting(_ add: () throws -> Void) throws {
        do {
            try add()
        } catch {
            records.refuse()
            throw error
        }
    }

    private func add(_ record: Record, _ expiration: Date?) throws {
        try Task.checkCancellation()
        guard !record.key.isEmpty else { throw ImportedRecords.emptyKey(typeName, after: count) }
        guard try !records.add(record, expiration?.timeIntervalSince1970) else { return }
        throw MoltError(
            .closed,
            "A record was added after the closure of the step had returned.",
            advice: "Wait for all tasks that add records before the closure returns.",
            type: typeName
        )
    }

    /// Ends the fetching.
    ///
    /// - Throws: ``MoltError`` if the source has given another number of records than it should.
    func finish() throws -> SpooledRecords {
        let count = try records.complete()
        if let expectedCount, expectedCount != count { throw ImportedRecords.wrongCount(count, expectedCount) }
        return records
    }
}
