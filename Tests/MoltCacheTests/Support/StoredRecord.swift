import Foundation
import MoltCache
import MoltCore

/// A record as a store holds it, byte for byte.
struct StoredRecord: Equatable, Sendable, CustomStringConvertible {
    var type: String
    var key: String
    var content: [UInt8]
    var isData = false
    /// The schema version that the row was last written at; nil where it cannot be read.
    var version: Int? = 0
    var expiration: Double?

    init(_ type: String, _ key: String, _ json: String, expiration: Double? = nil) {
        self.type = type
        self.key = key
        content = Array(json.utf8)
        self.expiration = expiration
    }

    init(_ type: String, _ key: String, data: [UInt8]) {
        self.type = type
        self.key = key
        content = data
        isData = true
    }

    var text: String { String(decoding: content, as: UTF8.self) }

    var description: String {
        "\(type) \"\(key)\" v\(version.map(String.init) ?? "?") \(isData ? "data " : "")\(text)"
            + (expiration.map { " until \($0)" } ?? "")
    }

    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(content))
    }
}

/// The whole contents of a store.
struct Snapshot: Equatable, Sendable {
    var version: Int
    var ledger: [LedgerEntry]
    /// In the order of their ids.
    var records: [StoredRecord]

    subscript(key: String) -> StoredRecord? {
        records.first { $0.key.utf8.elementsEqual(key.utf8) }
    }

    var texts: [String: String] {
        Dictionary(records.map { ($0.key, $0.text) }) { $1 }
    }

    var types: [String: String] {
        Dictionary(records.map { ($0.key, $0.type) }) { $1 }
    }

    var keys: [String] { records.map(\.key) }
}

extension Snapshot {
    /// The contents of a file, read with plain SQLite.
    init(of url: URL) throws {
        let state = try CacheStore.state(at: url)
        version = state.version
        ledger = state.ledger
        let rows = try SQLite(url).rows(
            """
            SELECT molt_type.name, key, hex(content), typeof(content), version, expires_at
            FROM molt_record JOIN molt_type ON molt_type.id = type_id ORDER BY molt_record.id
            """
        )
        records = rows.map { row in
            var record = StoredRecord(row[0], row[1], "", expiration: Double(row[5]))
            record.content = SQLite.bytes(ofHex: row[2])
            record.isData = row[3] == "blob"
            record.version = Int(row[4])
            return record
        }
    }

    /// The contents of an in-memory store, read in a transaction that is rolled back.
    init(of store: CacheStore) throws {
        struct Seen: Error {}
        var state = StoreState.fresh
        var records: [StoredRecord] = []
        do {
            try store.withWriteTransaction(
                until: nil,
                { transaction in
                    state = try transaction.state()
                    let batch = RecordBatch(capacity: 100_000)
                    var found: [Record] = []
                    for type in try transaction.requiredRecords.typeNames() {
                        try transaction.requiredRecords.read(into: batch, types: [type], after: 0, through: .max)
                        found += batch.withRecords { Array($0) }
                    }
                    records = found.sorted { $0.id < $1.id }.map(Self.stored)
                    throw Seen()
                },
                waiting: {}
            )
        } catch is Seen {}
        version = state.version
        ledger = state.ledger
        self.records = records
    }

    private static func stored(_ record: Record) -> StoredRecord {
        var stored = StoredRecord(record.typeName, record.key, "", expiration: record.expiration?.timeIntervalSince1970)
        record.writeContent(to: &stored.content)
        stored.isData = record.isData
        stored.version = nil
        return stored
    }
}
