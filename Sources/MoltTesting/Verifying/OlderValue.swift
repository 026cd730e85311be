internal import Foundation
internal import Molt

/// A value as a release of an older version writes it: with the properties that the release knows, and no others.
struct OlderValue: Sendable {
    private let typeName: String
    /// The value, with the names that properties have in the release's code.
    private let json: RecordValue

    /// Coding keys and names belong to types, and those of the release are known by their shapes alone.
    @TaskLocal private static var current: OlderValue?

    /// - Returns: Nil for raw data, and for content that is not JSON.
    init?(_ record: StoreFixture.Record, _ shape: TypeShape, _ coding: RecordCoding) {
        guard !record.content.isData, let json = try? RecordValue(json: record.content.bytes) else { return nil }
        typeName = record.typeName
        self.json = shape.known(of: json, coding, in: [:])
    }

    /// Sets the value as the release would.
    func set(in cache: CodableCache, forKey key: String) throws {
        try Self.$current.withValue(self) { try cache.set(self, forKey: key, expiry: .never) }
    }
}

extension OlderValue: RecordType {
    static var recordTypeName: String { current?.typeName ?? "" }
}

extension OlderValue: Codable {
    /// A name that no type declares; the value has all names that its type declares and that the record had.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    private struct Part: Encodable {
        let json: RecordValue

        func encode(to encoder: any Encoder) throws {
            switch json {
            case .object(let object):
                var container = encoder.container(keyedBy: Name.self)
                for property in object.properties {
                    try container.encode(Part(json: property.value), forKey: Name(property.name))
                }
            case .array(let elements):
                var container = encoder.unkeyedContainer()
                for element in elements { try container.encode(Part(json: element)) }
            case .null, .bool, .number, .string:
                var container = encoder.singleValueContainer()
                switch json {
                case .bool(let bool): try container.encode(bool)
                case .string(let string): try container.encode(string)
                case .number(let number):
                    if let integer = number.integer(Int64.self) {
                        try container.encode(integer)
                    } else {
                        try container.encode(number.double)
                    }
                case .null, .array, .object: try container.encodeNil()
                }
            }
        }
    }

    func encode(to encoder: any Encoder) throws { try Part(json: json).encode(to: encoder) }

    /// Asks for the containers for which the release's types would ask, so that the cache can tell what they declare.
    init(from decoder: any Decoder) throws {
        guard let current = Self.current else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "There is no current value."))
        }
        self = current
        if case .object(let object) = json { try Self.read(object, decoder.container(keyedBy: Name.self)) }
    }

    private static func read(_ object: RecordValue.Object, _ container: KeyedDecodingContainer<Name>) throws {
        for property in object.properties {
            guard case .object(let inner) = property.value else { continue }
            try read(inner, container.nestedContainer(keyedBy: Name.self, forKey: Name(property.name)))
        }
    }
}

extension TypeShape {
    /// A value of the type without the properties that it does not declare, by their names in code.
    ///
    /// - Parameter enclosing: The shapes of the types around it, by name.
    fileprivate func known(
        of value: RecordValue,
        _ coding: RecordCoding,
        in enclosing: [String: TypeShape]
    ) -> RecordValue {
        guard !keepsUnknown else { return value }
        switch (form, value) {
        case (.single(let inner), _):
            return inner.known(of: value, coding, in: enclosing)
        case (.reference, _):
            return enclosing[name]?.known(of: value, coding, in: enclosing) ?? value
        case (.object(let shape), .object(let object)):
            let enclosing = enclosing.merging([name: self]) { $1 }
            return .object(object.known(shape.properties, coding, in: enclosing))
        case (.cases(let cases, _, _), .object(let object)):
            return .object(object.known(cases, coding, in: enclosing))
        case (.array(let element), .array(let elements)):
            return .array(elements.map { element.known(of: $0, coding, in: enclosing) })
        case (.dictionary(_, let element), .object(let object)):
            return .object(
                .init(
                    object.properties.map { property in
                        .init(name: property.name, value: element.known(of: property.value, coding, in: enclosing))
                    }
                )
            )
        case (.dictionary(let key, let element), .array(let elements)):
            // Keys and values alternate.
            return .array(
                elements.enumerated().map { index, value in
                    (index.isMultiple(of: 2) ? key : element).known(of: value, coding, in: enclosing)
                }
            )
        default:
            return value
        }
    }
}

extension RecordValue.Object {
    /// The properties with a shape, by their names in code.
    fileprivate func known(
        _ shapes: [String: TypeShape],
        _ coding: RecordCoding,
        in enclosing: [String: TypeShape]
    ) -> RecordValue.Object {
        let names = Dictionary(shapes.keys.map { (coding.storedName(of: $0), $0) }) { first, _ in first }
        return RecordValue.Object(
            properties.compactMap { property in
                guard let name = names[property.name], let shape = shapes[name] else { return nil }
                return .init(name: name, value: shape.known(of: property.value, coding, in: enclosing))
            }
        )
    }
}
