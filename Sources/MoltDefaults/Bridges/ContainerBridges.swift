internal import Foundation

/// Stores an array as an array of its encoded elements.
///
/// An array with an unreadable element is unreadable as a whole, so that the element is not lost when the array is next
/// set.
struct DefaultsArrayBridge<Element: DefaultsSerializable>: DefaultsBridge {
    func encode(_ value: [Element]) throws -> PropertyListValue? {
        try Element.encodeElements(of: value)
    }

    func decode(_ stored: PropertyListValue) throws -> [Element] {
        try Element.decodeElements(of: stored)
    }

    var form: DefaultsForm? {
        .array(of: Element.defaultsForm)
    }
}

extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// The array bridge of the element type.
    public static var bridge: Element.ArrayBridge {
        Element.arrayBridge
    }
}

extension DefaultsSerializable {
    /// Encodes a sequence as an array of its encoded elements.
    static func encodeElements(of elements: some Sequence<Self>) throws -> PropertyListValue {
        try .array(
            elements.enumerated().map { index, element in
                try DefaultsError.within(.index(index), .cannotStore) { try encodeInside(element) }
            }
        )
    }

    /// Decodes the elements of an array, in order.
    static func decodeElements(of stored: PropertyListValue) throws -> [Self] {
        guard case .array(let elements) = stored else { throw DefaultsError.mismatch("an array") }
        return try elements.enumerated().map { index, element in
            try DefaultsError.within(.index(index), .typeMismatch) { try decoded(from: element) }
        }
    }
}

/// Stores a set as an array of its encoded elements, sorted so that the order is the same in every run.
struct DefaultsSetBridge<Element: DefaultsSerializable & Hashable>: DefaultsBridge {
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
    /// Stores a set as an array of its encoded elements.
    public static var bridge: some DefaultsBridge<Set<Element>, PropertyListValue> {
        DefaultsSetBridge()
    }
}

/// Stores a dictionary with string keys and encoded values.
struct DefaultsDictionaryBridge<Key: DefaultsDictionaryKey, Element: DefaultsSerializable>: DefaultsBridge {
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
    /// Stores a dictionary with string keys and encoded values.
    public static var bridge: some DefaultsBridge<[Key: Value], PropertyListValue> {
        DefaultsDictionaryBridge()
    }
}

/// A `Range` or a `ClosedRange`.
protocol StoredRange<Bound>: SendableMetatype {
    associatedtype Bound: Comparable

    static var isClosed: Bool { get }
    var lowerBound: Bound { get }
    var upperBound: Bound { get }

    init(uncheckedBounds bounds: (lower: Bound, upper: Bound))
}

extension Range: StoredRange {
    static var isClosed: Bool { false }
}

extension ClosedRange: StoredRange {
    static var isClosed: Bool { true }
}

/// Stores a range as an array of its two bounds, as Defaults does since 6.3.
///
/// The JSON text of earlier releases is read too.
struct DefaultsRangeBridge<Value: StoredRange>: DefaultsBridge where Value.Bound: DefaultsSerializable {
    func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Bound.encodeElements(of: [value.lowerBound, value.upperBound])
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        if let text = stored.string, let type = Value.self as? any Decodable.Type,
            let former = try DefaultsJSON.decode(type, from: text.utf8) as? Value
        {
            return former
        }
        let bounds = try Value.Bound.decodeElements(of: stored)
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            throw DefaultsError.mismatch("two bounds of type \(Value.Bound.self), the lower one first")
        }
        return Value(uncheckedBounds: (bounds[0], bounds[1]))
    }

    var form: DefaultsForm? {
        DefaultsForm(.range(Value.Bound.defaultsForm, isClosed: Value.isClosed))
    }
}

extension Range: DefaultsSerializable where Bound: DefaultsSerializable {
    /// Stores a range as an array of its two bounds.
    public static var bridge: some DefaultsBridge<Range<Bound>, PropertyListValue> {
        DefaultsRangeBridge()
    }
}

extension ClosedRange: DefaultsSerializable where Bound: DefaultsSerializable {
    /// Stores a range as an array of its two bounds.
    public static var bridge: some DefaultsBridge<ClosedRange<Bound>, PropertyListValue> {
        DefaultsRangeBridge()
    }
}

/// A custom collection that is stored as an array of its encoded elements.
///
/// ```swift
/// struct Bag<Element: DefaultsSerializable>: Collection { … }
///
/// extension Bag: DefaultsCollectionSerializable {
///     init(_ elements: [Element]) { items = elements }
/// }
/// ```
///
/// The former JSON text of a `Codable` collection may have any shape, so a conversion decodes it as a whole.
public protocol DefaultsCollectionSerializable: Collection, DefaultsSerializable where Element: DefaultsSerializable {
    /// Creates the collection from its elements, in order.
    init(_ elements: [Element])
}

extension DefaultsCollectionSerializable {
    /// Stores the encoded elements as an array.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCollectionBridge()
    }
}

extension DefaultsCollectionSerializable where Self: Codable {
    /// Stores the encoded elements as an array.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCollectionBridge()
    }
}

/// Stores a custom collection as an array of its encoded elements.
struct DefaultsCollectionBridge<Value: DefaultsCollectionSerializable>: DefaultsBridge {
    func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Element.encodeElements(of: value)
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        try Value(Value.Element.decodeElements(of: stored))
    }

    /// An array; nil for a Codable collection, whose former JSON text may have any shape.
    var form: DefaultsForm? {
        Value.self is any Decodable.Type ? nil : .array(of: Value.Element.defaultsForm)
    }
}

/// A custom set that is stored as an array of its encoded elements.
public protocol DefaultsSetAlgebraSerializable: SetAlgebra, DefaultsSerializable where Element: DefaultsSerializable {
    /// The elements, in any order.
    func toArray() -> [Element]
}

extension DefaultsSetAlgebraSerializable {
    /// Stores the encoded elements as an array.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsSetAlgebraBridge()
    }
}

extension DefaultsSetAlgebraSerializable where Self: Codable {
    /// Stores the encoded elements as an array.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsSetAlgebraBridge()
    }
}

/// Stores a custom set as an array of its encoded elements.
struct DefaultsSetAlgebraBridge<Value: DefaultsSetAlgebraSerializable>: DefaultsBridge
where Value.Element: DefaultsSerializable {
    func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.Element.encodeElements(of: value.toArray())
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        try Value(Value.Element.decodeElements(of: stored))
    }

    /// An array; nil for a Codable set, whose former JSON text may have any shape.
    var form: DefaultsForm? {
        Value.self is any Decodable.Type ? nil : .set(of: Value.Element.defaultsForm)
    }
}
