/// A difference between two JSON contents at one place.
package struct ContentDifference: Hashable, Sendable {
    /// The way in which two values differ, if not simply by being two values.
    package enum Remark: Hashable, Sendable {
        case otherEscapes
        case otherComposition
        case otherOrder
        case otherBytes(from: Int)
    }

    /// The place, such as `.address.lines[1]`, after the prefix of the comparison; empty for the whole content.
    package let path: String
    /// The JSON text of the expected value; nil if none was expected.
    ///
    /// With ``Remark/otherOrder`` it is the names of the properties, and with ``Remark/otherBytes(from:)`` the bytes
    /// from the first that differs.
    package let expected: String?
    /// The JSON text of the value that was found; nil if it is missing.
    package let found: String?
    package let remark: Remark?

    init(_ path: String, _ expected: String?, _ found: String?, _ remark: Remark? = nil) {
        self.path = path
        self.expected = expected
        self.found = found
        self.remark = remark
    }
}

extension ContentDifference.Remark: CustomStringConvertible {
    package var description: String {
        switch self {
        case .otherEscapes: "the text is the same, but written with other escapes"
        case .otherComposition: "the texts look the same, but their characters are composed in another way"
        case .otherOrder: "the same properties in another order"
        case .otherBytes(let first): "the same value in other bytes, from byte \(first)"
        }
    }
}

extension ContentDifference {
    /// The difference in one line, with truncated values.
    var line: String {
        guard let expected else { return "\(path): unexpected, found \(Shown.json(found ?? ""))" }
        guard let found else { return "\(path): missing, expected \(Shown.json(expected))" }
        switch remark {
        case .otherOrder?:
            let shown = Shown.pair(expected, found)
            return "\(path): \(Remark.otherOrder): expected \(shown.0), found \(shown.1)"
        case .otherBytes(let first)?:
            let shown = (Shown.json(expected), Shown.json(found))
            return "\(path): \(Remark.otherBytes(from: first)): expected \(shown.0), found \(shown.1)"
        case let remark:
            let shown = Shown.pair(expected, found)
            let end = remark.map { "; \($0)" } ?? ""
            return "\(path): expected \(shown.0), found \(shown.1)\(end)"
        }
    }
}
