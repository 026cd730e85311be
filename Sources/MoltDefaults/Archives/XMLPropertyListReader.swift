#if !canImport(Darwin)
    package import Foundation

    /// Reads a property list of the XML that Foundation writes on Linux, without an object for each value.
    ///
    /// It knows that form and no other: what is written in any other way, is damaged, or could be read in two ways is left to
    /// Foundation, which decides what it is.
    package struct XMLPropertyListReader {
        /// How every such file begins.
        static let head: StaticString = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """

        private let bytes: UnsafeBufferPointer<UInt8>
        private var position = 0

        /// What a list of keys and values holds; nil when Foundation is to read it.
        package static func values(_ data: Data) -> [String: PropertyListValue]? {
            data.withUnsafeBytes { bytes in
                var reader = XMLPropertyListReader(bytes: bytes.assumingMemoryBound(to: UInt8.self))
                guard reader.skip(head), reader.skip("<dict>"), let values = reader.dictionary(depth: -1),
                    reader.skipSpace(), reader.skip("</plist>"), reader.skipSpace(), reader.position == bytes.count
                else { return nil }
                return values
            }
        }

        private init(bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
        }

        // MARK: Tags

        /// Goes on behind a text, when it is the next.
        private mutating func skip(_ text: StaticString) -> Bool {
            let count = text.utf8CodeUnitCount
            guard let start = bytes.baseAddress, bytes.count - position >= count,
                memcmp(start + position, text.utf8Start, count) == 0
            else { return false }
            position += count
            return true
        }

        /// - Returns: True, to be one of many conditions.
        private mutating func skipSpace() -> Bool {
            while position < bytes.count, bytes[position] == 0x20 || 0x09...0x0A ~= bytes[position] { position += 1 }
            return true
        }

        /// What stands before the next tag.
        private mutating func content() -> UnsafeBufferPointer<UInt8>? {
            guard let start = bytes.baseAddress,
                let end = memchr(start + position, Int32(UInt8(ascii: "<")), bytes.count - position)
            else { return nil }
            let count = UnsafeRawPointer(end) - UnsafeRawPointer(start + position)
            defer { position += count }
            return UnsafeBufferPointer(start: start + position, count: count)
        }

        // MARK: Values

        private mutating func value(depth: Int) -> PropertyListValue? {
            guard skipSpace(), position + 1 < bytes.count else { return nil }
            // The first letter says which it can be.
            switch bytes[position + 1] {
            case UInt8(ascii: "s"):
                guard skip("<string>"), let text = text(), skip("</string>") else { return nil }
                return .string(text)
            case UInt8(ascii: "i"):
                guard skip("<integer>"), let number = integer(), skip("</integer>") else { return nil }
                return number
            case UInt8(ascii: "t"):
                return skip("<true/>") ? .bool(true) : nil
            case UInt8(ascii: "f"):
                return skip("<false/>") ? .bool(false) : nil
            case UInt8(ascii: "a"):
                if skip("<array/>") { return .array([]) }
                guard skip("<array>"), depth < PropertyListValue.depthLimit else { return nil }
                return array(depth: depth)
            case UInt8(ascii: "r"):
                guard skip("<real>"), let number = real(), skip("</real>") else { return nil }
                return .double(number)
            case UInt8(ascii: "d"):
                if skip("<dict/>") { return .dictionary([:]) }
                if skip("<dict>") {
                    guard depth < PropertyListValue.depthLimit else { return nil }
                    return dictionary(depth: depth).map { .dictionary($0) }
                }
                if skip("<date>") {
                    guard let text = content(), let seconds = CivilTime.secondsSinceReference(text), skip("</date>")
                    else {
                        return nil
                    }
                    return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
                }
                guard skip("<data>"), let data = data(), skip("</data>") else { return nil }
                return .data(data)
            default:
                return nil
            }
        }

        private mutating func array(depth: Int) -> PropertyListValue? {
            var elements: [PropertyListValue] = []
            while skipSpace(), !skip("</array>") {
                guard let element = value(depth: depth + 1) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        }

        private mutating func dictionary(depth: Int) -> [String: PropertyListValue]? {
            var values: [String: PropertyListValue] = [:]
            while skipSpace(), !skip("</dict>") {
                guard skip("<key>"), let key = text(), skip("</key>"), let value = value(depth: depth + 1) else {
                    return nil
                }
                // Which one of two counts, and whether texts are the same at all, Foundation knows.
                guard values.updateValue(value, forKey: key) == nil else { return nil }
            }
            // A keyed archive's reference.
            guard values.count != 1 || values["CF$UID"] == nil else { return nil }
            return values
        }

        private mutating func text() -> String? {
            guard let content = content() else { return nil }
            // A byte order mark is taken away.
            if content.count >= 3, content[0] == 0xEF, content[1] == 0xBB, content[2] == 0xBF { return nil }
            guard let start = content.baseAddress, memchr(start, Int32(UInt8(ascii: "&")), content.count) != nil else {
                return String(validating: content, as: UTF8.self)
            }
            return unescaped(content).flatMap { String(validating: $0, as: UTF8.self) }
        }

        private func unescaped(_ content: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
            let entities: [(name: StaticString, byte: UInt8)] = [
                ("&amp;", UInt8(ascii: "&")), ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")),
            ]
            var text: [UInt8] = []
            text.reserveCapacity(content.count)
            var index = 0
            while index < content.count {
                guard content[index] == UInt8(ascii: "&") else {
                    text.append(content[index])
                    index += 1
                    continue
                }
                let rest = content[index...]
                let entity = entities.first { name, _ in
                    rest.starts(with: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
                }
                guard let entity else { return nil }
                text.append(entity.byte)
                index += entity.name.utf8CodeUnitCount
            }
            return text
        }

        /// Digits with a minus or none, and not written in any longer way than that.
        private mutating func integer() -> PropertyListValue? {
            guard let digits = content(), let first = digits.first else { return nil }
            let isNegative = first == UInt8(ascii: "-")
            var number: UInt64 = 0
            let start = isNegative ? 1 : 0
            guard digits.count > start, digits.count <= 20, digits[start] != 0x30 || digits.count == 1 else {
                return nil
            }
            for byte in digits[start...] {
                guard 0x30...0x39 ~= byte else { return nil }
                let (product, isOver) = number.multipliedReportingOverflow(by: 10)
                let (sum, isOverToo) = product.addingReportingOverflow(UInt64(byte - 0x30))
                guard !isOver, !isOverToo else { return nil }
                number = sum
            }
            guard isNegative else { return PropertyListValue(exactly: number) }
            guard number <= UInt64(Int64.max) + 1 else { return nil }
            return .int(Int64(truncatingIfNeeded: 0 &- number))
        }

        /// A decimal number; what is none, and has a name, is Foundation's.
        private mutating func real() -> Double? {
            guard let digits = content(), let last = digits.last, 0x30...0x39 ~= last,
                digits.allSatisfy({ 0x30...0x39 ~= $0 || Self.marksOfReals.contains($0) })
            else { return nil }
            return Double(String(decoding: digits, as: UTF8.self))
        }

        private static let marksOfReals = Array("+-.eE".utf8)

        /// Base64 in lines.
        private mutating func data() -> Data? {
            guard let lines = content() else { return nil }
            let text = lines.filter { $0 != 0x20 && !(0x09...0x0A ~= $0) }
            return text.isEmpty ? Data() : Data(base64Encoded: Data(text))
        }
    }
#endif
