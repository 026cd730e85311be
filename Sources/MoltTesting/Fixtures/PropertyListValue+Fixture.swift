internal import Foundation
internal import Molt

/// The typed encoding of a setting, as `PropertyListValue` defines it, with JSON that can be read, and with errors that
/// name the place.
extension PropertyListValue {
    private static let kinds = ["int", "unsigned", "double", "date", "data", "json", "jsonText", "dictionary"]
    private static let expected = """
        a string, a Boolean, an array, or an object of one member that names the kind, such as {"int": 1}
        """

    init(_ node: FixtureNode) throws {
        switch node.part.kind {
        case .string: self = .string(try node.string(Self.expected))
        case .bool: self = .bool(try node.bool(Self.expected))
        case .array: self = .array(try node.elements(Self.expected).map { try PropertyListValue($0) })
        case .object: self = try Self.tagged(node)
        case .number: throw node.failure(#"A number needs its kind: write {"int": 1} or {"double": 1}."#)
        case .null: throw node.failure("A suite cannot hold null. Write \(Self.expected).")
        }
    }

    private static func tagged(_ node: FixtureNode) throws -> PropertyListValue {
        let members = try node.object(expected, known: kinds).members
        guard members.count == 1, let (kind, value) = members.first else {
            throw node.failure("It has \(members.count) members. Write one, which names the value's kind.")
        }
        switch kind {
        case "int": return .int(try value.integer("an integer"))
        case "unsigned": return .unsigned(try value.integer("an integer"))
        case "double": return .double(try value.double("a number"))
        case "date": return .date(Date(timeIntervalSinceReferenceDate: try value.double("seconds since 2001")))
        case "data": return .data(try value.base64())
        case "json": return .data(Data(JSONLayout.minified(value.part.utf8)))
        case "jsonText": return .string(String(decoding: JSONLayout.minified(value.part.utf8), as: UTF8.self))
        default: return .dictionary(try dictionary(value))
        }
    }

    static func dictionary(_ node: FixtureNode) throws -> [String: PropertyListValue] {
        let members = try node.members("an object with the values by their keys")
        return Dictionary(try members.map { ($0.name, try PropertyListValue($0.value)) }) { first, _ in first }
    }

    var json: JSONText {
        switch self {
        case .bool(let bool): .bool(bool)
        case .string(let string): Self.inlined(string.utf8).map { .object([("jsonText", $0)]) } ?? .string(string)
        case .array(let array): .array(array.map(\.json))
        case .int(let int): .object([("int", .integer(int))])
        case .unsigned(let unsigned): .object([("unsigned", .integer(unsigned))])
        case .double(let double): .object([("double", .double(double))])
        case .date(let date): .object([("date", .double(date.timeIntervalSinceReferenceDate))])
        case .data(let data): .object([Self.inlined(data).map { ("json", $0) } ?? ("data", .base64(data))])
        case .dictionary(let values): .object([("dictionary", Self.json(values))])
        }
    }

    /// An object or array in JSON; nil for other bytes, and where reading would not restore them.
    private static func inlined(_ bytes: some Collection<UInt8>) -> JSONText? {
        let isContainer = bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[")
        return isContainer ? JSONText(inlining: bytes) : nil
    }

    /// The values of a dictionary or of a whole suite, sorted by the bytes of their keys.
    static func json(_ values: [String: PropertyListValue]) -> JSONText {
        .object(values.sorted { $0.key.utf8Precedes($1.key) }.map { ($0.key, $0.value.json) })
    }
}

extension String {
    /// Compares the bytes, independently of locales and Unicode versions.
    func utf8Precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
