internal import Foundation

/// JSON as Defaults writes it: that of the default coders, with dates as seconds since 2001, and fragments allowed.
///
/// Keys are sorted, so that a value has the same bytes in every run.
enum DefaultsJSON {
    /// Encodes a value as JSON.
    ///
    /// - Throws: ``MoltError`` for a value that JSON cannot represent, such as an infinite number.
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var error = MoltError(.cannotStore, "JSON has no NaN and no infinity.", advice: "Choose another form for it.")
        do {
            let json = try encoder.encode(value)
            // The encoder writes a `Decimal` that is not a number as NaN, which is not valid JSON.
            if json.firstRange(of: Data("NaN".utf8)) == nil || (try? check(json)) != nil { return json }
        } catch let EncodingError.invalidValue(_, context) {
            error.valuePath = path(context.codingPath)
        }
        throw error
    }

    /// Decodes a value from JSON.
    ///
    /// - Throws: ``MoltError`` with the path where the JSON does not match the type.
    static func decode<Value: Decodable>(_ type: Value.Type, from json: some Sequence<UInt8>) throws -> Value {
        do {
            return try JSONDecoder().decode(type, fromStored: Data(json))
        } catch let error as DecodingError {
            var mismatch = MoltError.unusable(fault(error, type))
            mismatch.valuePath = path(error.codingPath)
            throw mismatch
        }
    }

    /// Decodes a native value, such as a dictionary that `changeForm(to: .native)` has made of JSON text.
    static func decode<Value: Decodable>(_ type: Value.Type, fromNative stored: PropertyListValue) throws -> Value {
        do {
            // Dates and data of a property list are not those of JSON.
            guard !stored.holdsDatesOrData, let json = try stored.json(nulls: .omitted)?.json() else {
                return try PropertyListCoding().decode(type, from: stored)
            }
            return try JSONDecoder().decode(type, fromStored: Data(json))
        } catch {
            var mismatch = MoltError.mismatch("JSON text of \(type), or a native value of it")
            mismatch.valuePath = (error as? DecodingError).flatMap { path($0.codingPath) }
            throw mismatch
        }
    }

    private static func fault(_ error: DecodingError, _ type: Any.Type) -> String {
        switch error {
        case .keyNotFound: "lacks a property that \(type) requires"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "is not JSON text of \(type)"
        default: "is JSON text, but not of \(type)"
        }
    }

    /// Throws ``MoltError`` if the text is not valid JSON.
    static func check(_ json: some Sequence<UInt8>) throws {
        guard let text = String(utf8: Data(json)), (try? JSONPart(text)) != nil else {
            throw MoltError.mismatch("JSON text")
        }
    }

    // Only the coding path is used, because the error's description may contain the value.
    private static func path(_ keys: [any CodingKey]) -> ValuePath? {
        let steps = keys.map { key -> ValuePath.Step in
            switch CodingStep(key) {
            case .index(let index): .index(index)
            case .property(let name): .property(name)
            case .key(let key): .key(key)
            }
        }
        return steps.isEmpty ? nil : ValuePath(steps)
    }
}

extension DefaultsSerializable where Self: Codable {
    /// The bridge that stores JSON text, as Defaults does, and also reads raw values if `rawValue` does.
    static func jsonBridge(
        rawValue: @escaping @Sendable (PropertyListValue) -> Self? = { _ in nil }
    ) -> BuiltInBridge<Self> {
        BuiltInBridge {
            DefaultsForm(.codable(isRawValue: { rawValue($0) != nil }))
        } encoder: {
            try .string(String(decoding: DefaultsJSON.encode($0), as: UTF8.self))
        } decoder: { stored in
            do {
                if stored.array != nil || stored.dictionary != nil {
                    return try DefaultsJSON.decode(Self.self, fromNative: stored)
                }
                guard let text = stored.string else { throw MoltError.mismatch("JSON text of \(Self.self)") }
                return try DefaultsJSON.decode(Self.self, from: text.utf8)
            } catch {
                // A value that is neither JSON text nor a raw value is reported as not being JSON text.
                let native = rawValue(stored) ?? (try? DefaultsJSON.decode(Self.self, fromNative: stored))
                guard let native else { throw error }
                return native
            }
        }
    }
}

/// Stores a Codable value as `Data` of JSON, as SwiftyUserDefaults does.
///
/// ```swift
/// struct Toad: Codable, DefaultsSerializable {
///     static var bridge: DefaultsJSONDataBridge<Toad> { DefaultsJSONDataBridge() }
///     static var arrayBridge: DefaultsJSONDataBridge<[Toad]> { DefaultsJSONDataBridge() }
///
///     var age: Int
/// }
/// ```
/// The array bridge stores a whole array as one `Data`.
public struct DefaultsJSONDataBridge<Value: Codable>: DefaultsBridge {
    /// Creates the bridge.
    public init() {}

    /// Encodes the value as JSON data.
    public func encode(_ value: Value) throws -> PropertyListValue? { try .data(DefaultsJSON.encode(value)) }

    /// Decodes the value from JSON data, or from a native value with the same content.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard case .data(let json) = stored else {
            if stored.array != nil || stored.dictionary != nil {
                return try DefaultsJSON.decode(Value.self, fromNative: stored)
            }
            guard let value = try? DefaultsJSON.decode(Value.self, fromNative: stored) else {
                throw MoltError.mismatch("data of JSON of \(Value.self)")
            }
            return value
        }
        return try DefaultsJSON.decode(Value.self, from: json)
    }
}

extension PropertyListValue {
    fileprivate var holdsDatesOrData: Bool {
        switch self {
        case .date, .data: true
        case .array(let elements): elements.contains(where: \.holdsDatesOrData)
        case .dictionary(let members): members.values.contains(where: \.holdsDatesOrData)
        default: false
        }
    }
}
