internal import Foundation

/// An array of the form that one element has.
///
/// One element that cannot be read makes the whole array unreadable, so that setting it anew loses none, unless the
/// type says otherwise:
///
/// ```swift
/// struct Frog: Codable, DefaultsSerializable {
///     static var arrayBridge: DefaultsArrayBridge<Frog> { DefaultsArrayBridge(skippingUnreadable: true) }
///
///     var name: String
/// }
/// ```
public struct DefaultsArrayBridge<Element: DefaultsSerializable>: DefaultsValueBridge {
    private let skipsUnreadable: Bool

    /// Creates the bridge.
    ///
    /// - Parameter skipsUnreadable: Whether elements that cannot be read are left out.
    /// - Important: With that, they are lost when the array is next set.
    public init(skippingUnreadable skipsUnreadable: Bool = false) {
        self.skipsUnreadable = skipsUnreadable
    }

    /// The array.
    public func encode(_ value: [Element]) throws -> PropertyListValue? {
        try Element.encodeElements(of: value)
    }

    /// The elements, in order.
    public func decode(_ stored: PropertyListValue) throws -> [Element] {
        guard skipsUnreadable, case .array(let elements) = stored else {
            return try Element.decodeElements(of: stored)
        }
        return elements.compactMap { try? Element.decoded(from: $0) }
    }

    /// An array.
    public var form: DefaultsForm? {
        .array(of: Element.defaultsForm)
    }
}

extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// The array bridge of the elements' type.
    public static var bridge: Element.ArrayBridge {
        Element.arrayBridge
    }
}

extension DefaultsSerializable {
    /// The array that has the elements of a sequence, each in its own form.
    static func encodeElements(of elements: some Sequence<Self>) throws -> PropertyListValue {
        try .array(
            elements.enumerated().map { index, element in
                try DefaultsError.within(.index(index), .cannotStore) { try encodeInside(element) }
            }
        )
    }

    /// The elements of an array.
    static func decodeElements(of stored: PropertyListValue) throws -> [Self] {
        guard case .array(let elements) = stored else { throw DefaultsError.mismatch("an array") }
        return try elements.enumerated().map { index, element in
            try DefaultsError.within(.index(index), .typeMismatch) { try decoded(from: element) }
        }
    }
}

/// An array of the form that one element has, in the same order in every run.
struct DefaultsSetBridge<Element: DefaultsSerializable & Hashable>: DefaultsValueBridge {
    func encode(_ value: Set<Element>) throws -> PropertyListValue? {
        let stored = try Element.encodeElements(of: value)
        guard case .array(let elements) = stored else { return stored }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let texts = try elements.map { (text: try encoder.encode($0), element: $0) }
        return .array(texts.sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(\.element))
    }

    func decode(_ stored: PropertyListValue) throws -> Set<Element> {
        try Set(Element.decodeElements(of: stored))
    }

    var form: DefaultsForm? {
        .set(of: Element.defaultsForm)
    }
}

extension Set: DefaultsSerializable where Element: DefaultsSerializable {
    /// An array of the elements' forms.
    public static var bridge: some DefaultsBridge<Set<Element>, PropertyListValue> {
        DefaultsSetBridge()
    }
}

/// A dictionary whose keys are strings and whose values have their own forms.
struct DefaultsDictionaryBridge<Key: DefaultsDictionaryKey, Element: DefaultsSerializable>: DefaultsValueBridge {
    func encode(_ value: [Key: Element]) throws -> PropertyListValue? {
        var stored: [String: PropertyListValue] = [:]
        for (key, element) in value {
            let text = key.defaultsKey
            let element = try DefaultsError.within(.key(text), .cannotStore) { try Element.encodeInside(element) }
            guard stored.updateValue(element, forKey: text) == nil else {
                throw DefaultsError.unstorable(
                    "Two keys of type \(Key.self) have the same string. Give each a string of its own.",
                    at: ValuePlace([.key(text)])
                )
            }
        }
        return .dictionary(stored)
    }

    func decode(_ stored: PropertyListValue) throws -> [Key: Element] {
        guard case .dictionary(let stored) = stored else { throw DefaultsError.mismatch("a dictionary") }
        var value: [Key: Element] = [:]
        for (text, element) in stored {
            guard let key = Key(defaultsKey: text) else {
                throw DefaultsError.mismatch("under a key of type \(Key.self)", at: ValuePlace([.key(text)]))
            }
            let element = try DefaultsError.within(.key(text), .typeMismatch) { try Element.decoded(from: element) }
            guard value.updateValue(element, forKey: key) == nil else {
                throw DefaultsError.mismatch("the only value whose key means the same", at: ValuePlace([.key(text)]))
            }
        }
        return value
    }

    var form: DefaultsForm? {
        .dictionary(key: .of(Key.self), of: Element.defaultsForm)
    }
}

extension Dictionary: DefaultsSerializable where Key: DefaultsDictionaryKey, Value: DefaultsSerializable {
    /// A dictionary of the values' forms.
    public static var bridge: some DefaultsBridge<[Key: Value], PropertyListValue> {
        DefaultsDictionaryBridge()
    }
}

/// The two bounds of a `Range`, as an array.
///
/// Defaults writes them so since 6.3; JSON text, as earlier ones wrote it, is read too.
struct DefaultsRangeBridge<Bound: DefaultsSerializable & Comparable>: DefaultsValueBridge {
    func encode(_ value: Range<Bound>) throws -> PropertyListValue? {
        try Bound.encodeElements(of: [value.lowerBound, value.upperBound])
    }

