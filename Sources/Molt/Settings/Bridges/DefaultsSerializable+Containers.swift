internal import Foundation

extension DefaultsSerializable {
    /// The bridge of a container that is stored as an array of its encoded elements.
    ///
    /// A container with an unreadable element is unreadable as a whole, so that the element is not lost when the
    /// container is next set.
    ///
    /// - Parameter isSorted: Whether the encoded elements are sorted, for a container without an order.
    @_semantics("optimize.sil.specialize.generic.never")  // Otherwise it is compiled once for each type of element.
    static func elementsBridge<Container>(
        _ makeForm: @escaping @Sendable () -> DefaultsForm?,
        isSorted: Bool = false,
        elements: @escaping @Sendable (Container) -> [Self],
        container: @escaping @Sendable ([Self]) throws -> Container
    ) -> BuiltInBridge<Container> {
        BuiltInBridge(makeForm: makeForm) { value in
            let stored = try elements(value).enumerated().map { index, element in
                try MoltError.within(.index(index), .cannotStore) { try encodeInside(element) }
            }
            return .array(isSorted ? try stored.sortedByText() : stored)
        } decoder: { stored in
            guard case .array(let elements) = stored else { throw MoltError.mismatch("an array") }
            let values = try elements.enumerated().map { index, element in
                try MoltError.within(.index(index), .typeMismatch) { try decoded(from: element) }
            }
            return try container(values)
        }
    }
}

extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// The array bridge of the element type.
    public static var bridge: Element.ArrayBridge { Element.arrayBridge }
}

extension Set: DefaultsSerializable where Element: DefaultsSerializable {
    /// Stores an array of the encoded elements, sorted so that the order is the same in every run.
    public static var bridge: some DefaultsBridge<Set<Element>, PropertyListValue> {
        let form: @Sendable () -> DefaultsForm = { .set(of: Element.defaultsForm) }
        return Element.elementsBridge(form, isSorted: true, elements: { Array($0) }, container: { Set($0) })
            as BuiltInBridge<Self>
    }
}

extension [PropertyListValue] {
    /// The values in the order of their JSON texts, which is the same in every run.
    fileprivate func sortedByText() throws -> [PropertyListValue] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let texts = try map { (text: try encoder.encode($0), value: $0) }
        return texts.sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(\.value)
    }
}

extension Dictionary: DefaultsSerializable where Key: DefaultsDictionaryKey, Value: DefaultsSerializable {
    /// Stores a dictionary with string keys and encoded values.
    public static var bridge: some DefaultsBridge<[Key: Value], PropertyListValue> {
        BuiltInBridge<[Key: Value]> {
            .dictionary(key: .of(Key.self), of: Value.defaultsForm)
        } encoder: { dictionary in
            var stored: [String: PropertyListValue] = [:]
            for (key, value) in dictionary {
                let text = key.defaultsKey
                try MoltError.within(.key(text), .cannotStore) {
                    guard try stored.updateValue(Value.encodeInside(value), forKey: text) != nil else { return }
                    throw MoltError(
                        .cannotStore,
                        "Two keys of type \(Key.self) have the same string.",
                        advice: "Give each a string of its own."
                    )
                }
            }
            return .dictionary(stored)
        } decoder: { stored in
            guard case .dictionary(let stored) = stored else { throw MoltError.mismatch("a dictionary") }
            var dictionary: [Key: Value] = [:]
            for (text, value) in stored {
                try MoltError.within(.key(text), .typeMismatch) {
                    guard let key = Key(defaultsKey: text) else {
                        throw MoltError.mismatch("under a key of type \(Key.self)")
                    }
                    guard try dictionary.updateValue(Value.decoded(from: value), forKey: key) != nil else { return }
                    throw MoltError.mismatch("the only value whose key means the same")
                }
            }
            return dictionary
        }
    }
}

extension DefaultsSerializable where Self: Comparable {
    /// The bridge of a range, stored as an array of its two bounds, as Defaults does since 6.3.
    ///
    /// The JSON text of earlier releases is read too.
    fileprivate static func rangeBridge<Value: RangeExpression<Self> & SendableMetatype>(
        isClosed: Bool,
        bounds: @escaping @Sendable (Value) -> [Self],
        range: @escaping @Sendable ((lower: Self, upper: Self)) -> Value
    ) -> BuiltInBridge<Value> {
        let form: @Sendable () -> DefaultsForm = { DefaultsForm(.range(defaultsForm, isClosed: isClosed)) }
        let array = elementsBridge(form, elements: bounds) { bounds in
            guard bounds.count == 2, bounds[0] <= bounds[1] else {
                throw MoltError.mismatch("two bounds of type \(Self.self), the lower one first")
            }
            return range((bounds[0], bounds[1]))
        }
        return BuiltInBridge(makeForm: array.makeForm, encoder: array.encoder) { stored in
            guard let text = stored.string, let type = Value.self as? any Decodable.Type,
                let former = try DefaultsJSON.decode(type, from: text.utf8) as? Value
            else { return try array.decode(stored) }
            return former
        }
    }
}

extension Range: DefaultsSerializable where Bound: DefaultsSerializable {
    /// Stores a range as an array of its two bounds.
    public static var bridge: some DefaultsBridge<Range<Bound>, PropertyListValue> {
        Bound.rangeBridge(isClosed: false, bounds: { [$0.lowerBound, $0.upperBound] }, range: Range.init)
    }
}

extension ClosedRange: DefaultsSerializable where Bound: DefaultsSerializable {
    /// Stores a range as an array of its two bounds.
    public static var bridge: some DefaultsBridge<ClosedRange<Bound>, PropertyListValue> {
        Bound.rangeBridge(isClosed: true, bounds: { [$0.lowerBound, $0.upperBound] }, range: ClosedRange.init)
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
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> { collectionBridge }

    private static var collectionBridge: BuiltInBridge<Self> {
        Element.elementsBridge(
            { Self.self is any Decodable.Type ? nil : .array(of: Element.defaultsForm) },
            elements: { Array($0) },
            container: { Self($0) }
        )
    }
}

extension DefaultsCollectionSerializable where Self: Codable {
    /// Stores the encoded elements as an array.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> { collectionBridge }
}

/// A custom set that is stored as an array of its encoded elements.
public protocol DefaultsSetAlgebraSerializable: SetAlgebra, DefaultsSerializable where Element: DefaultsSerializable {
    /// The elements, in any order.
    func toArray() -> [Element]
}

extension DefaultsSetAlgebraSerializable {
    /// Stores the encoded elements as an array.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> { setBridge }

    private static var setBridge: BuiltInBridge<Self> {
        Element.elementsBridge(
            { Self.self is any Decodable.Type ? nil : .set(of: Element.defaultsForm) },
            elements: { $0.toArray() },
            container: { Self($0) }
        )
    }
}

extension DefaultsSetAlgebraSerializable where Self: Codable {
    /// Stores the encoded elements as an array.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> { setBridge }
}
