#if !canImport(Darwin)
    package import Foundation

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Writes a property list as XML, to the byte as Foundation does on Linux (Swift 6.3), without an object for each value.
    ///
    /// Foundation bridges each value to an object of its own before it writes it: more than ten times the work for the same bytes.
    /// What is rare, and what it is not certain of, is left to Foundation. The order of keys that are not ASCII may be
    /// another one.
    package struct XMLPropertyListWriter {
        private var bytes: [UInt8] = []

        /// The list's bytes; nil when Foundation is to write it.
        package static func data(_ values: [String: PropertyListValue]) -> Data? {
            var writer = XMLPropertyListWriter()
            writer.bytes.reserveCapacity(256 + values.count * 128)
            writer.append(XMLPropertyListReader.head)
            guard writer.append(values, depth: 0) else { return nil }
            writer.append("</plist>\n")
            return Data(writer.bytes)
        }

        private mutating func append(_ text: StaticString) {
            bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        private mutating func indent(_ depth: Int) {
            for _ in 0..<depth { bytes.append(UInt8(ascii: "\t")) }
        }

        /// - Returns: Whether it could be written.
        private mutating func append(_ value: PropertyListValue, depth: Int) -> Bool {
            if case .dictionary(let values) = value { return append(values, depth: depth) }
            indent(depth)
            switch value {
            case .bool(let bool):
                append(bool ? "<true/>\n" : "<false/>\n")
            case .int(let int):
                append("<integer>")
                bytes.append(contentsOf: int.description.utf8)
                append("</integer>\n")
            case .unsigned(let unsigned):
                append("<integer>")
                bytes.append(contentsOf: unsigned.description.utf8)
                append("</integer>\n")
            case .double(let double):
                append("<real>")
                append(double)
                append("</real>\n")
            case .string(let string):
                append("<string>")
                append(escaping: string)
                append("</string>\n")
            case .date(let date):
                return append(date)
            case .data(let data):
                append(data, depth: depth)
            case .array(let elements):
                guard !elements.isEmpty else {
                    append("<array/>\n")
                    break
                }
                append("<array>\n")
                for element in elements {
                    guard append(element, depth: depth + 1) else { return false }
                }
                indent(depth)
                append("</array>\n")
            case .dictionary:
                break
            }
            return true
        }

        /// In 17 digits at most, but for the numbers that Foundation has words of its own for; a zero has no sign.
        private mutating func append(_ double: Double) {
            guard double != 0 else { return append("0.0") }
            guard double.isFinite else {
                return append(double.isNaN ? "nan" : double > 0 ? "+infinity" : "-infinity")
            }
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
                let count = withVaList([double]) { vsnprintf(buffer.baseAddress, buffer.count, "%.17g", $0) }
                var isPointWritten = false
                for byte in buffer.prefix(Int(max(count, 0))).lazy.map(UInt8.init(bitPattern:)) {
                    switch byte {
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"):
                        bytes.append(byte)
                    default:
                        // The process may have set a locale with another point, of several bytes even.
                        if !isPointWritten { bytes.append(UInt8(ascii: ".")) }
                        isPointWritten = true
                    }
                }
            }
        }

        private mutating func append(_ values: [String: PropertyListValue], depth: Int) -> Bool {
            indent(depth)
            guard !values.isEmpty else {
                append("<dict/>\n")
                return true
            }
            append("<dict>\n")
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                indent(depth + 1)
                append("<key>")
                append(escaping: key)
                append("</key>\n")
                guard append(value, depth: depth + 1) else { return false }
            }
            indent(depth)
            append("</dict>\n")
            return true
        }

        private mutating func append(escaping string: String) {
            var string = string
            string.withUTF8 { text in
                var start = 0
                for index in text.indices {
                    guard let entity = Self.entity(for: text[index]) else { continue }
                    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                    append(entity)
                    start = index + 1
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
            }
        }

        private static func entity(for byte: UInt8) -> StaticString? {
            switch byte {
            case UInt8(ascii: "<"): "&lt;"
            case UInt8(ascii: ">"): "&gt;"
            case UInt8(ascii: "&"): "&amp;"
            default: nil
            }
        }

        /// In whole seconds, of the years that have four digits.
        private mutating func append(_ date: Date) -> Bool {
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            guard let text = CivilTime(secondsSinceReference: seconds)?.text else { return false }
            append("<date>")
            bytes.append(contentsOf: text.utf8)
            append("</date>\n")
            return true
        }

        /// Base64 in lines that are as long as the indentation lets them be.
        private mutating func append(_ data: Data, depth: Int) {
            append("<data>\n")
            let width = max(76 - 8 * depth, 12)
            let text = Array(data.base64EncodedString().utf8)
            for start in stride(from: 0, to: text.count, by: width) {
                indent(depth)
                bytes.append(contentsOf: text[start..<min(start + width, text.count)])
                append("\n")
            }
            indent(depth)
            append("</data>\n")
        }
    }
#endif