    func decode(_ stored: PropertyListValue) throws -> Range<Bound> {
        if let former = try Bound.formerRange(Range<Bound>.self, of: stored) { return former }
        let (lower, upper) = try Bound.decodeBounds(of: stored)
        return lower..<upper
    }

    var form: DefaultsForm? {
        .range(of: Bound.defaultsForm)
    }
}

/// The two bounds of a `ClosedRange`, as an array.
///
/// Defaults writes them so since 6.3; JSON text, as earlier ones wrote it, is read too.
struct DefaultsClosedRangeBridge<Bound: DefaultsSerializable & Comparable>: DefaultsValueBridge {
    func encode(_ value: ClosedRange<Bound>) throws -> PropertyListValue? {
        try Bound.encodeElements(of: [value.lowerBound, value.upperBound])
    }

    func decode(_ stored: PropertyListValue) throws -> ClosedRange<Bound> {
        if let former = try Bound.formerRange(ClosedRange<Bound>.self, of: stored) { return former }
        let (lower, upper) = try Bound.decodeBounds(of: stored)
        return lower...upper
    }

    var form: DefaultsForm? {
        .closedRange(of: Bound.defaultsForm)
    }
}

extension Range: DefaultsSerializable where Bound: DefaultsSerializable {
    /// An array of the two bounds.
    public static var bridge: some DefaultsBridge<Range<Bound>, PropertyListValue> {
        DefaultsRangeBridge()
    }
}

extension ClosedRange: DefaultsSerializable where Bound: DefaultsSerializable {
    /// An array of the two bounds.
    public static var bridge: some DefaultsBridge<ClosedRange<Bound>, PropertyListValue> {
        DefaultsClosedRangeBridge()
    }
}

extension DefaultsSerializable where Self: Comparable {
    /// The bounds of an array of two, the lower one first.
    fileprivate static func decodeBounds(of stored: PropertyListValue) throws -> (lower: Self, upper: Self) {
        let bounds = try decodeElements(of: stored)
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            throw DefaultsError.mismatch("two bounds of type \(Self.self), the lower one first")
        }
        return (bounds[0], bounds[1])
    }

    /// The range of a JSON text; nil for what is no text, or when a bound cannot have been JSON.
    fileprivate static func formerRange<Value>(_ type: Value.Type, of stored: PropertyListValue) throws -> Value? {
        guard let text = stored.string, let type = type as? any Decodable.Type else { return nil }
        return try DefaultsJSON.decode(type, from: text.utf8) as? Value
    }
}

/// A collection of your own that stands in a suite as an array of its elements' forms.
///
/// ```swift
/// struct Bag<Element: DefaultsSerializable>: Collection { … }
///
/// extension Bag: DefaultsCollectionSerializable {
///     init(_ elements: [Element]) { items = elements }
/// }
/// ```
///
/// A `Codable` one may have been JSON text of any shape before; a conversion decodes it as a whole.
public protocol DefaultsCollectionSerializable: Collection, DefaultsSerializable where Element: DefaultsSerializable {
    /// Makes the collection from its elements, in order.
    init(_ elements: [Element])
}

extension DefaultsCollectionSerializable {
    /// An array of the elements' forms, for the bridge of a type that could stand otherwise, too.
    public static var elementsBridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCollectionBridge()
    }

    /// An array of the elements' forms.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCollectionBridge()
    }
}

extension DefaultsCollectionSerializable where Self: Codable {
    /// An array of the elements' forms.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCollectionBridge()
    }
}

/// An array of the elements' forms, for a collection of the app.
struct DefaultsCollectionBridge<Value: DefaultsCollectionSerializable>: DefaultsValueBridge {
    func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Element.encodeElements(of: value)
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        try Value(Value.Element.decodeElements(of: stored))
    }

    /// An array; nil for a Codable collection, whose JSON text may have had any shape.
    var form: DefaultsForm? {
        Value.self is any Decodable.Type ? nil : .array(of: Value.Element.defaultsForm)
    }
}

/// A set of your own that stands in a suite as an array of its elements' forms.
public protocol DefaultsSetAlgebraSerializable: SetAlgebra, DefaultsSerializable where Element: DefaultsSerializable {
    /// The elements, in any order.
    func toArray() -> [Element]
}

extension DefaultsSetAlgebraSerializable {
    /// An array of the elements' forms, for the bridge of a type that could stand otherwise, too.
    public static var elementsBridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsSetAlgebraBridge()
    }

    /// An array of the elements' forms.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsSetAlgebraBridge()
    }
}

extension DefaultsSetAlgebraSerializable where Self: Codable {
    /// An array of the elements' forms.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsSetAlgebraBridge()
    }
}

/// An array of the elements' forms, for a set of the app.
struct DefaultsSetAlgebraBridge<Value: DefaultsSetAlgebraSerializable>: DefaultsValueBridge
where Value.Element: DefaultsSerializable {
    func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Element.encodeElements(of: value.toArray())
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        try Value(Value.Element.decodeElements(of: stored))
    }

    /// An array; nil for a Codable set, whose JSON text may have had any shape.
    var form: DefaultsForm? {
        Value.self is any Decodable.Type ? nil : .set(of: Value.Element.defaultsForm)
    }
}
