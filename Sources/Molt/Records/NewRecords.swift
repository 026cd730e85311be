/// Records that are added to a store together: their keys and contents in one buffer.
struct NewRecords: Sendable {
    struct Row: Sendable {
        /// The place of the key's UTF-8 in the buffer.
        var key: Range<Int>
        var content: Range<Int>
        var isData = false
        /// When it expires, in seconds since 1970; nil for never.
        var expiration: Double?
        /// The id of the record that it was extracted from; 0 for none.
        var outer: Int64 = 0

        func lent(by bytes: UnsafeRawBufferPointer) -> LentRecord {
            LentRecord(
                key: UnsafeRawBufferPointer(rebasing: bytes[key]),
                content: UnsafeRawBufferPointer(rebasing: bytes[content]),
                isData: isData,
                expiration: expiration
            )
        }
    }

    let typeName: String
    private(set) var rows: [Row] = []
    private(set) var bytes: [UInt8] = []

    init(ofType typeName: String) {
        self.typeName = typeName
    }

    init(_ record: borrowing Record) {
        self.init(ofType: record.typeName)
        record.writeContent(to: &bytes)
        let contentEnd = bytes.count
        record.writeKey(to: &bytes)
        rows = [
            Row(
                key: contentEnd..<bytes.count,
                content: 0..<contentEnd,
                isData: record.isData,
                expiration: record.expirationSeconds
            )
        ]
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a record of JSON, extracted from another one.
    mutating func append(_ content: some Collection<UInt8>, key: String, expiration: Double?, outer: Int64) {
        let start = bytes.count
        bytes += content
        let contentEnd = bytes.count
        bytes += key.utf8
        rows.append(
            Row(key: contentEnd..<bytes.count, content: start..<contentEnd, expiration: expiration, outer: outer)
        )
    }

    /// Adds a record whose content a closure writes; it adds nothing if the closure throws.
    mutating func append(
        key: String,
        isData: Bool = false,
        expiration: Double? = nil,
        writing write: (inout [UInt8]) throws -> Void
    ) rethrows {
        let start = bytes.count
        do {
            try write(&bytes)
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        let contentEnd = bytes.count
        bytes += key.utf8
        rows.append(
            Row(key: contentEnd..<bytes.count, content: start..<contentEnd, isData: isData, expiration: expiration)
        )
    }

    /// Adds the records of another list, which have the same type.
    mutating func append(_ other: NewRecords) {
        let start = bytes.count
        bytes += other.bytes
        for var row in other.rows {
            row.key = row.key.lowerBound + start..<row.key.upperBound + start
            row.content = row.content.lowerBound + start..<row.content.upperBound + start
            rows.append(row)
        }
    }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// One of the records, whose content is not read yet.
    func record(_ index: Int, coding: any ContentCoding) -> Record {
        var record = Record(coding: coding)
        bytes.withUnsafeBytes { record.load(rows[index].lent(by: $0), typeName: typeName) }
        return record
    }
}
