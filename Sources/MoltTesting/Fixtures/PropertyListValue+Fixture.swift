internal import Foundation
internal import MoltDefaults

/// The typed encoding of a setting, as `PropertyListValue` defines it, with errors that name the place.
extension PropertyListValue {
    private static let kinds = ["int", "unsigned", "double", "date", "data", "dictionary"]
    private static let expected = """
        a string, a Boolean, an array, or an object of one member that names the kind, such as {"int": 1}
        """

    init(_ node: FixtureNode) throws {
        switch node.kind {
        case "a string": self = .string(try node.string(Self.expected))
        case "a Boolean": self = .bool(node.bytes.first == UInt8(ascii: "t"))
        case "an array": self = .array(try node.elements(Self.expected).map { try PropertyListValue($0) })
        case "an object": self = try Self.tagged(node)
        case "a number": throw node.failure(#"A number needs its kind: write {"int": 1} or {"double": 1}."#)
        default: throw node.failure("A suite cannot hold null. Write \(Self.expected).")
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
        default: return .dictionary(try dictionary(value))
        }
    }

    static func dictionary(_ node: FixtureNode) throws -> [String: PropertyListValue] {
        let members = try node.members("an object with the values by their keys")
        return Dictionary(try members.map { ($0.name, try PropertyListValue($0.value)) }) { first, _ in first }
    }

    func write(to writer: inout FixtureWriter) {
        switch self {
        case .bool(let bool): writer.bool(bool)
        case .string(let string): writer.string(string)
        case .array(let array):
            writer.array { writer in
                for element in array { element.write(to: &writer) }
            }
        case .int(let int): Self.write("int", to: &writer) { $0.integer(int) }
        case .unsigned(let unsigned): Self.write("unsigned", to: &writer) { $0.integer(unsigned) }
        case .double(let double): Self.write("double", to: &writer) { $0.double(double) }
        case .date(let date): Self.write("date", to: &writer) { $0.double(date.timeIntervalSinceReferenceDate) }
        case .data(let data): Self.write("data", to: &writer) { $0.string(data.base64EncodedString()) }
        case .dictionary(let values): Self.write("dictionary", to: &writer) { Self.write(values, to: &$0) }
        }
    }

    private static func write(
        _ kind: String,
        to writer: inout FixtureWriter,
        value: (inout FixtureWriter) -> Void
    ) {
        writer.object { writer in
            writer.name(kind)
            value(&writer)
        }
    }

    /// Writes the values of a dictionary or of a whole suite, sorted by key.
    static func write(_ values: [String: PropertyListValue], to writer: inout FixtureWriter) {
        writer.object { writer in
            for (key, value) in values.sortedByName {
                writer.name(key)
                value.write(to: &writer)
            }
        }
    }
}

extension [String: PropertyListValue] {
    /// The entries sorted by the bytes of their keys, independently of locales and Unicode versions.
    fileprivate var sortedByName: [(key: String, value: PropertyListValue)] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
