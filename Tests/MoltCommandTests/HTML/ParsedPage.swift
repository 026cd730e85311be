import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The elements of a page; reading fails if an element is not closed or a character is not allowed.
final class ParsedPage: NSObject {
    struct Element {
        let name: String
        let attributes: [String: String]
        /// The text of the element and of all elements in it.
        var text = ""

        var classes: [Substring] { attributes["class"]?.split(separator: " ") ?? [] }
    }

    /// In the order in which they begin.
    private(set) var elements: [Element] = []
    private var open: [Int] = []
    private var errors: [String] = []

    init(_ text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        // On Linux, the parser returns true for some errors.
        let isRead = parser.parse() && errors.isEmpty && open.isEmpty
        try #require(isRead, "line \(parser.lineNumber): \(errors)")
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    /// The texts of all elements with a name such as "h2", or with a class such as ".dot".
    func texts(_ selector: String) -> [String] {
        guard selector.hasPrefix(".") else { return all(selector).map(\.text) }
        return elements.filter { $0.classes.contains(selector.dropFirst()) }.map(\.text)
    }

    /// Expects that these are the texts of a selector, or the first of them; "…" stands for any text.
    func expect(
        _ selector: String,
        _ patterns: String...,
        others: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = texts(selector)
        let hasCount = others ? found.count >= patterns.count : found.count == patterns.count
        let isExpected = hasCount && zip(found, patterns).allSatisfy { $0.isLike($1) }
        #expect(isExpected, "\(selector): \(found)", sourceLocation: sourceLocation)
    }
}

extension String {
    /// Whether this is the text of a pattern in which "…" stands for any text.
    fileprivate func isLike(_ pattern: String) -> Bool {
        let parts = pattern.components(separatedBy: "…").map { NSRegularExpression.escapedPattern(for: $0) }
        return range(of: "\\A(?s:\(parts.joined(separator: ".*")))\\z", options: .regularExpression) != nil
    }
}

extension ParsedPage: XMLParserDelegate {
    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(elements.count)
        elements.append(Element(name: name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard let index = open.popLast(), elements[index].name == name else {
            errors.append("</\(name)> closes another element")
            return
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        errors.append("\(error)")
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        for index in open { elements[index].text += text }
    }
}
