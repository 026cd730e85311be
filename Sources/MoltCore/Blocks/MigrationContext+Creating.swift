public import Foundation

extension MigrationContext {
    /// Adds a record.
    ///
    /// - Parameters:
    ///   - type: Its type name.
    ///   - key: A key that is not in use.
    ///   - content: A value, encoded with the store's coders; `Data` is stored as raw data.
    ///   - expiration: When it expires; nil for never.
    /// - Throws: ``MigrationError`` with the code `keyExists`, or `typeMismatch` when the value cannot be encoded.
    public func create(
        _ type: String,
        forKey key: String,
        _ content: some Encodable,
        expiration: Date? = nil
    ) throws {
        var record = Record(coding: coding, key: key, typeName: type)
        try record.replaceContent(with: content)
        try insert(&record, expiration)
    }

    /// Adds a record with properties of any kind.
    ///
    /// - Throws: ``MigrationError`` with the code `keyExists`.
    public func create(
        _ type: String,
        forKey key: String,
        _ content: RecordValue,
        expiration: Date? = nil
    ) throws {
        var record = Record(coding: coding, key: key, typeName: type)
        try record.replaceContent(with: content)
        try insert(&record, expiration)
    }
}

/// Support for built-in steps that import records from other libraries' files.
extension MigrationContext {
    /// Adds a record whose content is, byte for byte, the value of an object's only property.
    ///
    /// - Returns: False if the JSON is not an object with only that property; nothing was added.
    /// - Throws: ``MigrationError`` with the code `keyExists`.
    package func create(
        _ type: String,
        forKey key: String,
        onlyValueOf property: String,
        in json: [UInt8],
        expiration: Date?
    ) throws -> Bool {
        guard let value = SplicedObject.onlyValue(of: property, in: json) else { return false }
        var record = Record(coding: coding, key: key, typeName: type, content: value)
        try insert(&record, expiration)
        return true
    }

    /// Passes the store's transaction to a closure if it has a given type; otherwise returns false.
    package func withTransaction<Transaction: RecordTransaction>(
        _ type: Transaction.Type,
        _ body: (Transaction) throws -> Void
    ) throws -> Bool {
        try perform { records in
            let own = (records as? any WrappingRecords)?.base ?? records
            guard let transaction = own as? Transaction else { return false }
            try body(transaction)
            return true
        }
    }

    package func checkCancellation() throws {
        try options.checkCancellation()
    }
}

extension SplicedObject {
    /// The bytes of a property's value in a JSON object that has no other property.
    fileprivate static func onlyValue(of property: String, in json: [UInt8]) -> [UInt8]? {
        var object = SplicedObject(bytes: json)
        do throws(JSONSyntaxError) {
            try object.read()
        } catch {
            return nil
        }
        guard object.entries.count == 1, let index = object.lastIndex(of: property) else { return nil }
        return object.withValue(at: index) { Array($0) }
    }
}

extension MigrationContext {
    /// Returns the session on an attached store: its data with the changes of the steps so far.
    ///
    /// All steps of an upgrade share one session on a store, so each sees the changes of earlier steps. The changes are
    /// applied after the commit, and discarded by a rollback.
    ///
    /// - Throws: ``MigrationError`` with the code `notAttached` when neither a step nor the opening names the store, or
    ///   `deferred` when the store is unavailable; or the store's error.
    package func attached<Store: AttachedStore>(_ store: Store) throws -> Store.Session {
        let isDeclared = migration.steps[step.number].attached.contains { $0.attachedName == store.attachedName }
        let session = try perform { _ in try attachments.session(store, isDeclared: isDeclared) }
        usedAttachments.insert(store.attachedName)
        return session
    }

    /// Adds the outcome for one key to the report.
    public func note(_ outcome: KeyOutcome) {
        keys.append(outcome)
    }
}
