import Foundation
import MoltCore

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

    /// Says that a text is no JSON at all.
    ///
    /// - Throws: ``DefaultsError``.
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
