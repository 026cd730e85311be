/// A JSON number, kept as the text that it was written with.
///
/// `18446744073709551615`, `0.1` and `1.0` stay exact, whatever their length; two numbers are equal when their
/// texts are.
public struct RecordNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number's text, as JSON has it.
    public let text: String

    /// Creates a number from its text; nil when JSON has no such number.
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

    /// Creates a number from a floating-point value; nil for infinities and what is not a number.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.init(finite: value)
    }

    /// Creates a number from text that a scanner has accepted.
    init(checked text: String) {
        self.text = text
    }

    fileprivate init(finite value: Double) {
        // "1.0" for whole numbers would be as right; JSON encoders of the field write them without a fraction.
        let description = value.description
        text = description.hasSuffix(".0") ? String(description.dropLast(2)) : description
    }

    /// The number as an integer, when it is written as one and fits.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Int.self) -> Integer? {
        Integer(text)
    }

    /// The number as the nearest `Double`; nil when it is beyond its range.
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The number's text.
    public var description: String { text }
}

extension RecordNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number from an integer in source code.
    public init(integerLiteral value: Int) {
        self.init(value)
    }

    /// Creates a number from a floating-point literal in source code, which is always finite or rounds to infinity.
    public init(floatLiteral value: Double) {
        // A literal beyond the range of Double is the greatest number instead of a crash.
        let greatest = Double.greatestFiniteMagnitude
        self.init(finite: min(max(value, -greatest), greatest))
    }
}
