/// An exact decimal number, for conversions that must not round.
struct DecimalNumber: Hashable {
    /// The number times ten to the power of ``scale``.
    private var digits: Int128
    /// The number of digits after the point.
    private var scale: Int

    /// The greatest number of digits after the point, and of zeros that an exponent appends.
    private static let greatestScale = 36

    init(_ integer: Int64) {
        digits = Int128(integer)
        scale = 0
    }

    /// Parses a JSON number; nil if it has too many digits to be exact.
    init?(_ number: RecordValue.Number) {
        let parts = number.text.utf8.split(whereSeparator: { $0 == 0x65 || $0 == 0x45 })
        guard let exponent = parts.count > 1 ? Int(String(Substring(parts[1]))) : 0,
            -Self.greatestScale...Self.greatestScale ~= exponent
        else { return nil }
        let mantissa = String(Substring(parts[0])).split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        guard let digits = Int128(mantissa[0] + fraction) else { return nil }
        self.digits = digits
        scale = fraction.utf8.count
        guard shift(by: exponent) else { return nil }
    }

    /// Multiplies the number by a power of ten; returns whether that is possible.
    mutating func shift(by places: Int) -> Bool {
        scale -= places
        guard scale <= Self.greatestScale else { return false }
        while scale < 0 {
            let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
            guard !overflows else { return false }
            digits = product
            scale += 1
        }
        return true
    }

    /// The sum; nil if it has too many digits.
    func adding(_ other: DecimalNumber) -> DecimalNumber? {
        var (first, second) = (self, other)
        guard first.widen(to: second.scale), second.widen(to: first.scale) else { return nil }
        let (sum, overflows) = first.digits.addingReportingOverflow(second.digits)
        guard !overflows else { return nil }
        first.digits = sum
        return first
    }

    private mutating func widen(to newScale: Int) -> Bool {
        while scale < newScale {
            let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
            guard !overflows else { return false }
            digits = product
            scale += 1
        }
        return true
    }

    /// The floor, and the digits of the fraction; nil if it does not fit.
    var whole: (integer: Int64, fraction: String)? {
        var unit: Int128 = 1
        for _ in 0..<scale { unit *= 10 }
        var (quotient, remainder) = digits.quotientAndRemainder(dividingBy: unit)
        if remainder < 0 {
            quotient -= 1
            remainder += unit
        }
        guard let integer = Int64(exactly: quotient) else { return nil }
        let fraction = scale == 0 ? "" : String(String(remainder + unit).dropFirst())
        return (integer, String(fraction.reversed().drop { $0 == "0" }.reversed()))
    }

    /// The number without an exponent, and without zeros at the end of its fraction.
    var text: String {
        let isNegative = digits < 0
        var text = String(digits.magnitude)
        guard scale > 0 else { return (isNegative ? "-" : "") + text }
        text = String(repeating: "0", count: max(0, scale + 1 - text.utf8.count)) + text
        let fraction = String(text.suffix(scale).reversed().drop { $0 == "0" }.reversed())
        return (isNegative ? "-" : "") + text.dropLast(scale) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// Whether it has no fraction.
    var isInteger: Bool { !text.utf8.contains(0x2E) }
}
