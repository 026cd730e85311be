internal import MoltCore

/// Leaves of values: the ordinary, and what migrations are known to trip over.
extension SeededGenerator {
    // MARK: Numbers

    /// A whole number, within 64 bits with a sign unless the sample is beyond them.
    mutating func whole(like sample: RecordNumber) -> RecordNumber {
        if sample.integer(Int64.self) == nil, sample.integer(UInt64.self) != nil {
            return RecordNumber(pick([UInt64(0), .max, .max - 1, UInt64(Int64.max) + 1]))
        }
        switch below(4) {
        case 0: return RecordNumber(pick([0, 0, 1, -1]))
        case 1: return RecordNumber(pick(Self.wholeNumbers))
        default:
            // Of all lengths alike, not only the longest.
            let magnitude = Int64(truncatingIfNeeded: next() >> UInt64(1 + below(63)))
            return RecordNumber(oneIn(3) ? -magnitude : magnitude)
        }
    }

    private static let wholeNumbers: [Int64] = [
        .max, .min, .max - 1, .min + 1,
        // Where 8, 16 and 32 bits end.
        127, 128, -129, 255, 256, 65_535, 65_536, 2_147_483_647, 2_147_483_648, -2_147_483_649, 4_294_967_296,
        // The first that a Double cannot hold.
        9_007_199_254_740_993, -9_007_199_254_740_993,
        1_000_000_000_000,
    ]

    /// A number with a fraction, or too large to have one.
    mutating func fraction() -> RecordNumber {
        if oneIn(2), let number = RecordNumber(text: pick(Self.fractions)) { return number }
        let text = "\(oneIn(3) ? "-" : "")\(below(1_000_000)).\(1 + below(9_999))"
        return RecordNumber(text: text) ?? 0.5
    }

    private static let fractions = [
        "0.1", "-0.1", "0.5", "0.30000000000000004", "-0.0", "1.0", "1e-7", "-2.5E+3", "1e21", "1.5e300",
        "123456789.123456789", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "-1.7976931348623157e308",
    ]

    // MARK: Bytes

    /// Raw data: none, a part of the sample's, or others.
    mutating func bytes(like sample: [UInt8]) -> [UInt8] {
        switch below(5) {
        case 0: return []
        case 1: return Array(sample.prefix(below(sample.count + 1)))
        case 2: return [0]
        case 3: return sample + sample
        default: return (0...below(64)).map { _ in UInt8(truncatingIfNeeded: next()) }
        }
    }

    // MARK: Text

    /// A text: none, a part of the sample's, or others, odd ones among them.
    mutating func text(like sample: String, allowsControls: Bool) -> String {
        switch below(16) {
        case 0: return ""
        case 1: return String(sample.prefix(below(sample.count + 1)))
        case 2: return " \(sample)"
        case 3: return "\(sample) "
        case 4: return pick([" ", "  ", "\t", "\n", "\u{00A0}", "\u{3000}"])
        case 5: return "\(sample) \(word()) \(word())"
        case 6: return "\(word())  \(word())"
        case 7: return pick(Self.quoted) + word()
        case 8: return allowsControls ? pick(Self.controls) : word()
        case 9, 10: return unusual()
        case 11: return word() + " " + unusual()
        case 12: return long()
        default: return word()
        }
    }

    /// Small letters, without a space.
    mutating func word() -> String {
        let letters = (0...below(9)).map { _ in UInt8(ascii: "a") + UInt8(below(26)) }
        return String(decoding: letters, as: UTF8.self)
    }

    private mutating func long() -> String {
        let part = oneIn(2) ? "\(word()) " : unusual()
        return String(repeating: part, count: pick([50, 50, 50, 2_000]))
    }

    private static let quoted = [
        "\"", "\\", "\\\"", "'", "/", "\\u0041", "</script>", "%s%n", "$(x)", "{\"a\":1}", "[", "null",
    ]

    private static let controls = ["\0", "a\0b", "\u{1}\u{1F}", "\u{7F}", "\r\n", "\u{8}\u{C}", "\u{FEFF}a"]

    private mutating func unusual() -> String {
        pick(pick([Self.composed, Self.emoji, Self.rightToLeft, Self.other]))
    }

    /// In one code point, and in two or more.
    private static let composed = [
        "\u{E9}t\u{E9}", "e\u{301}te\u{301}", "\u{1E9B}\u{323}", "z\u{351}\u{32A}\u{35C}a", "한국어",
    ]

    private static let emoji = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇫🇷", "😀😀"]

    private static let rightToLeft = ["שלום", "مرحبا بالعالم", "\u{202E}abc\u{202C}", "a א b"]

    private static let other = [
        "日本語", "𝔘𝔫𝔦", "ﬁ", "ß", "İ", "ǆ", "a\u{200B}b", "a\u{200D}b", "\u{2028}", "\u{FFFD}", "\u{E000}", "\u{10FFFD}",
    ]

    // MARK: Keys

    /// A key that no other record has; the drawn ones are told apart by their bytes.
    mutating func key(_ number: Int, notIn used: inout Set<[UInt8]>) -> String {
        var key: String
        switch below(8) {
        case 0: key = pick(Self.keys)
        case 1: key = unusual()
        case 2: key = String(repeating: word(), count: 100)
        case 3: key = "\(word()) \(word())"
        case 4: key = String(next(), radix: 16)
        default: key = "\(word())-\(number)"
        }
        // The numbers are all different, so this ends.
        while !used.insert(Array(key.utf8)).inserted { key += "-\(number)" }
        return key
    }

    private static let keys = [
        "\u{E9}", "e\u{301}", "K", "k", " ", "a ", " a", "a/b", "../a", ".", "a\"b", "a\\b", "a'b", "a\nb", "%20", "*",
        "key",
        "KEY", "0", "00", "-1", "null", "\u{1F1EB}", "\u{212A}",
    ]
}
