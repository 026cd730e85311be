package import Foundation
internal import Molt

/// Formats keys and values for differences, on one line and truncated.
package enum Shown {
    private static let limit = 60

    /// A truncated string with escaped line breaks and control characters.
    package static func text(_ text: some StringProtocol) -> String {
        let shown = ErrorSummary.oneLine(String(text.prefix(limit + 1)))
        return shown.count > limit ? shown.prefix(limit - 1) + "…" : shown
    }

    package static func json(_ bytes: some Collection<UInt8>) -> String {
        // A prefix suffices, because a character has only a few bytes.
        bytes.isEmpty ? "nothing" : text(String(decoding: bytes.prefix(limit * 8), as: UTF8.self))
    }

    package static func json(_ text: String) -> String { json(text.utf8) }

    /// Two values, each starting shortly before their first difference.
    package static func pair(_ left: String, _ right: String) -> (String, String) {
        let common = zip(left.unicodeScalars, right.unicodeScalars).prefix { $0 == $1 }.count
        guard common > limit / 2 else { return (text(left), text(right)) }
        func cut(_ text: String) -> String {
            "…" + Shown.text(String(text.unicodeScalars.dropFirst(common - limit / 4)))
        }
        return (cut(left), cut(right))
    }

    package static func key(_ key: String) -> String {
        "\"\(ErrorSummary.oneLine(key))\""
    }

    /// The first three of some names.
    static func some(_ names: [String]) -> String {
        names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    }

    /// A property name as a path component.
    package static func property(_ name: String) -> String {
        let isPlain =
            name.first.map { $0.isLetter || $0 == "_" } == true
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        return isPlain ? ".\(name)" : "[\(key(name))]"
    }

    package static func size(_ count: Int) -> String {
        count == 1 ? "1 byte" : "\(count) bytes"
    }

    /// A description of the difference between two pieces of raw data.
    static func dataDifference(_ expected: [UInt8], _ found: [UInt8]) -> String {
        let first = zip(expected, found).prefix { $0 == $1 }.count
        return "expected data of \(size(expected.count)), found \(size(found.count)); "
            + "they differ from byte \(first): expected \(hexadecimal(expected[first...])), "
            + "found \(hexadecimal(found[first...]))"
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        guard !bytes.isEmpty else { return "the end" }
        let digits = bytes.prefix(4).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
        return digits.joined(separator: " ") + (bytes.count > 4 ? " …" : "")
    }

    /// Two different dates, with enough precision to show the difference.
    package static func dates(_ expected: Date?, _ found: Date?) -> (String, String) {
        let shown = (expected.map(DisplayText.time) ?? "never", found.map(DisplayText.time) ?? "never")
        guard shown.0 == shown.1, let expected, let found else { return shown }
        return ("\(expected.timeIntervalSince1970) s since 1970", "\(found.timeIntervalSince1970) s since 1970")
    }
}
