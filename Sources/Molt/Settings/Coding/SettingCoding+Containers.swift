internal import Foundation

extension SettingCoding {
    /// Stores an array of the encoded elements.
    ///
    /// An array with an unreadable element is unreadable as a whole, so that the element is not lost when the array is
    /// next set. The same is true of sets and dictionaries.
    public static func array<Element>(of element: SettingCoding<Element>) -> Self where Value == [Element] {
        elements(element, form: { .array(of: element.form) }, elements: { $0 }, container: { $0 })
    }

    /// Stores an array of the encoded elements, sorted so that the order is the same in every run.
    public static func set<Element: SendableMetatype>(of element: SettingCoding<Element>) -> Self
    where Value == Set<Element> {
        let form: @Sendable () -> DefaultsForm = { .set(of: element.form) }
        return elements(element, form: form, isSorted: true, elements: { Array($0) }, container: { Set($0) })
    }

    /// Stores a dictionary with string keys and encoded values.
    public static func dictionary<Key: SettingDictionaryKey, Element>(of element: SettingCoding<Element>) -> Self
    where Value == [Key: Element] {
        SettingCoding {
            .dictionary(key: .of(Key.self), of: element.form)
        } encoder: { dictionary in
            var stored: [String: PropertyListValue] = [:]
            for (key, value) in dictionary {
                let text = key.dictionaryKey
                try MoltError.within(.key(text), .cannotStore) {
                    guard try stored.updateValue(element.encodeInside(value), forKey: text) != nil else { return }
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
            var dictionary: [Key: Element] = [:]
            for (text, value) in stored {
                try MoltError.within(.key(text), .typeMismatch) {
                    guard let key = Key(dictionaryKey: text) else {
                        throw MoltError.mismatch("under a key of type \(Key.self)")
                    }
                    guard try dictionary.updateValue(element.decode(value), forKey: key) != nil else { return }
                    throw MoltError.mismatch("the only value whose key means the same")
                }
            }
            return dictionary
        }
    }

    /// Stores the wrapped value, or nothing for nil.
    static func optional<Wrapped>(_ wrapped: SettingCoding<Wrapped>) -> Self where Value == Wrapped? {
        SettingCoding(
            makeForm: wrapped.makeForm,
            encoder: { try $0.flatMap { try wrapped.encode($0) } },
            decoder: { try wrapped.decode($0) }
        )
    }

    /// Stores a range as an array of its two bounds, as Defaults does since 6.3.
    ///
    /// The JSON text of earlier releases is read too.
    static func range<Bound: SettingValue & Comparable>(
        isClosed: Bool,
        bounds: @escaping @Sendable (Value) -> [Bound],
        range: @escaping @Sendable ((lower: Bound, upper: Bound)) -> Value
    ) -> Self {
        let form: @Sendable () -> DefaultsForm = { DefaultsForm(.range(Bound.coding.form, isClosed: isClosed)) }
        let array = elements(Bound.coding, form: form, elements: bounds) { bounds in
            guard bounds.count == 2, bounds[0] <= bounds[1] else {
                throw MoltError.mismatch("two bounds of type \(Bound.self), the lower one first")
            }
            return range((bounds[0], bounds[1]))
        }
        return SettingCoding(makeForm: form, encoder: array.encoder) { stored in
            guard let text = stored.string, let type = Value.self as? any Decodable.Type,
                let former = try DefaultsJSON.decode(type, from: text.utf8) as? Value
            else { return try array.decode(stored) }
            return former
        }
    }

    /// The coding of a container that is stored as an array of its encoded elements.
    ///
    /// - Parameter isSorted: Whether the encoded elements are sorted, for a container without an order.
    @_semantics("optimize.sil.specialize.generic.never")  // Otherwise it is compiled once for each type of element.
    private static func elements<Element>(
        _ element: SettingCoding<Element>,
        form: @escaping @Sendable () -> DefaultsForm,
        isSorted: Bool = false,
        elements: @escaping @Sendable (Value) -> [Element],
        container: @escaping @Sendable ([Element]) throws -> Value
    ) -> Self {
        SettingCoding(makeForm: form) { value in
            let stored = try elements(value).enumerated().map { index, value in
                try MoltError.within(.index(index), .cannotStore) { try element.encodeInside(value) }
            }
            return .array(isSorted ? try stored.sortedByText() : stored)
        } decoder: { stored in
            guard case .array(let elements) = stored else { throw MoltError.mismatch("an array") }
            let values = try elements.enumerated().map { index, stored in
                try MoltError.within(.index(index), .typeMismatch) { try element.decode(stored) }
            }
            return try container(values)
        }
    }
}

extension [PropertyListValue] {
    /// The values in the order of their JSON texts, which is the same in every run.
    fileprivate func sortedByText() throws -> [PropertyListValue] {
        let encoder = JSONEncoder(.sortedKeys)
        let texts = try map { (text: try encoder.encode($0), value: $0) }
        return texts.ordered { $0.text.lexicographicallyPrecedes($1.text) }.map(\.value)
    }
}

extension Array: SettingValue where Element: SettingValue {
    /// Stores an array of the encoded elements.
    public static var settingCoding: SettingCoding<Self> { .array(of: Element.coding) }
}

extension Set: SettingValue where Element: SettingValue {
    /// Stores an array of the encoded elements, sorted so that the order is the same in every run.
    public static var settingCoding: SettingCoding<Self> { .set(of: Element.coding) }
}

extension Dictionary: SettingValue where Key: SettingDictionaryKey, Value: SettingValue {
    /// Stores a dictionary with string keys and encoded values.
    public static var settingCoding: SettingCoding<Self> { .dictionary(of: Value.coding) }
}

extension Optional: SettingValue where Wrapped: SettingValue {
    /// Stores the wrapped value, or nothing for nil.
    public static var settingCoding: SettingCoding<Self> { .optional(Wrapped.coding) }
}

extension Range: SettingValue where Bound: SettingValue {
    /// Stores a range as an array of its two bounds.
    public static var settingCoding: SettingCoding<Self> {
        .range(isClosed: false, bounds: { [$0.lowerBound, $0.upperBound] }, range: Range.init)
    }
}

extension ClosedRange: SettingValue where Bound: SettingValue {
    /// Stores a range as an array of its two bounds.
    public static var settingCoding: SettingCoding<Self> {
        .range(isClosed: true, bounds: { [$0.lowerBound, $0.upperBound] }, range: ClosedRange.init)
    }
}
