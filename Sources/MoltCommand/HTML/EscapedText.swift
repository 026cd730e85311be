import Molt

/// Text in a form that is safe in markup, whatever it contains.
///
/// Characters that cannot be seen, or that change the order of the text around them, are shown as in Swift's source
/// code: `\u{202E}`. The joiners of emoji and of several scripts stay.
package enum EscapedText {
    /// The length, in Unicode scalars, at which a text is cut.
    private static let longest = 2_000

    /// The content of an element.
    ///
    /// - Parameter keepsLines: Whether line breaks and tabs stay as they are.
    package static func content(_ text: String, keepsLines: Bool) -> String {
        escaped(text, keepsLines: keepsLines) { "<span class=\"escape\">\($0)</span>" }
    }

    /// The value of an attribute in double quotes.
    package static func attribute(_ text: String) -> String {
        escaped(text, keepsLines: false) { $0 }
    }

    /// The start of a text, with a note if it is longer.
    ///
    /// The limit counts scalars, because a single character may have any number of them.
    static func cut(_ text: some StringProtocol, to limit: Int) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
        guard let end, end != scalars.endIndex else { return String(text) }
        let rest = DisplayText.grouped(scalars[end...].count)
        return String(String.UnicodeScalarView(scalars[..<end])) + " … \(rest) more characters"
    }

    private static func escaped(_ text: String, keepsLines: Bool, _ marked: (String) -> String) -> String {
        var result = ""
        for scalar in cut(text, to: longest).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n" where keepsLines, "\t" where keepsLines: result.unicodeScalars.append(scalar)
            case _ where isHidden(scalar):
                result += marked("\\u{\(String(scalar.value, radix: 16, uppercase: true))}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a scalar is invisible or not allowed in markup; spaces are not.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        let isJoiner = scalar == "\u{200C}" || scalar == "\u{200D}"
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return !isJoiner
        default: return scalar.properties.isNoncharacterCodePoint
        }
    }
}
