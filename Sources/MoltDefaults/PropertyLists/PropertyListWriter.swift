internal import Foundation

/// Writes the values of a suite as an XML property list.
enum PropertyListWriter {
    /// Encodes the values; dates before the year -4712 or after 506713 are wrong.
    static func encode(_ values: [String: PropertyListValue]) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return try encoder.encode(values.mapValues(NativeValue.init))
    }

    /// Serializes the values as `UserDefaults` does, which on Linux (Swift 6.3) takes five times as long.
    static func serialize(_ values: [String: PropertyListValue]) throws -> Data {
        try SuiteFormat.withDecimalPoint {
            let objects = values.mapValues(\.object)
            return try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
        }
    }

    /// A value that is encoded as itself; that of ``PropertyListValue`` is encoded with its kind.
    private struct NativeValue: Encodable {
        let value: PropertyListValue

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .bool(let bool): try container.encode(bool)
            case .int(let int): try container.encode(int)
            case .unsigned(let unsigned): try container.encode(unsigned)
            case .double(let double): try container.encode(double)
            case .string(let string): try container.encode(string)
            case .date(let date): try container.encode(date)
            case .data(let data): try container.encode(data)
            case .array(let array): try container.encode(array.map(NativeValue.init))
            case .dictionary(let dictionary): try container.encode(dictionary.mapValues(NativeValue.init))
            }
        }
    }
}
