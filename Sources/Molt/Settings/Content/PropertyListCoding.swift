import Foundation

/// The coders of the content of a property list, which is JSON while steps change it.
final class PropertyListCoding: ContentCoding {
    func encode(_ value: some Encodable) throws -> Data {
        // In an array, because a property list cannot be a string or a number alone.
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let list = try PropertyListReader.value(encoder.encode([value]))
        guard let json = list.array?.first?.json(nulls: .text) else {
            throw MoltError(.cannotStore, "The value has a string that begins like those that Molt reserves.")
        }
        return Data(try json.json())
    }

    func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
        try decode(type, from: PropertyListValue(json: RecordValue(json: content), nulls: .text))
    }

    func decode<Value: Decodable>(_ type: Value.Type, from value: PropertyListValue) throws -> Value {
        if value.array != nil || value.dictionary != nil {
            return try PropertyListDecoder().decode(type, from: Self.data(value, .binary))
        }
        do {
            return try PropertyListDecoder().decode([Value].self, from: Self.data(.array([value]), .binary))[0]
        } catch let error as DecodingError {
            throw error.inFirstElement
        }
    }

    /// A property list in data; the members of dictionaries are in the order of their names.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` for a value that is neither an array nor a dictionary.
    static func data(_ value: PropertyListValue, _ format: PropertyListSerialization.PropertyListFormat) throws -> Data
    {
        guard value.array != nil || value.dictionary != nil else {
            throw MoltError(
                .cannotStore,
                "A property list in data is an array or a dictionary, not \(value.kindName).",
                advice: "Store the value natively."
            )
        }
        // Unlike `PropertyListSerialization`, the encoder writes members in the order in which they are encoded.
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        return try SuiteFormat.withDecimalPoint { try encoder.encode(CodedValue(value)) }
    }
}

extension DecodingError {
    /// The error of decoding an array, with the place inside the array's element.
    fileprivate var inFirstElement: DecodingError {
        func inside(_ context: Context) -> Context {
            Context(
                codingPath: Array(context.codingPath.dropFirst()),
                debugDescription: context.debugDescription,
                underlyingError: context.underlyingError
            )
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, inside(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, inside(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, inside(context))
        case .dataCorrupted(let context): .dataCorrupted(inside(context))
        @unknown default: self
        }
    }
}

extension CodedValue {
    /// The value without the kinds that the coding of a property list value adds.
    fileprivate init(_ value: PropertyListValue) {
        self =
            switch value {
            case .bool(let bool): .bool(bool)
            case .int(let int): .int(int)
            case .unsigned(let unsigned): .unsigned(unsigned)
            case .double(let double): .double(double)
            case .string(let string): .string(string)
            case .date(let date): .date(date)
            case .data(let data): .data(data)
            case .array(let elements): .array(elements.map { CodedValue($0) })
            case .dictionary(let members): .object(members.mapValues { CodedValue($0) })
            }
    }
}
