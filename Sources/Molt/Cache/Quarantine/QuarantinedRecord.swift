public import Foundation

extension CodableCache {
    /// A record that a migration could not convert, as it was before that migration, or one that was quarantined
    /// because a value was written over it that had its type, which could not read it.
    public struct QuarantinedRecord: Equatable, Sendable, Identifiable {
        /// The record's id in quarantine, which no other record of the store ever gets.
        public package(set) var id: Int64
        /// The record's key.
        public package(set) var key: String
        /// The record's type name.
        public package(set) var typeName: String
        /// JSON text, or raw data, byte for byte.
        public package(set) var content: Data
        /// Whether the content is raw data instead of JSON text.
        public package(set) var isData: Bool
        /// The time when it expires; nil for never.
        public package(set) var expiration: Date?
        /// The schema version that the record was last written at.
        public package(set) var version: Int
        /// The time when its key was first set.
        public package(set) var created: Date
        /// The time when its key was last set.
        public package(set) var updated: Date
        /// Why it is in quarantine, as the file has it.
        package var cause: QuarantineCause
        /// The time when it was quarantined.
        public package(set) var quarantined: Date

        /// The reason why it could not be converted, and the migration and the step that it failed in.
        ///
        /// If a write quarantined it, ``MoltError/migration`` is nil, and the code is `unreadableContent`; see
        /// ``MoltConfiguration/unreadableValues``.
        public var failure: MoltError { MoltError(cause, key: key, type: typeName) }
    }
}

extension CodableCache.QuarantinedRecord: CustomStringConvertible, CustomReflectable {
    /// The key, the type name, the size and the reason, without the value.
    public var description: String {
        ErrorSummary.oneLine(
            "\(id): \(typeName) \"\(key)\" (\(isData ? "data, " : "")\(content.count) B, version \(version)): \(cause)"
        )
    }

    /// The members without the content, so that a dump shows no value either.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["id": id, "key": key, "typeName": typeName, "version": version, "failure": cause]
        )
    }
}

extension CodableCache.QuarantinedRecord {
    /// Reads a row of ``QuarantineTable/records(after:limit:)``.
    init(_ row: Statement) {
        id = row.integer(0)
        key = row.text(1)
        typeName = row.text(2)
        version = Int(clamping: row.integer(3))
        expiration = row.real(4).map { Date(timeIntervalSince1970: $0) }
        created = Date(timeIntervalSince1970: row.real(5) ?? 0)
        updated = Date(timeIntervalSince1970: row.real(6) ?? 0)
        quarantined = Date(timeIntervalSince1970: row.real(7) ?? 0)
        isData = row.integer(8) != 0
        content = Data(row.bytes(9))
        cause = QuarantineCause(row, from: 10)
    }

    /// Whether its numbers can be those of versions and steps; the file may have been edited by others.
    var isSound: Bool {
        0...QuarantineCause.largestNumber ~= version && cause.isSound
    }

    /// The record as a store holds it.
    package var stored: StoreContents.StoredRecord {
        StoreContents.StoredRecord(
            key: key,
            typeName: typeName,
            content: Array(content),
            isData: isData,
            expiration: expiration?.timeIntervalSince1970,
            version: min(max(0, version), QuarantineCause.largestNumber)
        )
    }
}

extension Connection {
    func quarantinedCount() throws(SQLiteError) -> Int {
        try QuarantineTable(of: self)?.count ?? 0
    }

    /// Returns the quarantined records after an id, in the order of their ids.
    ///
    /// - Parameter byteLimit: The number of content bytes that ends the page early. At least one record is read.
    func quarantined(
        after id: Int64 = 0,
        limit: Int = .max,
        byteLimit: Int = .max
    ) throws(SQLiteError) -> [CodableCache.QuarantinedRecord] {
        guard let statement = try QuarantineTable(of: self)?.records(after: id, limit: limit) else { return [] }
        defer { statement.reset() }
        var records: [CodableCache.QuarantinedRecord] = []
        var bytes = 0
        while bytes < byteLimit, try statement.step() {
            let record = CodableCache.QuarantinedRecord(statement)
            bytes += record.content.count
            records.append(record)
        }
        return records
    }

    func quarantined(_ id: Int64) throws(SQLiteError) -> CodableCache.QuarantinedRecord? {
        try QuarantineTable(of: self)?.record(id).first { CodableCache.QuarantinedRecord($0) }
    }
}
