/// A text that stands for a value of a property list that JSON does not have.
///
/// It begins with a control character, so no text of a user is one. To steps it is a string, which has no properties
/// and no elements.
enum PropertyListTag: String {
    /// A date, in seconds since 1 January 2001.
    case date
    /// Data, as Base64.
    case data
    /// An infinity or NaN.
    case real

    private static let opening = "\u{1}molt:"
    static let openingInJSON = Array(#""\u0001molt:"#.utf8)

    func text(_ content: String) -> String {
        "\(Self.opening)\(rawValue):\(content)"
    }

    /// The kind and the content that a text stands for; nil for any other text.
    static func read(_ text: String) -> (tag: PropertyListTag, content: String)? {
        guard text.utf8.first == 1, text.hasPrefix(opening) else { return nil }
        let parts = text.dropFirst(opening.count).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let tag = PropertyListTag(rawValue: String(parts[0])) else { return nil }
        return (tag, String(parts[1]))
    }

    /// Whether a text has a tag, or a part of one, in it.
    static func isPart(of text: String) -> Bool {
        text.utf8.contains(1) && text.contains(opening.dropLast())
    }

    /// The content of a value that is a text of this kind; nil for any other value.
    func content(of value: RecordValue) -> String? {
        guard let text = value.string, let (tag, content) = Self.read(text), tag == self else { return nil }
        return content
    }
}

extension PropertyListTag: CustomStringConvertible {
    /// The kind of the value, for messages.
    var description: String {
        switch self {
        case .date: "a date"
        case .data: "data"
        case .real: "a number"
        }
    }
}
