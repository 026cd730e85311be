internal import Foundation

/// A record as read, not yet decoded.
struct StoredContent: Sendable {
    let id: Int64
    var key: String
    private(set) var data: Data
    private(set) var isData: Bool
    let typeName: String
    /// Seconds since 1970; nil for never.
    let expiration: Double?
    /// The version at which the content was stored.
    private(set) var version: Int

    /// Copies a row of the query by key.
    init(foundRow row: Statement, key: String, typeName: String, expiration: Double?) {
        id = row.integer(2)
        isData = row.isBlob(3)
        data = Data(row.bytes(3, isBlob: isData))
        version = Int(clamping: row.integer(7))
        self.key = key
        self.typeName = typeName
        self.expiration = expiration
    }

    /// Copies a row of the queries for whole rows.
    init(_ row: Statement) {
        id = row.integer(0)
        isData = row.isBlob(1)
        data = Data(row.bytes(1, isBlob: isData))
        key = row.text(2)
        typeName = row.text(3)
        expiration = row.real(4)
        version = Int(clamping: row.integer(5))
    }

    /// The upgraded content.
    func upgraded(by upgrader: RecordUpgrader) throws(MoltError) -> StoredContent {
        let chain = upgrader.chain(typeName: typeName, from: version)
        guard !chain.links.isEmpty else { return self }
        var record = Record(
            id: id,
            key: key,
            typeName: typeName,
            content: data,
            isData: isData,
            expiration: expiration,
            version: version
        )
        guard try upgrader.upgrade(&record, chain).changedAt != nil else { return self }
        var bytes: [UInt8] = []
        record.writeContent(to: &bytes)
        var upgraded = self
        upgraded.data = Data(bytes)
        upgraded.isData = record.isData
        upgraded.version = upgrader.version
        return upgraded
    }
}

/// Content that is ready to be written.
struct EncodedContent: Sendable {
    let data: Data
    let isData: Bool
    let typeName: String
    /// Seconds since 1970; nil for never.
    let expiration: Double?
    /// The shape of the value, if it is the first of its type and must be compared.
    var firstShape: FirstShape?
}
