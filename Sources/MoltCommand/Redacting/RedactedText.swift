import Foundation
import Molt

/// Replaces private texts by others of the same form, so that migrations treat them in the same way.
///
/// The same string is always replaced by the same one, and different strings by different ones: they may be keys. A
/// number is treated like its text only if that is the key of a record, or if a step makes it one. In any other number,
/// each digit becomes 1: small raw values and months stay valid, and nobody learns which numbers are equal. A raw value
/// that is also a key needs `--keep`.
struct RedactedTexts {
    private let separators: [String]
    /// Whether keys that differ only in case must do so afterwards.
    private let foldsCase: Bool
    /// The bytes of the records' keys.
    private var keys: Set<[UInt8]> = []
    /// The replacements by the bytes of the texts, because canonically equivalent strings are different keys.
    private var replacements: [[UInt8]: String] = [:]
    private var used: Set<String>
    /// The number of texts that were tried of each form.
    private var counts: [String: Int] = [:]

    init(keeping literals: RegistryLiterals) {
        separators = literals.separators
        foldsCase = literals.keyForms.contains(.lowercased)
        // A value that a step looks for must not appear where it was not.
        used = literals.texts
    }

    /// The replacement for a record's key, which is longer than the key if all of its form are taken.
    mutating func replacement(forKey key: String) -> String {
        keys.insert(Array(key.utf8))
        guard foldsCase, replacements[Array(key.utf8)] == nil else { return replacement(for: key, isKey: true) }
        let lower = key.lowercased()
        let base: String
        if let replacement = replacements[Array(lower.utf8)] {
            base = replacement
        } else {
            base = unusedText(of: RedactedForm(of: lower, separators: separators, isLower: true), isKey: true)
            replacements[Array(lower.utf8)] = base
        }
        guard !lower.utf8.elementsEqual(key.utf8) else { return base }
        let variant = unusedVariant(of: base, like: key, lower)
        replacements[Array(key.utf8)] = variant
        return variant
    }

    /// A text that differs from another one only in case; if possible at the places where a key differs from its lower
    /// case.
    private mutating func unusedVariant(of base: String, like key: String, _ lower: String) -> String {
        let (scalars, old, new) = (Array(base.unicodeScalars), Array(key.unicodeScalars), Array(lower.unicodeScalars))
        let letters = scalars.indices.filter { scalars[$0].properties.isAlphabetic }
        func variant(_ isUpper: (Int) -> Bool) -> String {
            scalars.indices.map { isUpper($0) ? String(scalars[$0]).uppercased() : String(scalars[$0]) }.joined()
        }
        let isAligned = old.count == new.count && new.count <= scalars.count
        var candidates = [variant { isAligned && $0 < old.count && old[$0] != new[$0] }]
        for bits in 1..<(1 << min(letters.count, 10)) {
            let upper = Set(letters.prefix(10).enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
            candidates.append(variant(upper.contains))
        }
        // The keys of a few letters that are not ASCII can have more twins than the replacement has.
        return candidates.first { used.insert($0).inserted }
            ?? unusedText(of: RedactedForm(of: lower, separators: separators, isLower: true), isKey: true)
    }

    /// The replacement for a JSON number; the exponent stays, so that it stays in range.
    ///
    /// - Parameter isKey: Whether a step makes it the key of a record.
    mutating func replacement(forNumber text: String, isKey: Bool) -> String {
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }
        if mantissa.endIndex == text.endIndex, isKey || keys.contains(Array(text.utf8)) {
            return replacement(for: text, isKey: true)
        }
        return mantissa.map { $0.isNumber ? "1" : String($0) }.joined() + text[mantissa.endIndex...]
    }

    /// The replacement for a string.
    mutating func replacement(for text: String, isKey: Bool = false) -> String {
        if let replacement = replacements[Array(text.utf8)] { return replacement }
        let unique = unusedText(of: RedactedForm(of: text, separators: separators), isKey: isKey)
        replacements[Array(text.utf8)] = unique
        return unique
    }

    private mutating func unusedText(of form: RedactedForm, isKey: Bool) -> String {
        let first = form.text(0) ?? ""
        // Without a letter or digit, it has nothing private.
        guard form.hasOthers else { return first }
        var number = counts[first] ?? 0
        while let text = form.text(number) {
            number += 1
            guard used.insert(text).inserted else { continue }
            counts[first] = number
            return text
        }
        counts[first] = number
        // A longer date would not be one, and is seldom a key.
        return form.isDate && !isKey ? first : unusedText(of: form.extended, isKey: isKey)
    }
}

