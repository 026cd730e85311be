package import Foundation
package import Molt

/// A record as a store holds it, byte for byte.
package struct StoredRecord: Equatable, Sendable, CustomStringConvertible {
    package var type: String
    package var key: String
    package var content: [UInt8]
    package var isData = false
    /// The schema version that the row was last written at.
    package var version = 0
    package var expiration: Double?

    package init(_ type: String, _ key: String, _ json: String, expiration: Double? = nil) {
        self.type = type
        self.key = key
        content = Array(json.utf8)
        self.expiration = expiration
    }

    package init(_ type: String, _ key: String, data: [UInt8]) {
        self.type = type
        self.key = key
        content = data
        isData = true
    }

    package init(_ row: StoreContents.StoredRecord) {
        self.init(row.typeName, row.key, "", expiration: row.expiration)
        content = row.content
        isData = row.isData
        version = row.version
    }

    package var text: String { String(decoding: content, as: UTF8.self) }

    package var description: String {
        "\(type) \"\(key)\" v\(version) \(isData ? "data " : "")\(text)"
            + (expiration.map { " until \($0)" } ?? "")
    }

    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(content))
    }
}

/// The whole contents of a store.
package struct Snapshot: Equatable, Sendable {
    package var version: Int
    package var ledger: [LedgerEntry]
    /// In the order of their ids.
    package var records: [StoredRecord]

    package subscript(key: String) -> StoredRecord? {
        records.first { $0.key.utf8.elementsEqual(key.utf8) }
    }

    package var texts: [String: String] {
        Dictionary(records.map { ($0.key, $0.text) }) { $1 }
    }

    package var types: [String: String] {
        Dictionary(records.map { ($0.key, $0.type) }) { $1 }
    }

    package var keys: [String] { records.map(\.key) }

    /// The contents, in the order of the records.
    package var contents: [String] { records.map(\.text) }

    /// The migrations of the ledger with their outcomes, such as "names ran, initials onRead".
    package var outcomes: String {
        ledger.map { "\($0.name) \($0.outcome.rawValue)" }.joined(separator: ", ")
    }
}

extension Snapshot {
    package init(_ contents: StoreContents) {
        version = contents.version
        ledger = contents.ledger
        records = contents.records.map(StoredRecord.init)
    }

    /// The contents of a file, read without writing.
    package init(of url: URL) throws {
        try self.init(StoreFile.contents(at: url))
    }
}
