internal import Foundation

/// A record as read, not yet decoded.
struct StoredContent: Sendable {
    let id: Int64
    var key: String
    private(set) var data: Data
    private(set) var isData: Bool
    private(set) var typeName: String
    /// Seconds since 1970; nil for never.
    let expiration: Double?
    /// The version at which the content was stored.
    let version: Int
    /// The ticket of the read, with which its key may become one of a readable record.
    var ticket: ReadableKeys.Ticket = 0
    /// Whether it has been through the migrations that it lacked when it was read.
    private var isUpgraded = false

    /// Copies a row of a query.
    ///
    /// - Parameter first: The column of the id; the content is in the next one, the version in the fifth after it.
    init(_ row: Statement, from first: Int32 = 0, key: String, typeName: String, expiration: Double?) {
        id = row.integer(first)
        isData = row.isBlob(first + 1)
        data = Data(row.bytes(first + 1, as: isData ? .blob : .text))
        version = Int(clamping: row.integer(first + 5))
        self.key = key
        self.typeName = typeName
        self.expiration = expiration
    }

    /// A short form of the stored record, to see later whether another write has replaced it.
    var mark: Mark {
        var hasher = Hasher()
        data.withUnsafeBytes { hasher.combine(bytes: $0) }
        return Mark(
            id: id,
            typeName: ExactName(typeName),
            expiration: expiration,
            version: version,
            isData: isData,
            count: data.count,
            hash: hasher.finalize()
        )
    }

    struct Mark: Hashable {
        fileprivate let id: Int64
        fileprivate let typeName: ExactName
        fileprivate let expiration: Double?
        fileprivate let version: Int
        fileprivate let isData: Bool
        fileprivate let count: Int
        fileprivate let hash: Int
    }

    /// Copies a record without its id.
    init(_ record: StoreContents.StoredRecord) {
        id = 0
        key = record.key
        data = Data(record.content)
        isData = record.isData
        typeName = record.typeName
        expiration = record.expiration
        version = record.version
    }

    var stored: StoreContents.StoredRecord {
        StoreContents.StoredRecord(
            key: key,
            typeName: typeName,
            content: Array(data),
            isData: isData,
            expiration: expiration,
            version: version
        )
    }

    /// The content after the migrations that it lacks; an upgraded one lacks none.
    func upgraded(by upgrader: RecordUpgrader) throws(MoltError) -> StoredContent {
        guard !isUpgraded, version < upgrader.doneFrom else { return self }
        var upgraded = self
        upgraded.isUpgraded = true
        let chain = upgrader.chain(typeName: typeName, from: version)
        upgraded.typeName = chain.lastName ?? typeName
        guard !chain.steps.isEmpty else { return upgraded }
        var record = Record()
        LentRecord.with(key, data, isData: isData, expiration: expiration) {
            record.load($0, id: id, typeName: typeName, version: version)
        }
        guard try upgrader.upgrade(&record, chain).changedAt != nil else { return upgraded }
        upgraded.data = Data(record.writtenContent)
        upgraded.isData = record.isData
        return upgraded
    }
}

/// Content that is ready to be written.
struct EncodedContent: Sendable {
    var data: Data
    let isData: Bool
    let typeName: String
    /// Seconds since 1970; nil for never.
    var expiration: Double?
    /// The type of the value; nil for raw data, and for content that is not of one of the app's types.
    var type: CheckedType?
    /// The shape of the value, if it is the first of its type and must be compared.
    var firstShape: FirstShape?
    /// Adds properties of the stored content that the type does not declare; nil if they are not kept.
    var unknown: UnknownProperties?
}

/// The shape of the first value of a type that is written after the cache was opened.
///
/// A class, because few values in a batch have one.
final class FirstShape: Sendable {
    let type: ObjectIdentifier
    let shape: TypeShape

    init(type: ObjectIdentifier, shape: TypeShape) {
        self.type = type
        self.shape = shape
    }
}
