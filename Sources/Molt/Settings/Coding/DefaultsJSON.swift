internal import Foundation

/// JSON as Defaults writes it: that of the default coders, with dates as seconds since 2001, and fragments allowed.
///
/// Keys are sorted, so that a value has the same bytes in every run.
enum DefaultsJSON {
    /// Encodes a value as JSON.
    ///
    /// - Throws: ``MoltError`` for a value that JSON cannot represent, such as an infinite number.
    static func encode(_ value: some Encodable) throws -> Data {
        var error = MoltError(.cannotStore, "JSON has no NaN and no infinity.", advice: "Choose another form for it.")
        do {
            let json = try JSONEncoder(.sortedKeys).encode(value)
            // The encoder writes a `Decimal` that is not a number as NaN, which is not valid JSON.
            if json.firstRange(of: Data("NaN".utf8)) == nil || (try? JSONPart(Array(json))) != nil { return json }
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
