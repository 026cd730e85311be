/// An exact decimal number, for conversions that must not round.
///
/// Its digits are in two words, because `Int128` needs iOS 18.
struct DecimalNumber: Hashable {
    /// The digits before those in ``low``.
    private var high: UInt64 = 0
    /// The last 19 digits of the number times ten to the power of ``scale``.
    private var low: UInt64
    private var isNegative: Bool
    /// The number of digits after the point.
    private var scale: Int

    /// Ten to the power of 19: ``low`` is always less.
    private static let wordSize: UInt64 = 10_000_000_000_000_000_000
    private static let digitsPerWord = 19
    /// The greatest number of digits after the point, and of zeros that an exponent appends.
    private static let greatestScale = 36

    init(_ integer: Int64) {
        low = integer.magnitude
        isNegative = integer < 0
        scale = 0
    }

    /// Parses a JSON number; nil if it has too many digits to be exact.
    init?(_ number: RecordValue.Number) {
        let parts = number.text.utf8.split(whereSeparator: { $0 == 0x65 || $0 == 0x45 })
        guard let exponent = parts.count > 1 ? Int(String(Substring(parts[1]))) : 0,
            -Self.greatestScale...Self.greatestScale ~= exponent
        else { return nil }
        let mantissa = String(Substring(parts[0])).split(separator: ".", omittingEmptySubsequences: false)
        let hasSign = mantissa[0].hasPrefix("-")
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        let digits = mantissa[0].dropFirst(hasSign ? 1 : 0) + fraction
        guard let low = UInt64(digits.suffix(Self.digitsPerWord)),
            let high = UInt64("0" + digits.dropLast(Self.digitsPerWord))
        else { return nil }
        self.high = high
        self.low = low
        isNegative = hasSign && (high > 0 || low > 0)
        scale = fraction.utf8.count
        guard shift(by: exponent) else { return nil }
    }

    /// Multiplies the number by a power of ten; returns whether that is possible.
    mutating func shift(by digits: Int) -> Bool {
        scale -= digits
        guard scale <= Self.greatestScale else { return false }
        return scale >= 0 || widen(to: 0)
    }

    /// Appends zeros after the point; returns whether the digits fit.
    private mutating func widen(to newScale: Int) -> Bool {
        while scale < newScale {
            let (carry, remainder) = Self.wordSize.dividingFullWidth(low.multipliedFullWidth(by: 10))
            let (product, overflows) = high.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = product.addingReportingOverflow(carry)
            guard !overflows, !isTooLarge else { return false }
            (high, low) = (sum, remainder)
            scale += 1
        }
        return true
    }

    /// The sum; nil if it has too many digits.
    func adding(_ other: DecimalNumber) -> DecimalNumber? {
        var (first, second) = (self, other)
        guard first.widen(to: second.scale), second.widen(to: first.scale) else { return nil }
        let room = Self.wordSize - second.low
        if first.isNegative == second.isNegative {
            let carries = first.low >= room
            let (sum, overflows) = first.high.addingReportingOverflow(second.high)
            let (high, isTooLarge) = sum.addingReportingOverflow(carries ? 1 : 0)
            guard !overflows, !isTooLarge else { return nil }
            first.high = high
            first.low = carries ? first.low - room : first.low + second.low
        } else {
            guard (first.high, first.low) >= (second.high, second.low) else { return other.adding(self) }
            let borrows = first.low < second.low
            first.high -= second.high + (borrows ? 1 : 0)
            first.low = borrows ? first.low + room : first.low - second.low
            if first.high == 0, first.low == 0 { first.isNegative = false }
        }
        return first
    }

    /// Whether it is less than another number; nil if they have too many digits to be compared.
    func isLess(than other: DecimalNumber) -> Bool? {
        var negative = other
        if other.high > 0 || other.low > 0 { negative.isNegative.toggle() }
        return adding(negative)?.isNegative
    }

    /// The floor, and the digits of the fraction; nil if it does not fit.
    var whole: (integer: Int64, fraction: String)? {
        let parts = text.split(separator: ".")
        guard let integer = Int64(parts[0]) else { return nil }
        guard parts.count > 1 else { return (integer, "") }
        guard isNegative else { return (integer, String(parts[1])) }
        // The floor is the integer below, and the fraction counts up from there.
        let (floor, overflows) = integer.subtractingReportingOverflow(1)
        guard !overflows, let complement = DecimalNumber(.init(checked: "-0." + parts[1]))?.adding(DecimalNumber(1))
        else {
            return nil
        }
        return (floor, String(complement.text.dropFirst(2)))
    }

    /// The number without an exponent, and without zeros at the end of its fraction.
    var text: String {
        let sign = isNegative ? "-" : ""
        var text = high == 0 ? String(low) : String(high) + Self.padded(String(low), to: Self.digitsPerWord)
        guard scale > 0 else { return sign + text }
        text = Self.padded(text, to: scale + 1)
        let fraction = String(text.suffix(scale).reversed().drop { $0 == "0" }.reversed())
        return sign + text.dropLast(scale) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// A text with zeros before it, if it is shorter than a length.
    static func padded(_ text: String, to count: Int) -> String {
        String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// Whether it has no fraction.
    var isInteger: Bool { !text.utf8.contains(0x2E) }
}
