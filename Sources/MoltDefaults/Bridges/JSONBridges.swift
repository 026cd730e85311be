internal import Foundation
internal import MoltCore

/// JSON as Defaults writes it: the default coders, dates as seconds since 2001, any value at the top.
///
/// Keys are sorted, so that the same value has the same bytes in every run.
enum DefaultsJSON {
    /// The text of a value.
    ///
    /// - Throws: ``DefaultsError`` for a value that JSON cannot hold, such as an infinite number.
    static func encode(_ value: some Encodable) throws -> Data {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let json = try encoder.encode(value)
            // A Decimal that is not a number is written like this, which is no JSON.
            if json.firstRange(of: Data("NaN".utf8)) != nil { try check(json) }
            return json
        } catch let EncodingError.invalidValue(_, context) {
            throw unwritable(at: place(context.codingPath))
        } catch is DefaultsError {
            throw unwritable(at: nil)
        }
    }

    private static func unwritable(at place: ValuePlace?) -> DefaultsError {
        .unstorable(
            "JSON has no NaN and no infinity. Choose another form for it.",
            at: place
        )
    }

    /// The value of a text.
    ///
    /// - Throws: ``DefaultsError`` that says where the text does not fit the type.
    static func decode<Value: Decodable>(_ type: Value.Type, from json: some Sequence<UInt8>) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(json))
        } catch let error as DecodingError {
            throw DefaultsError.mismatch("JSON text of \(type)", at: place(of: error))
        }
    }

    /// The text of a value, as a suite holds it.
    static func text(of value: some Encodable) throws -> PropertyListValue {
        try .string(String(decoding: encode(value), as: UTF8.self))
    }

    /// The value of a text that a suite holds.
    static func value<Value: Decodable>(of stored: PropertyListValue) throws -> Value {
        guard let text = stored.string else { throw DefaultsError.mismatch("JSON text of \(Value.self)") }
        return try decode(Value.self, from: text.utf8)
    }

    /// Throws ``DefaultsError`` for a string that is not JSON.
    static func check(_ json: some Sequence<UInt8>) throws {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
        } catch {
            throw DefaultsError.mismatch("JSON text")
        }
    }

    // The error's own text may have the value in it; its path has not.
    private static func place(of error: DecodingError) -> ValuePlace? {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            place(context.codingPath)
        case .keyNotFound(let key, let context):
            place(context.codingPath + [key])
        @unknown default:
            nil
        }
    }

    private static func place(_ path: [any CodingKey]) -> ValuePlace? {
        guard !path.isEmpty else { return nil }
        return ValuePlace(
            path.map { key in
                switch CodingStep(key) {
                case .index(let index): .index(index)
                case .property(let name): .property(name)
                case .key(let key): .key(key)
                }
            }
        )
    }
}

/// JSON text of a Codable value, as Defaults writes it.
///
/// Of a type with raw values, a raw value that stands as such is read too: `@AppStorage` and most apps write it so.
struct DefaultsCodableBridge<Value: Codable & SendableMetatype>: DefaultsValueBridge {
    /// Reads a raw value; nil for types that have none.
    private let decodeRawValue: (@Sendable (PropertyListValue) throws -> Value)?

    /// Creates the bridge.
    init() {
        decodeRawValue = nil
    }

    /// Creates the bridge of a type with raw values.
    init() where Value: RawRepresentable, Value.RawValue: DefaultsSerializable {
        decodeRawValue = { try DefaultsRawRepresentableBridge<Value>().decode($0) }
    }

    func encode(_ value: Value) throws -> PropertyListValue? {
        try DefaultsJSON.text(of: value)
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        do {
            return try DefaultsJSON.value(of: stored)
        } catch {
            // A value that is neither is refused as not being JSON.
            guard let value = try? decodeRawValue?(stored) else { throw error }
            return value
        }
    }

    var form: DefaultsForm? {
        guard let decodeRawValue else { return .codable(as: Value.self) }
        return DefaultsForm(
            .codable(
                check: { json in _ = try DefaultsJSON.decode(Value.self, from: json) },
                isRawValue: { stored in (try? decodeRawValue(stored)) != nil }
            )
        )
    }
}

/// JSON of a Codable value as `Data`, as SwiftyUserDefaults writes it.
///
/// ```swift
/// struct Toad: Codable, DefaultsSerializable {
///     static var bridge: DefaultsJSONDataBridge<Toad> { DefaultsJSONDataBridge() }
///     static var arrayBridge: DefaultsJSONDataBridge<[Toad]> { DefaultsJSONDataBridge() }
///
///     var age: Int
/// }
/// ```
/// The array bridge puts all of an array into one `Data`.
public struct DefaultsJSONDataBridge<Value: Codable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The JSON.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try .data(DefaultsJSON.encode(value))
    }

    /// The value of the JSON.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard case .data(let json) = stored else { throw DefaultsError.mismatch("data of JSON of \(Value.self)") }
        return try DefaultsJSON.decode(Value.self, from: json)
    }
}
