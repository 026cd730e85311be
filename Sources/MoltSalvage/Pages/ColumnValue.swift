internal import CMoltSQLite
internal import Molt

enum ColumnValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// Decodes a row into its columns; nil when the bytes are not a valid row.
    ///
    /// Layout: sqlite.org/fileformat2.html, section 2.1: the type and length of each column, then the values.
    static func row(_ bytes: [UInt8]) -> [ColumnValue]? {
        var position = 0
        guard let size = TableLeaf.number(bytes, at: &position, end: bytes.count), size >= position,
            size <= bytes.count
        else { return nil }
        let header = Int(size)
        var offset = header
        var values: [ColumnValue] = []
        while position < header {
            guard let kind = TableLeaf.number(bytes, at: &position, end: header),
                let value = value(kind, bytes, at: &offset)
            else { return nil }
            values.append(value)
        }
        return position == header && offset == bytes.count ? values : nil
    }

    private static func value(_ kind: Int64, _ bytes: [UInt8], at offset: inout Int) -> ColumnValue? {
        let lengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]
        guard kind >= 0, kind != 10, kind != 11 else { return nil }
        let length = kind < 10 ? lengths[Int(kind)] : Int(clamping: (kind - 12) / 2)
        guard length <= bytes.count - offset else { return nil }
        let part = bytes[offset..<offset + length]
        offset += length
        switch kind {
        case 0: return .null
        case 1...6: return .integer(signed(part))
        case 7: return .real(Double(bitPattern: UInt64(bitPattern: signed(part))))
        case 8: return .integer(0)
        case 9: return .integer(1)
        default: return kind % 2 == 0 ? .blob(Array(part)) : .text(Array(part))
        }
    }

    private static func signed(_ part: ArraySlice<UInt8>) -> Int64 {
        part.dropFirst().reduce(Int64(Int8(bitPattern: part.first ?? 0))) { $0 << 8 | Int64($1) }
    }
}

extension ColumnValue {
    var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// The value as a floating-point number; SQLite stores one without a fraction as an integer.
    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    /// The text, if it is valid UTF-8.
    var string: String? {
        if case .text(let bytes) = self { String(utf8: bytes) } else { nil }
    }
}

extension Statement {
    func value(_ column: Int32) -> ColumnValue {
        switch type(of: column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column) ?? 0)
        case SQLITE_TEXT: .text(Array(bytes(column)))
        case SQLITE_BLOB: .blob(Array(bytes(column)))
        default: .null
        }
    }

    var values: [ColumnValue] {
        (0..<columnCount).map { value($0) }
    }

    func bind(_ value: ColumnValue, at index: Int32) throws(SQLiteError) {
        switch value {
        case .null: try bind(nil as Double?, at: index)
        case .integer(let integer): try bind(integer, at: index)
        case .real(let real): try bind(real, at: index)
        case .text(let bytes): try bind(copying: bytes, as: .text, at: index)
        case .blob(let bytes): try bind(copying: bytes, as: .blob, at: index)
        }
    }

    private func bind(copying bytes: [UInt8], as storage: Statement.StorageClass, at index: Int32) throws(SQLiteError) {
        let outcome = bytes.withUnsafeBytes { bytes in
            Result { () throws(SQLiteError) in try bind(copying: bytes, as: storage, at: index) }
        }
        try outcome.get()
    }
}
