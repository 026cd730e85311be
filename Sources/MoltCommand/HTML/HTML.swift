/// Markup that consists of elements and text; every text in it is escaped.
///
/// ```swift
/// let note = HTML(.p, .class("note")) {
///     "The record "
///     HTML.code(key)
///     " has no name."
/// }
/// ```
/// There is no way to add markup from a string, so the content of a record cannot become part of the page's structure.
/// The markup is also well-formed XML.
struct HTML: Hashable, Sendable {
    private(set) var markup = ""

    /// Creates no markup.
    init() {}

    /// Creates text, which is escaped, and cut if it is very long.
    init(_ text: String) {
        markup = EscapedText.content(text, keepsLines: true)
    }

    /// Creates an element.
    init(_ tag: Tag, _ attributes: Attribute..., @Builder content: () -> HTML = { HTML() }) {
        let start = attributes.reduce(into: "<\(tag.rawValue)") { $0 += " \($1.markup)" }
        markup = tag.isVoid ? "\(start) />" : "\(start)>\(content().markup)</\(tag.rawValue)>"
    }

    /// A style sheet; a literal, because its text is not escaped.
    static func style(_ sheet: StaticString) -> HTML {
        var html = HTML()
        html.markup = "<style>\n\(sheet)\n</style>"
        return html
    }

    /// The title of a page, which cannot have elements in it.
    static func title(_ text: String) -> HTML {
        var html = HTML()
        html.markup = "<title>\(EscapedText.attribute(EscapedText.cut(text, to: 200)))</title>"
        return html
    }

    /// A key, a name or a part of a value, in which invisible characters are shown.
    static func code(_ text: String) -> HTML {
        var name = HTML()
        name.markup = EscapedText.content(text, keepsLines: false)
        return HTML(.code) { name }
    }

    static func += (html: inout HTML, other: HTML) {
        html.markup += other.markup
    }
}

extension HTML {
    /// The elements that pages use.
    enum Tag: String, Sendable {
        case html, head, meta, body, main, header, footer, section, article, figure, figcaption
        case h1, h2, h3, p, div, span, code, strong, small, del, ins, time, details, summary
        case ul, ol, li, dl, dt, dd
        case table, thead, tbody, tr, th, td
        case svg, rect

        fileprivate var isVoid: Bool { [.meta, .rect].contains(self) }
    }

    /// An attribute of an element.
    struct Attribute: Sendable {
        fileprivate let markup: String

        /// Creates an attribute; the value is escaped.
        init(_ name: StaticString, _ value: String) {
            markup = "\(name)=\"\(EscapedText.attribute(value))\""
        }

        static func `class`(_ names: String) -> Attribute { Attribute("class", names) }

        static func dataLabel(_ text: String) -> Attribute { Attribute("data-label", text) }

        static func label(_ text: String) -> Attribute { Attribute("aria-label", text) }
    }

    /// Joins the statements of a closure to markup.
    @resultBuilder
    enum Builder {
        static func buildExpression(_ html: HTML) -> HTML { html }
        static func buildExpression(_ text: String) -> HTML { HTML(text) }
        static func buildBlock(_ parts: HTML...) -> HTML { buildArray(parts) }
        static func buildArray(_ parts: [HTML]) -> HTML { parts.reduce(into: HTML()) { $0 += $1 } }
        static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
        static func buildEither(first part: HTML) -> HTML { part }
        static func buildEither(second part: HTML) -> HTML { part }
    }
}
