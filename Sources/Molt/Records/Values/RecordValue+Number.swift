internal import Foundation

extension RecordValue {
    /// A JSON number, stored as its original text.
    ///
    /// `18446744073709551615`, `0.1` and `1.0` stay exact at any length. Two numbers are equal if their texts are.
    public struct Number: Hashable, Sendable, CustomStringConvertible {
        /// The number's JSON text.
        public let text: String

        /// Creates a number from its text; nil if that is not a JSON number.
        public init?(text: String) {
            var text = text
            let isNumber = text.withUTF8 { bytes -> Bool in
                guard let base = bytes.baseAddress, let first = bytes.first else { return false }
                guard first == 0x2D || 0x30...0x39 ~= first else { return false }
                var scanner = JSONScanner(base: base, to: bytes.count)
                do {
                    try scanner.skipValue(depth: 0)
                } catch {
                    return false
                }
                return scanner.position == bytes.count
            }
            guard isNumber else { return nil }
            self.text = text
        }

        /// Creates a number from an integer.
        public init(_ integer: some BinaryInteger) {
            text = String(integer)
        }

        /// Creates a number from a floating-point value; nil for infinities and NaN.
        public init?(_ value: Double) {
            guard value.isFinite else { return nil }
            self.init(finite: value)
        }

        /// Creates a number from text that a scanner has accepted.
        init(checked text: String) {
            self.text = text
        }

        fileprivate init(finite value: Double) {
            // "1.0" would be equally correct for integers, but JSON encoders usually write them without a fraction.
            let description = value.description
            text = description.hasSuffix(".0") ? String(description.dropLast(2)) : description
        }

        /// The number as an integer; nil if it has another form or does not fit.
        public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) -> Integer? {
            Integer(text)
        }

        /// Whether it is written as an integer, of any length.
        var isInteger: Bool {
            text.utf8.allSatisfy { $0 == 0x2D || 0x30...0x39 ~= $0 }
        }

        /// The number as the nearest `Double`; nil if it is out of range.
        public var double: Double? {
            guard let value = Double(text), value.isFinite else { return nil }
            return value
        }

        /// Whether a `Double` has all digits of the number.
        ///
        /// A coder may have written 17 digits of a `Double` where fewer are enough.
        func isExact(as double: Double) -> Bool {
            let digits = Self.digits(of: text)
            if digits.isEmpty { return double == 0 }
            guard digits.count <= 17 else { return false }
            return digits == Self.digits(of: double.description)
                || digits == Self.digits(of: String(format: "%.\(digits.count - 1)e", double))
        }

        /// The digits of a number's text, without zeros at the ends and without the exponent.
        private static func digits(of text: String) -> ArraySlice<UInt8> {
            var digits = text.utf8.prefix { $0 != 0x65 && $0 != 0x45 }.filter { 0x30...0x39 ~= $0 }[...]
            digits = digits.drop { $0 == 0x30 }
            while digits.last == 0x30 { digits.removeLast() }
            return digits
        }

        /// The number's text.
        public var description: String { text }
    }
}

extension RecordValue.Number: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int) {
        self.init(value)
    }

    /// Creates a number from a floating-point literal, which may be rounded to infinity but is never NaN.
    public init(floatLiteral value: Double) {
        // A literal out of range becomes the greatest number instead of a crash.
        let greatest = Double.greatestFiniteMagnitude
        self.init(finite: min(max(value, -greatest), greatest))
    }
}
