package import Foundation

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
    package func withTransaction<Transaction: MigrationTransaction>(
        _ type: Transaction.Type,
        _ body: (Transaction) throws -> Void
    ) throws -> Bool {
        try perform { transaction in
            let own = (transaction as? ObservedTransaction)?.base ?? transaction
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
