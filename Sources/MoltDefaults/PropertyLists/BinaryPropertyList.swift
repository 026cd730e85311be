internal import Foundation

/// A binary property list, read object by object.
///
/// Keyed archives are made of one. Foundation's own reader has no name in Swift for their references to each other,
/// and on Linux (Swift 6.3) it ends the process when the list is damaged. The format is that of `CFBinaryPList.c` in
/// Apple's CoreFoundation: objects, a table of where each of them is, and 32 bytes that say where the table is.
struct BinaryPropertyList {
    /// One object; those inside of it are named by their indices.
    enum Object {
        case null
        /// A truth value, number, date, text or data.
        case value(PropertyListValue)
        /// A reference of a keyed archive.
        case reference(Int)
        case array([Int])
        case dictionary([(key: Int, value: Int)])
    }

    /// How many objects there are.
    let count: Int
    /// The index of the object that holds all others.
    let root: Int

    private let bytes: [UInt8]
    private let table: Int
    private let offsetSize: Int
    private let indexSize: Int

    /// Finds the table; nil for what is no binary property list.
    init?(_ data: Data) {
        bytes = Array(data)
        let trailer = bytes.count - 32
        guard trailer >= 8, bytes.starts(with: "bplist00".utf8) else { return nil }
        offsetSize = Int(bytes[trailer + 6])
        indexSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= indexSize,
            let count = Self.index(in: bytes, at: trailer + 8, size: 8), count <= trailer,
            let root = Self.index(in: bytes, at: trailer + 16, size: 8), root < count,
            let table = Self.index(in: bytes, at: trailer + 24, size: 8), table <= trailer,
            count <= (trailer - table) / offsetSize
        else { return nil }
        self.count = count
        self.root = root
        self.table = table
    }

    /// The object at an index; nil when there is none, or it is damaged.
    func object(at index: Int) -> Object? {
        guard 0..<count ~= index,
            let start = Self.index(in: bytes, at: table + index * offsetSize, size: offsetSize), start < table
        else { return nil }
        let kind = bytes[start] >> 4
        let detail = Int(bytes[start] & 15)
        switch kind {
        case 0: return constant(detail)
        case 1: return integer(at: start + 1, size: 1 << detail)
        case 2: return real(at: start + 1, size: 1 << detail)
        case 3: return date(at: start + 1)
        case 8: return Self.index(in: bytes, at: start + 1, size: detail + 1).map { .reference($0) }
        default: break
        }
        guard let (content, count) = content(at: start, detail) else { return nil }
        switch kind {
        case 4: return part(at: content, count).map { .value(.data(Data($0))) }
        case 5: return part(at: content, count).map { .value(.string(String(decoding: $0, as: UTF8.self))) }
        case 6: return text(at: content, count)
        case 10: return indices(at: content, count).map { .array($0) }
        case 13:
            guard let keys = indices(at: content, count),
                let values = indices(at: content + count * indexSize, count)
            else { return nil }
            return .dictionary(zip(keys, values).map { (key: $0, value: $1) })
        default: return nil
        }
    }

    private func constant(_ detail: Int) -> Object? {
        switch detail {
        case 0: .null
        case 8: .value(.bool(false))
        case 9: .value(.bool(true))
        default: nil
        }
    }

    /// Numbers of less than 8 bytes have no sign; 16 bytes are those beyond `Int64.max`.
    private func integer(at start: Int, size: Int) -> Object? {
        switch size {
        case 1, 2, 4: Self.number(in: bytes, at: start, size: size).map { .value(.int(Int64($0))) }
        case 8: Self.number(in: bytes, at: start, size: 8).map { .value(.int(Int64(bitPattern: $0))) }
        case 16:
            Self.number(in: bytes, at: start, size: 8) == 0
                ? Self.number(in: bytes, at: start + 8, size: 8)
                    .flatMap { PropertyListValue(exactly: $0) }.map { .value($0) }
                : nil
        default: nil
        }
    }

    private func real(at start: Int, size: Int) -> Object? {
        guard let bits = Self.number(in: bytes, at: start, size: size) else { return nil }
        switch size {
        case 4: return .value(.double(Double(Float(bitPattern: UInt32(bits)))))
        case 8: return .value(.double(Double(bitPattern: bits)))
        default: return nil
        }
    }

    private func date(at start: Int) -> Object? {
        Self.number(in: bytes, at: start, size: 8).map {
            .value(.date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0))))
        }
    }

    private func text(at start: Int, _ count: Int) -> Object? {
        guard count <= bytes.count, let part = part(at: start, count * 2) else { return nil }
        let units = stride(from: part.startIndex, to: part.endIndex, by: 2).map {
            UInt16(part[$0]) << 8 | UInt16(part[$0 + 1])
        }
        return .value(.string(String(decoding: units, as: UTF16.self)))
    }

    /// Where the content of an object begins, and how long it is: in the marker, or in a number that follows it.
    private func content(at start: Int, _ detail: Int) -> (start: Int, count: Int)? {
        guard detail == 15 else { return (start + 1, detail) }
        guard start + 1 < bytes.count, bytes[start + 1] >> 4 == 1 else { return nil }
        let size = 1 << Int(bytes[start + 1] & 15)
        guard size <= 8, let count = Self.index(in: bytes, at: start + 2, size: size) else { return nil }
        return (start + 2 + size, count)
    }

    private func indices(at start: Int, _ count: Int) -> [Int]? {
        guard start <= bytes.count, count <= (bytes.count - start) / indexSize else { return nil }
        var indices: [Int] = []
        indices.reserveCapacity(count)
        for position in 0..<count {
            guard let index = Self.index(in: bytes, at: start + position * indexSize, size: indexSize) else {
                return nil
            }
            indices.append(index)
        }
        return indices
    }

    private func part(at start: Int, _ count: Int) -> ArraySlice<UInt8>? {
        start <= bytes.count && count <= bytes.count - start ? bytes[start..<start + count] : nil
    }

    private static func index(in bytes: [UInt8], at start: Int, size: Int) -> Int? {
        number(in: bytes, at: start, size: size).flatMap { Int(exactly: $0) }
    }

    private static func number(in bytes: [UInt8], at start: Int, size: Int) -> UInt64? {
        guard size <= 8, start <= bytes.count - size else { return nil }
        var number: UInt64 = 0
        for index in start..<start + size { number = number << 8 | UInt64(bytes[index]) }
        return number
    }
}

extension BinaryPropertyList {
    /// The values of a dictionary by their keys, as indices; nil when the object at the index is none, or a key no text.
    func properties(at index: Int) -> [String: Int]? {
        guard case .dictionary(let entries) = object(at: index) else { return nil }
        var properties: [String: Int] = [:]
        for (key, value) in entries {
            guard let name = object(at: key)?.value?.string else { return nil }
            properties[name] = value
        }
        return properties
    }
}

extension BinaryPropertyList.Object {
    /// The value, when it is a truth value, number, date, text or data.
    var value: PropertyListValue? {
        if case .value(let value) = self { value } else { nil }
    }
}
