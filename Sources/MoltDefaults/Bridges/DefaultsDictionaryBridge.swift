/// A dictionary whose keys are texts and whose values have their own forms.
public struct DefaultsDictionaryBridge<Key: DefaultsDictionaryKey, Element: DefaultsSerializable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The dictionary.
    public func encode(_ value: [Key: Element]) throws -> PropertyListValue? {
        var stored: [String: PropertyListValue] = [:]
        for (key, element) in value {
            let text = key.defaultsKey
            let element = try DefaultsError.within(.key(text), .cannotStore) { try Element.encodeInside(element) }
            guard stored.updateValue(element, forKey: text) == nil else {
                throw DefaultsError.unstorable(
                    "Two keys of type \(Key.self) have the same text. Give each a text of its own.",
                    at: ValuePlace([.key(text)])
                )
            }
        }
        return .dictionary(stored)
    }

    /// The dictionary of the values.
    public func decode(_ stored: PropertyListValue) throws -> [Key: Element] {
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

    /// A dictionary.
    public var form: DefaultsForm? {
        .dictionary(key: .of(Key.self), of: Element.defaultsForm)
    }
}

extension Dictionary: DefaultsSerializable where Key: DefaultsDictionaryKey, Value: DefaultsSerializable {
    /// A dictionary of the values' forms.
    public static var bridge: DefaultsDictionaryBridge<Key, Value> {
        DefaultsDictionaryBridge()
    }
}
