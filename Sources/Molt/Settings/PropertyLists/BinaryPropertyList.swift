internal import Foundation

/// A binary property list, read object by object.
///
/// Keyed archives are binary property lists. Foundation's reader has no Swift type for their references, and on Linux
/// (Swift 6.3) it terminates the process if the list is damaged. The format follows `CFBinaryPList.c` in Apple's
/// CoreFoundation: objects, a table of their offsets, and a 32-byte trailer with the offset of the table.
struct BinaryPropertyList {
    /// One object; it refers to nested objects by index.
    enum Object {
        case null
        /// A Boolean, number, date, string or data.
        case value(PropertyListValue)
        /// A reference (`UID`) of a keyed archive.
        case reference(Int)
        case array([Int])
        case dictionary([(key: Int, value: Int)])
    }

    let count: Int
    let root: Int

    private let bytes: [UInt8]
    private let table: Int
    private let offsetSize: Int
    private let indexSize: Int

    /// Parses the trailer; nil for data that is not a binary property list.
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

    /// The object at an index; nil if it does not exist or is damaged.
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

    /// Integers of fewer than 8 bytes are unsigned; integers of 16 bytes are those above `Int64.max`.
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

    /// The start and the length of an object's content; the length is in the marker or in an integer that follows it.
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
    /// The value indices of a dictionary by key; nil if the object is not a dictionary, or a key is not a string.
    ///
    /// A key that occurs twice is damage, too: Foundation's reader takes its first value.
    func properties(at index: Int) -> [String: Int]? {
        guard case .dictionary(let entries) = object(at: index) else { return nil }
        var properties: [String: Int] = [:]
        for (key, value) in entries {
            guard let name = object(at: key)?.value?.string else { return nil }
            guard properties.updateValue(value, forKey: name) == nil else { return nil }
        }
        return properties
    }
}

extension BinaryPropertyList.Object {
    /// The value, if the object is a Boolean, number, date, string or data.
    var value: PropertyListValue? {
        if case .value(let value) = self { value } else { nil }
    }
}
