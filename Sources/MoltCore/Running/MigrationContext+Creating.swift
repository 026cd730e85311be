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
