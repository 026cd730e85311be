import Foundation

/// JSON as Defaults writes it: the default coders, dates as seconds since 2001, any value at the top.
enum DefaultsJSON {
    /// The text of a value.
    ///
    /// - Throws: ``DefaultsBridgeError`` for a value that JSON cannot hold, such as an infinite number.
    static func encode(_ value: some Encodable) throws -> Data {
        do {
            return try JSONEncoder().encode(value)
        } catch let EncodingError.invalidValue(_, context) {
            throw DefaultsBridgeError(place: place(context.codingPath), reason: "cannot be written as JSON")
        }
    }

    /// The value of a text.
    ///
    /// - Throws: ``DefaultsBridgeError`` that says where the text does not fit the type.
    static func decode<Value: Decodable>(_ type: Value.Type, from json: some Sequence<UInt8>) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(json))
        } catch let error as DecodingError {
            throw DefaultsBridgeError(place: place(of: error), reason: "is not JSON text of \(type)")
        }
    }

    /// Says that a text is no JSON at all.
    ///
    /// - Throws: ``DefaultsBridgeError``.
    static func check(_ json: some Sequence<UInt8>) throws {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
        } catch {
            throw DefaultsBridgeError("is not JSON text")
        }
    }

    // The error's own text may have the value in it; its path has not.
    private static func place(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            place(context.codingPath)
        case .keyNotFound(let key, let context):
            place(context.codingPath + [key])
        @unknown default:
            ""
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map { "[\($0)]" } ?? "[\"\(key.stringValue)\"]" }.joined()
    }
}
