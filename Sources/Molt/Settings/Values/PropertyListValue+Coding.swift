internal import Foundation

/// A typed encoding that preserves every value exactly, for the journal and for fixtures.
///
/// ```json
/// {"dictionary": {"name": "Ada", "born": {"date": -5853132000}, "tags": ["a", true, {"int": 1}, {"double": 1}]}}
/// ```
///
/// Strings, Booleans and arrays are encoded as such; every other value is an object with one member named after its
/// kind. Dates are seconds since 2001, and data is Base64. Infinities and NaN are the strings `inf`, `-inf` and `nan`.
/// A coder's strategies for dates, data and keys have no effect.
extension PropertyListValue: Codable {
    private enum Kind: String, CodingKey {
        case int
        case unsigned
        case double
        case date
        case data
        case dictionary
    }

    /// Decodes a value from its typed encoding.
    public init(from decoder: any Decoder) throws {
        // The most frequent kinds come first, because each failed attempt costs an error. The last attempt throws the
        // error for a value of no kind.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .string(text)
        } else if let object = try? decoder.container(keyedBy: Kind.self) {
            self = try Self.tagged(object)
        } else if let array = try? decoder.unkeyedContainer() {
            var array = array
            var values: [PropertyListValue] = []
            values.reserveCapacity(array.count ?? 0)
            while !array.isAtEnd { values.append(try array.decode(PropertyListValue.self)) }
            self = .array(values)
        } else {
            self = .bool(try decoder.singleValueContainer().decode(Bool.self))
        }
    }

    private static func tagged(_ object: KeyedDecodingContainer<Kind>) throws -> PropertyListValue {
        guard object.allKeys.count == 1, let kind = object.allKeys.first else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: object.codingPath,
                    debugDescription: "A value's object has one member, which names its kind."
                )
            )
        }
        switch kind {
        case .int: return .int(try object.decode(Int64.self, forKey: kind))
        case .unsigned: return .unsigned(try object.decode(UInt64.self, forKey: kind))
        case .double: return .double(try double(object, kind))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: try double(object, kind)))
        case .data:
            guard let data = Data(base64Encoded: try object.decode(String.self, forKey: kind)) else {
                throw DecodingError.dataCorruptedError(forKey: kind, in: object, debugDescription: "It is not Base64.")
            }
            return .data(data)
        case .dictionary: return .dictionary(try object.decode([String: PropertyListValue].self, forKey: kind))
        }
    }

    private static func double(_ object: KeyedDecodingContainer<Kind>, _ kind: Kind) throws -> Double {
        // A value that is not a string must be a number.
        guard let text = try? object.decode(String.self, forKey: kind) else {
            return try object.decode(Double.self, forKey: kind)
        }
        guard let double = Double(text) else {
            throw DecodingError.dataCorruptedError(forKey: kind, in: object, debugDescription: "It is not a number.")
        }
        return double
    }

    /// Encodes the value with its kind.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .bool(let bool):
            try bool.encode(to: encoder)
        case .string(let string):
            try string.encode(to: encoder)
        case .array(let array):
            try array.encode(to: encoder)
        case .int(let int):
            try encode(int, as: .int, to: encoder)
        case .unsigned(let unsigned):
            try encode(unsigned, as: .unsigned, to: encoder)
        case .double(let double):
            try encode(double, as: .double, to: encoder)
        case .date(let date):
            try encode(date.timeIntervalSinceReferenceDate, as: .date, to: encoder)
        case .data(let data):
            try encode(data.base64EncodedString(), as: .data, to: encoder)
        case .dictionary(let dictionary):
            try encode(dictionary, as: .dictionary, to: encoder)
        }
    }

    private func encode(_ double: Double, as kind: Kind, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        if double.isFinite {
            try container.encode(double, forKey: kind)
        } else {
            try container.encode(double.isNaN ? "nan" : double < 0 ? "-inf" : "inf", forKey: kind)
        }
    }

    private func encode(_ value: some Encodable, as kind: Kind, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        try container.encode(value, forKey: kind)
    }
}
