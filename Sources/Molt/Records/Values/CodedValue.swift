internal import Foundation

/// A value of any shape, as decoders give it and encoders take it, also those of property lists.
///
/// The text of a number may change, such as 1.0 to 1, and the order of names.
enum CodedValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([CodedValue])
    case object([String: CodedValue])

    // The compiler would inline a synthesized comparison in those of arrays and dictionaries, several times in each.
    @inline(never)
    static func == (one: CodedValue, other: CodedValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.unsigned(let one), .unsigned(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.string(let one), .string(let other)): one == other
        case (.date(let one), .date(let other)): one == other
        case (.data(let one), .data(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    /// The value as JSON; dates and data are strings.
    var json: RecordValue {
        switch self {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .int(let int): .int(int)
        case .unsigned(let unsigned): .int(unsigned)
        case .double(let double): .double(double) ?? .string("\(double)")
        case .string(let string): .string(string)
        case .date(let date): .string(DisplayText.time(date))
        case .data(let data): .string(data.base64EncodedString())
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members):
            .object(.init(members.sortedByKey.map { (name: $0.key, value: $0.value.json) }))
        }
    }
}

extension CodedValue: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            var members: [String: CodedValue] = [:]
            for name in container.allKeys {
                members[name.stringValue] = try container.decode(CodedValue.self, forKey: name)
            }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [CodedValue] = []
            while !container.isAtEnd { elements.append(try container.decode(CodedValue.self)) }
            self = .array(elements)
        } else {
            self = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> CodedValue {
        if container.decodeNil() { return .null }
        if let bool = try? container.decode(Bool.self) { return .bool(bool) }
        if let string = try? container.decode(String.self) { return .string(string) }
        if let int = try? container.decode(Int64.self) { return .int(int) }
        if let unsigned = try? container.decode(UInt64.self) { return .unsigned(unsigned) }
        if let double = try? container.decode(Double.self) { return .double(double) }
        // Those of property lists.
        if let date = try? container.decode(Date.self) { return .date(date) }
        return .data(try container.decode(Data.self))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in members.sortedByUTF8 {
                try container.encode(value, forKey: Name(stringValue: name))
            }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .null, .array, .object: try container.encodeNil()
            case .bool(let bool): try container.encode(bool)
            case .int(let int): try container.encode(int)
            case .unsigned(let unsigned): try container.encode(unsigned)
            case .double(let double): try container.encode(double)
            case .string(let string): try container.encode(string)
            case .date(let date): try container.encode(date)
            case .data(let data): try container.encode(data)
            }
        }
    }
}
