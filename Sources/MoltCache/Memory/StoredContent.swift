internal import Foundation
internal import MoltCore

/// A record as it was read, not decoded yet.
struct StoredContent: Sendable {
    /// The record's id.
    let id: Int64
    /// The key.
    var key: String
    /// JSON text, or raw data.
    let data: Data
    /// Whether the content is raw data.
    let isData: Bool
    /// The type name that it was written as.
    let typeName: String
    /// Seconds since 1970; nil for never.
    let expiration: Double?

    /// Whether the record still waits for its key.
    var isAdopted = false

    /// Copies a row of the query that finds a record by its key.
    init(foundRow row: Statement, key: String, typeName: String, expiration: Double?) {
        id = row.integer(2)
        isData = row.isBlob(3)
        data = Data(row.bytes(3, isBlob: isData))
        self.key = key
        self.typeName = typeName
        self.expiration = expiration
    }

    /// Copies a row of the queries that read whole rows.
    init(_ row: Statement) {
        id = row.integer(0)
        isData = row.isBlob(1)
        data = Data(row.bytes(1, isBlob: isData))
        key = row.text(2)
        typeName = row.text(3)
        expiration = row.real(4)
    }
}

/// A change of one key, encoded and ready to be written.
enum RowChange: Sendable {
    /// Sets content under a key.
    case set(key: String, content: EncodedContent)
    /// Removes a key.
    case remove(key: String)
}

/// A value as it is to be stored.
struct EncodedContent: Sendable {
    /// JSON text, or raw data.
    let data: Data
    /// Whether the content is raw data.
    let isData: Bool
    /// The type name that it is written as.
    let typeName: String
    /// Seconds since 1970; nil for never.
    let expiration: Double?
    /// The shape that the value shows, when it is the first of its type and is to be compared.
    var firstShape: FirstShape?
}
