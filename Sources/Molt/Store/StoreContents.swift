internal import Foundation

/// The complete contents of a store, for fixtures.
package struct StoreContents: Equatable, Sendable {
    package struct StoredRecord: Equatable, Sendable {
        package var key: String
        package var typeName: String
        /// JSON as UTF-8, or raw data.
        package var content: [UInt8]
        package var isData: Bool
        /// The expiry in seconds since 1970; nil for never.
        package var expiration: Double?
        /// The record's schema version.
        package var version: Int

        package init(
            key: String,
            typeName: String,
            content: [UInt8],
            isData: Bool = false,
            expiration: Double? = nil,
            version: Int
        ) {
            self.key = key
            self.typeName = typeName
            self.content = content
            self.isData = isData
            self.expiration = expiration
            self.version = version
        }
    }

    package struct DatedRecord: Equatable, Sendable {
        package var stored: StoredRecord
        /// When the key was first set, in seconds since 1970.
        package var created: Double
        /// When the key was last set, in seconds since 1970.
        package var updated: Double
    }

    package var version: Int
    package var ledger: [LedgerEntry]
    /// The records, in the order of their ids.
    package var records: [StoredRecord]

    package init(version: Int, ledger: [LedgerEntry] = [], records: [StoredRecord] = []) {
        self.version = version
        self.ledger = ledger
        self.records = records
    }

    /// Writes everything into an empty store, in one transaction.
    package func write(to store: StoreFile) throws {
        let write = { (transaction: StoreTransaction) in
            for (index, record) in records.enumerated() {
                try transaction.insert(Record(record), id: Int64(index + 1), version: record.version)
            }
            try transaction.addToLedger(ledger, version: version)
            return true
        }
        try store.withWriteTransaction(until: nil, write, waiting: {})
    }
}

extension StoreContents.StoredRecord {
    /// Lends the record while a closure runs.
    func lend<Value>(_ body: (LentRecord) throws -> Value) rethrows -> Value {
        try LentRecord.with(key, content, isData: isData, expiration: expiration, body)
    }
}

extension StoreContents.StoredRecord {
    /// A record as it would be written.
    init(_ record: borrowing Record) {
        self.init(
            key: record.key,
            typeName: record.typeName,
            content: record.writtenContent,
            isData: record.isData,
            expiration: record.expirationSeconds,
            version: record.storedVersion
        )
    }
}

extension Record {
    init(_ stored: StoreContents.StoredRecord) {
        self.init()
        stored.lend { load($0, typeName: stored.typeName, version: stored.version) }
    }
}
