internal import Foundation
internal import Molt

/// A value as a release of an older version has it: with the properties that the release knows, and no others.
struct OlderValue: Sendable {
    /// The type of the release, of which only the name and the shape are known.
    private struct Model: Sendable {
        let typeName: String
        let shape: TypeShape
        /// The shapes of the types around it, by name.
        var enclosing: [String: TypeShape] = [:]
    }

    /// Coding keys and names belong to types, and those of the release are known by their shapes alone.
    @TaskLocal private static var model: Model?

    private let model: Model
    /// The value, with the names that properties have in the release's code.
    private var json: RecordValue

    /// - Returns: Nil for raw data, and for content that is not JSON.
    init?(_ record: StoreFixture.Record, _ shape: TypeShape, _ coding: RecordCoding) {
        let model = Model(typeName: record.typeName, shape: shape)
        let content = Data(record.content.bytes)
        guard !record.content.isData,
            let value = try? Self.$model.withValue(model, operation: { try coding.decode(Self.self, from: content) })
        else { return nil }
        self = value
    }

    /// Sets the value as the release would.
    func set(in cache: CodableCache, forKey key: String) throws {
        try Self.$model.withValue(model) { try cache.set(self, forKey: key, expiry: .never) }
    }

    /// The value after the release has changed each element of its arrays.
    var withChangedElements: OlderValue {
        var value = self
        value.json = json.withChangedElements
        return value
    }
}

extension OlderValue: RecordType {
    static var recordTypeName: String { model?.typeName ?? "" }
}

extension OlderValue: Hashable {
    static func == (value: OlderValue, other: OlderValue) -> Bool { value.json == other.json }

    func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

extension OlderValue: Codable {
    /// A name that no type declares; a value has all names that its type declares and that the record had.
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    /// Any name, as of a case.
    private struct AnyName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
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
        guard let model = Self.model else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "There is no current type."))
        }
        self.model = model
        json = try Self.read(model.shape, decoder, model)
    }

    private static func read(_ shape: TypeShape, _ decoder: any Decoder, _ model: Model) throws -> RecordValue {
        let single = try? decoder.singleValueContainer()
        if single?.decodeNil() == true { return .null }
        switch shape.form {
        case _ where shape.keepsUnknown: break
        case .single(let inner):
            return try read(inner, decoder, model)
        case .reference:
            guard let outer = model.enclosing[shape.name] else { break }
            return try read(outer, decoder, model)
        case .object(let object):
            guard let container = try? decoder.container(keyedBy: Name.self) else { break }
            var model = model
            model.enclosing[shape.name] = shape
            return .object(
                .init(
                    try object.properties.sorted { $0.key < $1.key }.compactMap { name, shape in
                        guard container.contains(Name(name)) else { return nil }
                        let decoder = try container.superDecoder(forKey: Name(name))
                        return (name: name, value: try read(shape, decoder, model))
                    }
                )
            )
        case .cases(let cases, _, _):
            guard let container = try? decoder.container(keyedBy: AnyName.self) else { break }
            return .object(
                .init(
                    try container.allKeys.compactMap { name in
                        guard let shape = cases[name.stringValue] else { return nil }
                        let decoder = try container.superDecoder(forKey: name)
                        return (name: name.stringValue, value: try read(shape, decoder, model))
                    }
                )
            )
        case .array(let element) where shape.name.hasPrefix("Set<"):
            let inner = Model(typeName: "", shape: element, enclosing: model.enclosing)
            guard let elements = try? Self.$model.withValue(inner, operation: { try single?.decode(Set<Self>.self) })
            else { break }
            return .array(elements.map(\.json))
        case .array(let element):
            guard let elements = try? decoder.unkeyedContainer() else { break }
            return try read(elements, model) { _ in element }
        case .dictionary(let key, let value):
            if let elements = try? decoder.unkeyedContainer() {
                // Keys and values alternate.
                return try read(elements, model) { $0.isMultiple(of: 2) ? key : value }
            }
            let inner = Model(typeName: "", shape: value, enclosing: model.enclosing)
            guard
                let members = try? Self.$model.withValue(inner, operation: { try single?.decode([String: Self].self) })
            else { break }
            return .object(.init(members.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.json) }))
        default: break
        }
        return try AnyJSON(from: decoder).json
    }

    private static func read(
        _ elements: any UnkeyedDecodingContainer,
        _ model: Model,
        _ shape: (Int) -> TypeShape
    ) throws -> RecordValue {
        var elements = elements
        var values: [RecordValue] = []
        while !elements.isAtEnd {
            values.append(try read(shape(values.count), elements.superDecoder(), model))
        }
        return .array(values)
    }

    /// A value of which nothing is known.
    private struct AnyJSON: Decodable {
        let json: RecordValue

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: AnyName.self) {
                json = .object(
                    .init(
                        try container.allKeys.map {
                            (name: $0.stringValue, value: try container.decode(AnyJSON.self, forKey: $0).json)
                        }
                    )
                )
            } else if var container = try? decoder.unkeyedContainer() {
                var elements: [RecordValue] = []
                while !container.isAtEnd { elements.append(try container.decode(AnyJSON.self).json) }
                json = .array(elements)
            } else {
                json = try Self.scalar(decoder.singleValueContainer())
            }
        }

        private static func scalar(_ container: any SingleValueDecodingContainer) throws -> RecordValue {
            if container.decodeNil() { return .null }
            if let bool = try? container.decode(Bool.self) { return .bool(bool) }
            if let string = try? container.decode(String.self) { return .string(string) }
            if let int = try? container.decode(Int64.self) { return .int(int) }
            return .double(try container.decode(Double.self)) ?? .null
        }
    }
}

extension RecordValue {
    /// The value with another first string, number or Boolean in each element of its arrays.
    fileprivate var withChangedElements: RecordValue {
        switch self {
        case .object(let object):
            .object(.init(object.properties.map { (name: $0.name, value: $0.value.withChangedElements) }))
        case .array(let elements):
            .array(elements.map { $0.withChangedElements.changed })
        case .null, .bool, .number, .string:
            self
        }
    }

    private var changed: RecordValue {
        switch self {
        case .bool(let bool): return .bool(!bool)
        case .string(let string): return .string(string + "*")
        case .number(let number): return number.double.flatMap { .double($0 + 1) } ?? self
        case .object(let object):
            var properties = object.properties
            for (index, property) in properties.enumerated() {
                let changed = property.value.changed
                guard changed != property.value else { continue }
                properties[index].value = changed
                break
            }
            return .object(.init(properties))
        case .null, .array: return self
        }
    }
}
