public import Foundation

/// Takes the records that a step imports, in batches; see ``MigrationStep/importRecords(_:as:revision:onConflict:_:)``.
///
/// Do not use it after the closure that got it has returned: a call then stops the process, as that of a
/// ``MigrationContext`` does.
public final class ImportedRecords {
    private let context: MigrationContext
    private let policy: ConflictPolicy<Record>
    private var pending: NewRecords
    /// The number of records that the source has given so far.
    public private(set) var count = 0
    /// The number of records that the source has, if it is known; nil by default.
    ///
    /// Progress is reported with it, and the upgrade stops if the source gives another number of records.
    public var expectedCount: Int? {
        didSet { context.runner.meter.expect((expectedCount ?? 0) - (oldValue ?? 0)) }
    }

    private static let batchCount = 512
    private static let batchSize = 1 << 18

    init(_ type: String, _ policy: ConflictPolicy<Record>, _ context: MigrationContext) {
        self.context = context
        self.policy = policy
        pending = NewRecords(ofType: type)
    }

    /// Adds a value, which the migration's coders encode; `Data` is stored as raw data.
    ///
    /// - Parameters:
    ///   - value: The value, in the form of the migration's own version: later migrations change it.
    ///   - key: The key; it must not be empty.
    ///   - expiration: When it expires; nil for never.
    /// - Throws: ``MoltError`` with the code `typeMismatch` if the value cannot be encoded, `cannotStore` for an empty
    ///   key, or `keyExists`, also for a record of the batch before.
    public func add(_ value: some Encodable, forKey key: String, expiration: Date? = nil) throws {
        try counting {
            var record = Record(coding: context.coding, key: key, typeName: pending.typeName)
            try record.replaceUnread(with: value)
            try add(key, isData: record.isData, expiration) { record.writeContent(to: &$0) }
        }
    }

    /// Adds a record with properties of any kind.
    ///
    /// - Throws: ``MoltError`` as for a value.
    public func add(_ content: RecordValue, forKey key: String, expiration: Date? = nil) throws {
        try counting {
            var record = Record(coding: context.coding, key: key, typeName: pending.typeName)
            try record.replaceContent(with: content)
            try add(key, isData: false, expiration) { record.writeContent(to: &$0) }
        }
    }

    /// Adds a record whose content is JSON text, which is kept byte for byte.
    ///
    /// - Throws: ``MoltError`` with the code `malformedContent` if it is not JSON, or as for a value.
    public func add(json: Data, forKey key: String, expiration: Date? = nil) throws {
        try counting {
            let record = try Record(key: key, typeName: pending.typeName, json: Array(json))
            try add(key, isData: false, expiration) { record.writeContent(to: &$0) }
        }
    }

    /// Rejects what no record can be made of: it is quarantined or dropped, as the step's failure policy says.
    ///
    /// ```swift
    /// do {
    ///     try records.add(PersonV1(person), forKey: person.id)
    /// } catch {
    ///     try records.reject(["name": .string(person.name)], forKey: person.id, because: error)
    /// }
    /// ```
    ///
    /// Content in quarantine stays there until the app puts a value in its place; it is not retried. The source of the
    /// import is not removed. If another record has the key, or if it is empty, the content gets a key with its
    /// position.
    ///
    /// - Parameters:
    ///   - content: What the source has, in any form.
    ///   - key: The key that the record should have.
    ///   - error: The reason, which the quarantine and the report tell as they do for other errors of closures.
    /// - Throws: ``MoltError``: the error, unless the policy goes on without such a record, see
    ///   ``MigrationStep/onFailure(_:)``; or one with the code `tooManyFailures` or `keyExists`.
    public func reject(_ content: RecordValue, forKey key: String, because error: any Error) throws {
        var record = Record(coding: context.coding, key: try unusedKey(key), typeName: pending.typeName)
        try record.replaceContent(with: content)
        try reject(record, context.located(error, at: record))
    }

    /// Rejects what no record can be made of, as JSON text, which the quarantine keeps byte for byte.
    ///
    /// - Parameter json: The text; if it is not JSON, it is kept as raw data.
    /// - Throws: ``MoltError`` as for a value.
    public func reject(json: Data, forKey key: String, because error: any Error) throws {
        let key = try unusedKey(key)
        var record = Record(coding: context.coding, key: key, typeName: pending.typeName)
        if let text = try? Record(key: key, typeName: pending.typeName, json: Array(json)) {
            record = text
        } else {
            try record.replaceContent(with: json)
        }
        try reject(record, context.located(error, at: record))
    }

    /// The key, or one with the position in the source if a record has it.
    private func unusedKey(_ key: String) throws -> String {
        // A record of the current batch may have it.
        try flush()
        let position = "the record \(count + 1)"
        if key.isEmpty { return position }
        return try context.record(forKey: key) == nil ? key : "\(key), \(position)"
    }

    /// Notes a record that is not added, although the closure may go on without it.
    private func counting(_ add: () throws -> Void) throws {
        do {
            try add()
        } catch {
            context.missingCount += 1
            throw error
        }
    }

    /// Adds a record whose content a closure writes as JSON.
    func add(
        _ key: String,
        isData: Bool = false,
        _ expiration: Date? = nil,
        writing write: (inout [UInt8]) throws -> Void
    ) throws {
        guard !key.isEmpty else { throw Self.emptyKey(pending.typeName, after: count) }
        try pending.append(
            key: key,
            isData: isData,
            expiration: expiration?.timeIntervalSince1970,
            writing: write
        )
        count += 1
        if pending.rows.count >= Self.batchCount || pending.bytes.count >= Self.batchSize { try flush() }
    }

    /// Quarantines or drops a record that cannot be imported, or throws the error if the failure policy says so.
    func reject(_ record: Record, _ error: MoltError) throws {
        count += 1
        try flush()
        try context.reject(imported: record, error)
    }

    /// Adds the records of the current batch to the store.
    func flush() throws {
        let count = pending.rows.count
        try context.add(imported: &pending, policy)
        context.runner.meter.advance(by: count)
    }

    /// Adds the last records.
    func finish() throws {
        try flush()
        context.counts.read += count
        guard let expectedCount, expectedCount != count else { return }
        throw Self.wrongCount(count, expectedCount)
    }

    /// Adds the records of a source that was read before the upgrade.
    func add(_ fetched: SpooledRecords) throws {
        expectedCount = fetched.count
        context.missingCount += fetched.refusedCount
        try fetched.visit { key, isData, expiration, content in
            try counting {
                try add(key, isData: isData, expiration.map(Date.init(timeIntervalSince1970:))) { $0 += content }
            }
        }
    }

    // MARK: Errors

    static func emptyKey(_ type: String, after count: Int) -> MoltError {
        MoltError(
            .cannotStore,
            "The source has given a record with an empty key, after \(count) others.",
            advice: "Give each record a key of its own.",
            type: type
        )
    }

    static func wrongCount(_ count: Int, _ expected: Int) -> MoltError {
        MoltError(
            .stepFailed,
            "The source should give \(DisplayText.records(expected)), and has given \(count).",
            advice: "Read it again when nothing else changes it."
        )
    }
}
