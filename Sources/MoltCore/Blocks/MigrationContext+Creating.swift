public import Foundation

extension MigrationContext {
    /// Adds a record.
    ///
    /// - Parameters:
    ///   - type: Its type name.
    ///   - key: A key that no record has.
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

/// What built-in steps need that bring records in from other libraries' files.
extension MigrationContext {
    /// Adds a record whose content is, byte for byte, the value of the only property of an object.
    ///
    /// - Returns: False when the text is not an object with that one property; nothing was added then.
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

    /// Lends the transaction of the store to a step that works on one kind of store only.
    ///
    /// - Returns: False when the store is of another kind; the closure was not called then.
    package func withTransaction<Transaction: RecordTransaction>(
        _ type: Transaction.Type,
        _ body: (Transaction) throws -> Void
    ) throws -> Bool {
        try perform { records in
            let own = (records as? ObservedRecords)?.base ?? records
            guard let transaction = own as? Transaction else { return false }
            try body(transaction)
            return true
        }
    }

    /// Throws when someone asked for the upgrade to stop.
    package func checkCancellation() throws {
        try options.checkCancellation()
    }
}

extension SplicedObject {
    /// The value of a property of JSON text that is an object with that property alone, as it is written.
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
    /// What a step works on outside the primary store: what is there, and the changes that steps have made so far.
    ///
    /// All steps of an upgrade share one session on a store, so each sees what those before it have done. The changes
    /// are made after the upgrade was committed, and never when it is rolled back.
    ///
    /// - Throws: ``MigrationError`` with the code `notAttached` when neither a step nor the opening names the store,
    ///   `deferred` when it cannot be worked on now, or what the store throws.
    package func attached<Store: AttachedStore>(_ store: Store) throws -> Store.Session {
        let isDeclared = migration.steps[step.number].attached.contains { $0.attachedName == store.attachedName }
        let session = try perform { _ in try attachments.session(store, isDeclared: isDeclared) }
        usedAttachments.insert(store.attachedName)
        return session
    }

    /// Tells the report what became of one key.
    public func note(_ outcome: KeyOutcome) {
        keys.append(outcome)
    }
}
