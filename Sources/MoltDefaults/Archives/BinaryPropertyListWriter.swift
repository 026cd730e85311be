internal import Foundation

/// Writes a binary property list, without an object for each value: a suite's journal, which is made for every upgrade.
///
/// Foundation writes the same value once, and refers to it from all its places; here each value is written where it
/// stands, which any reader takes.
package struct BinaryPropertyListWriter {
    private var bytes: [UInt8] = Array("bplist00".utf8)
    /// Where each object begins.
    private var offsets: [Int] = []
    private let indexSize: Int

    /// The list's bytes.
    package static func bytes(_ value: PropertyListValue) -> [UInt8] {
        let count = value.objectCount
        var writer = BinaryPropertyListWriter(indexSize: size(of: UInt64(count)))
        writer.offsets.reserveCapacity(count)
        writer.bytes.reserveCapacity(count * 24)
        let root = writer.append(value)
        writer.appendTable(root: root)
        return writer.bytes
    }

    private init(indexSize: Int) {
        self.indexSize = indexSize
    }

    /// How many bytes a number takes.
    private static func size(of number: UInt64) -> Int {
        number < 0x100 ? 1 : number < 0x1_0000 ? 2 : number < 0x1_0000_0000 ? 4 : 8
    }

    private mutating func append(_ number: UInt64, size: Int) {
        var number = number.bigEndian
        withUnsafeBytes(of: &number) { bytes.append(contentsOf: $0.suffix(size)) }
    }

    private mutating func append(kind: UInt8, count: Int) {
        guard count >= 15 else { return bytes.append(kind << 4 | UInt8(count)) }
        bytes.append(kind << 4 | 15)
        let size = Self.size(of: UInt64(count))
        bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
        append(UInt64(count), size: size)
    }

    private mutating func begin() -> Int {
        offsets.append(bytes.count)
        return offsets.count - 1
    }

    /// Writes an object, those inside of it first.
    ///
    /// - Returns: Its index.
    private mutating func append(_ value: PropertyListValue) -> Int {
        switch value {
        case .array(let elements):
            var indices: [Int] = []
            indices.reserveCapacity(elements.count)
            for element in elements { indices.append(append(element)) }
            let index = begin()
            append(kind: 10, count: elements.count)
            for index in indices { append(UInt64(index), size: indexSize) }
            return index
        case .dictionary(let values):
            var keys: [Int] = []
            keys.reserveCapacity(values.count)
            var indices: [Int] = []
            indices.reserveCapacity(values.count)
            for (key, value) in values {
                keys.append(append(key))
                indices.append(append(value))
            }
            let index = begin()
            append(kind: 13, count: values.count)
            for index in keys { append(UInt64(index), size: indexSize) }
            for index in indices { append(UInt64(index), size: indexSize) }
            return index
        case .string(let text):
            return append(text)
        default:
            let index = begin()
            append(scalar: value)
            return index
        }
    }

    private mutating func append(_ text: String) -> Int {
        let index = begin()
        var text = text
        let isWritten = text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ $0 < 0x80 }) else { return false }
            append(kind: 5, count: utf8.count)
            bytes.append(contentsOf: utf8)
            return true
        }
        guard !isWritten else { return index }
        append(kind: 6, count: text.utf16.count)
        for unit in text.utf16 { append(UInt64(unit), size: 2) }
        return index
    }

    private mutating func append(scalar value: PropertyListValue) {
        switch value {
        case .bool(let bool):
            bytes.append(bool ? 9 : 8)
        case .int(let int):
            // What has less than 8 bytes has no sign.
            let size = int < 0 ? 8 : Self.size(of: UInt64(bitPattern: int))
            bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
            append(UInt64(bitPattern: int), size: size)
        case .unsigned(let unsigned):
            guard unsigned > Int64.max else { return append(scalar: .int(Int64(unsigned))) }
            bytes.append(0x14)
            append(0, size: 8)
            append(unsigned, size: 8)
        case .double(let double):
            bytes.append(0x23)
            append(double.bitPattern, size: 8)
        case .date(let date):
            bytes.append(0x33)
            append(date.timeIntervalSinceReferenceDate.bitPattern, size: 8)
        case .data(let data):
            append(kind: 4, count: data.count)
            bytes.append(contentsOf: data)
        case .string, .array, .dictionary:
            break
        }
    }

    private mutating func appendTable(root: Int) {
        let table = bytes.count
        let offsetSize = Self.size(of: UInt64(table))
        for offset in offsets { append(UInt64(offset), size: offsetSize) }
        bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(indexSize)])
        append(UInt64(offsets.count), size: 8)
        append(UInt64(root), size: 8)
        append(UInt64(table), size: 8)
    }
}

extension PropertyListValue {
    /// How many objects it is written as, at most.
    fileprivate var objectCount: Int {
        switch self {
        case .array(let elements): elements.reduce(1) { $0 + $1.objectCount }
        case .dictionary(let values): values.reduce(1) { $0 + 1 + $1.value.objectCount }
        default: 1
        }
    }
}
