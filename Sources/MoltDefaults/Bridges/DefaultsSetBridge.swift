internal import Foundation

/// An array of the form that one element has, in the same order in every run.
public struct DefaultsSetBridge<Element: DefaultsSerializable & Hashable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The array.
    public func encode(_ value: Set<Element>) throws -> PropertyListValue? {
        let stored = try Element.encodeElements(of: value)
        guard case .array(let elements) = stored else { return stored }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let texts = try elements.map { (text: try encoder.encode($0), element: $0) }
        return .array(texts.sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(\.element))
    }

    /// The set of the elements.
    public func decode(_ stored: PropertyListValue) throws -> Set<Element> {
        try Set(Element.decodeElements(of: stored))
    }

    /// A set.
    public var form: DefaultsForm? {
        .set(of: Element.defaultsForm)
    }
}

extension Set: DefaultsSerializable where Element: DefaultsSerializable {
    /// An array of the elements' forms.
    public static var bridge: DefaultsSetBridge<Element> {
        DefaultsSetBridge()
    }
}