/// The texts that may replace a private text.
private struct RedactedForm {
    /// The first of them: each letter is x or X, each digit is 1, and all that is not ASCII is x.
    private var scalars: [Unicode.Scalar] = []
    /// The positions at which they differ from each other.
    private var indexes: [Int] = []
    /// Whether the first digit is never zero.
    private var beginsAboveZero = false
    private(set) var isDate = false

    /// The form of a text; numbers, UUIDs and ISO 8601 dates stay what they are, because their types decode nothing
    /// else.
    ///
    /// - Parameter isLower: Whether all letters are in lower case, also those of a UUID, which are otherwise digits.
    init(of text: String, separators: [String], isLower: Bool = false) {
        isDate = Self.isDate(text)
        let isUUID = UUID(uuidString: text) != nil
        let isNumber = RecordValue.Number(text: text) != nil && !text.contains { $0 == "e" || $0 == "E" }
        beginsAboveZero = isDate || isNumber && !text.trimmingPrefix("-").dropFirst().hasPrefix(".")
        let view = text.unicodeScalars
        let kept = isDate || isUUID || isNumber ? [] : separators.flatMap { view.ranges(of: $0.unicodeScalars) }
        // Scalars and not characters, because a character can consist of an ASCII one and others.
        for index in view.indices {
            let isKept = kept.contains { $0.contains(index) }
            if !isKept, let first = Self.first(for: view[index], isUUID: isUUID, isDate: isDate, isLower: isLower) {
                indexes.append(scalars.count)
                scalars.append(first)
            } else {
                scalars.append(view[index])
            }
        }
        // Another year is always another date.
        if isDate { indexes = Array(indexes.prefix(4)) }
        if indexes.count == 1 { beginsAboveZero = false }
    }

    private static func first(
        for scalar: Unicode.Scalar,
        isUUID: Bool,
        isDate: Bool,
        isLower: Bool
    ) -> Unicode.Scalar? {
        switch scalar {
        case "0"..."9": "1"
        case _ where isDate: nil
        case _ where scalar.properties.isAlphabetic || !scalar.isASCII:
            isUUID ? isLower ? "a" : "1" : scalar.properties.isUppercase && !isLower ? "X" : "x"
        default: nil
        }
    }

    /// Whether there are other texts of the form than the first.
    var hasOthers: Bool { !indexes.isEmpty }

    /// One of the texts, by its number; nil if there are fewer.
    func text(_ number: Int) -> String? {
        var rest = number
        var scalars = scalars
        for index in indexes.reversed() where rest > 0 {
            let alphabet = alphabet(of: scalars[index], isFirst: index == indexes.first)
            scalars[index] = alphabet[rest % alphabet.count]
            rest /= alphabet.count
        }
        guard rest == 0 else { return nil }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    private func alphabet(of scalar: Unicode.Scalar, isFirst: Bool) -> [Unicode.Scalar] {
        switch scalar {
        case "1": Array((isFirst && beginsAboveZero ? "123456789" : "1234567890").unicodeScalars)
        case "a": Array("abcdef".unicodeScalars)
        case "X": Array("XYZABCDEFGHIJKLMNOPQRSTUVW".unicodeScalars)
        default: Array("xyzabcdefghijklmnopqrstuvw".unicodeScalars)
        }
    }

    /// The form of texts that are longer by a digit.
    var extended: RedactedForm {
        var form = self
        form.indexes.append(scalars.count)
        form.scalars.append("1")
        form.isDate = false
        // A number of several digits.
        form.beginsAboveZero = true
        return form
    }

    /// Whether a text is an ISO 8601 date, with or without a time; the only letters in it are T and Z.
    private static func isDate(_ text: String) -> Bool {
        guard (10...40).contains(text.utf8.count), text.utf8.first.map({ (0x30...0x39).contains($0) }) == true else {
            return false
        }
        let date = /\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?/
        return text.wholeMatch(of: date) != nil
    }
}

/// Replaces content that is not JSON.
enum RedactedText {
    /// Replaces byte by byte; those of other characters become x.
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
