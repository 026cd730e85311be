import Foundation
import MoltCore

/// The replacements for private text: of the same kind and form, so that migrations treat it in the same way.
enum RedactedText {
    /// Replaces each letter by x or X and each digit by 1; other ASCII characters stay, and all others become x.
    ///
    /// A UUID and an ISO 8601 date remain one, because their types would not decode anything else.
    static func of(_ text: String) -> String {
        if isDate(text) { return replaced(text) { $0 } }
        // Hexadecimal digits, all by the same one.
        if UUID(uuidString: text) != nil { return replaced(text) { _ in "1" } }
        return replaced(text) { $0.properties.isUppercase ? "X" : "x" }
    }

    /// Replaces scalars and not characters, because a character can consist of an ASCII one and others.
    private static func replaced(
        _ text: some StringProtocol,
        _ letter: (Unicode.Scalar) -> Unicode.Scalar
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "0"..."9": result.append("1")
            case _ where scalar.properties.isAlphabetic || !scalar.isASCII: result.append(letter(scalar))
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether a text is an ISO 8601 date, with or without a time; the only letters in it are T and Z.
    private static func isDate(_ text: String) -> Bool {
        guard (10...40).contains(text.utf8.count), text.utf8.first.map({ (0x30...0x39).contains($0) }) == true else {
            return false
        }
        let date = /\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?/
        return text.wholeMatch(of: date) != nil
    }

    /// Replaces the digits of a number's text by 1, except for those of the exponent, so that it stays in range.
    static func ofNumber(_ text: String) -> String {
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }
        return mantissa.map { $0.isNumber ? "1" : String($0) }.joined() + text[mantissa.endIndex...]
    }

    /// A JSON string; one that needs no escape keeps its form.
    static func ofJSONString(_ part: JSONPart) -> String {
        let raw = part.text.dropFirst().dropLast()
        guard raw.utf8.contains(UInt8(ascii: "\\")), let text = part.string else { return "\"\(of(String(raw)))\"" }
        return RecordValue.string(of(text)).description
    }

    /// Content that is not JSON, byte by byte; bytes of other characters become x.
    static func ofBytes(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "1")
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt8(ascii: "X")
            case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: UInt8(ascii: "x")
            default: byte
            }
        }
    }
}

/// Replaces keys, each by a text of its own.
struct RedactedKeys {
    /// The replacements by the bytes of the keys, because canonically equivalent strings are different keys.
    private var replacements: [[UInt8]: String] = [:]
    private var used: Set<String> = []
    private var lastNumbers: [String: Int] = [:]

    /// The replacement for a key that has one.
    func known(_ key: String) -> String? { replacements[Array(key.utf8)] }

    /// The replacement for a key; the same for each call.
    mutating func replacement(for key: String) -> String {
        if let known = replacements[Array(key.utf8)] { return known }
        let text = RedactedText.of(key)
        var unique = text
        var number = lastNumbers[text] ?? 1
        while !used.insert(unique).inserted {
            number += 1
            unique = "\(text)\(number)"
        }
        lastNumbers[text] = number
        replacements[Array(key.utf8)] = unique
        return unique
    }
}
