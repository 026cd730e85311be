internal import Molt

/// A record of a damaged file that has passed all checks.
struct SalvagedRow {
    let id: Int64
    let key: String
    let typeID: Int64
    let version: Int64
    let created: Double
    let updated: Double
    let accessed: Double
    let expires: Double?
    let content: [UInt8]
    let isData: Bool

    struct Fault: Error {
        var kind: SalvageReport.Loss.Kind
        var key: String?
    }

    static let columnCount = 9

    /// Whether a row could be a record, by the types of its columns.
    static func isLikely(_ values: [ColumnValue]) -> Bool {
        guard values.count == columnCount, values[0] == .null, case .text = values[1], values[2].integer != nil,
            values[3].integer != nil, values[4].number != nil, values[5].number != nil, values[6].number != nil,
            values[7] == .null || values[7].number != nil
        else { return false }
        return switch values[8] {
        case .text, .blob: true
        default: false
        }
    }

    /// Checks the key, the content and the other columns of a row.
    ///
    /// - Parameters:
    ///   - values: The columns of the table; the first, the id, is ignored.
    ///   - record: Reused for each row, to avoid allocations.
    init(id: Int64, _ values: [ColumnValue], _ record: inout Record) throws(Fault) {
        guard values.count == Self.columnCount else { throw Fault(kind: .damagedRow) }
        guard let key = values[1].string else {
            if case .text = values[1] { throw Fault(kind: .damagedKey) }
            throw Fault(kind: values[1] == .null ? .damagedKey : .damagedRow)
        }
        let content: [UInt8]
        let isData: Bool
        switch values[8] {
        case .text(let bytes): (content, isData) = (bytes, false)
        case .blob(let bytes): (content, isData) = (bytes, true)
        default: throw Fault(kind: .damagedContent, key: key)
        }
        let isReadable = LentRecord.with("", content, isData: isData, expiration: nil) { stored in
            record.load(stored, id: id, typeName: "")
            return (try? record.read()) != nil
        }
        guard isReadable else { throw Fault(kind: .damagedContent, key: key) }
        let isForever = values[7] == .null
        // A damaged time must not make a record disappear: it counts as 1970, or as no expiry.
        let times = values[4...7].map { $0.number.flatMap { $0.isNaN ? nil : $0 } }
        self.id = id
        self.key = key
        // A record of an unknown type or version is better than none; the report says so.
        typeID = values[2].integer ?? 0
        version = values[3].integer ?? -1
        self.content = content
        self.isData = isData
        created = times[0] ?? 0
        updated = times[1] ?? 0
        accessed = times[2] ?? 0
        expires = isForever ? nil : times[3]
    }
}
