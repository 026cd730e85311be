/// As JSON: a type of the standard library is its name, with "?" if it is optional; any other type is an object.
extension TypeShape: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, optional, properties, members, lenient, onlyRead
        case elements, keys, values, raw, cases, complete, single, outer, varying
    }

    package init(from decoder: any Decoder) throws {
        // Anything but a string is an object, which is decoded below.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            let isOptional = text.hasSuffix("?")
            self.init(isOptional ? String(text.dropLast()) : text, .leaf, isOptional: isOptional)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decodeIfPresent(String.self, forKey: .type) ?? "",
            try Self.form(from: container),
            isOptional: try container.decodeIfPresent(Bool.self, forKey: .optional) ?? false
        )
    }

    private static func form(from container: KeyedDecodingContainer<CodingKeys>) throws -> Form {
        func part<Part: Decodable>(_ key: CodingKeys) throws -> Part { try container.decode(Part.self, forKey: key) }
        func names(_ key: CodingKeys) throws -> Set<String>? {
            try container.decodeIfPresent(Set<String>.self, forKey: key)
        }
        if container.contains(.properties) {
            var object = ObjectShape(properties: try part(.properties))
            object.members = container.contains(.members) ? try names(.members) : Set(object.properties.keys)
            object.lenient = try names(.lenient) ?? []
            object.onlyRead = try names(.onlyRead) ?? []
            return .object(object)
        }
        return if container.contains(.elements) {
            .array(try part(.elements))
        } else if container.contains(.keys) {
            .dictionary(key: try part(.keys), value: try part(.values))
        } else if container.contains(.raw) {
            .raw(try part(.raw), cases: container.contains(.cases) ? try part(.cases) : nil, CodeNames())
        } else if container.contains(.cases) {
            .cases(try part(.cases), isComplete: container.contains(.complete), CodeNames())
        } else if container.contains(.single) {
            .single(try part(.single))
        } else if container.contains(.outer) {
            .reference
        } else {
            container.contains(.varying) ? .varying : .unknown
        }
    }

    package func encode(to encoder: any Encoder) throws {
        if form == .leaf {
            var container = encoder.singleValueContainer()
            return try container.encode(isOptional ? name + "?" : name)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !name.isEmpty { try container.encode(name, forKey: .type) }
        if isOptional { try container.encode(true, forKey: .optional) }
        switch form {
        case .leaf, .unknown:
            break
        case .varying:
            try container.encode(true, forKey: .varying)
        case .reference:
            try container.encode(true, forKey: .outer)
        case .object(let object):
            try container.encode(object.properties, forKey: .properties)
            // The names in code are usually the same, and then omitted.
            if object.members != Set(object.properties.keys) {
                try container.encode(object.members?.sorted(), forKey: .members)
            }
            if !object.lenient.isEmpty { try container.encode(object.lenient.sorted(), forKey: .lenient) }
            if !object.onlyRead.isEmpty { try container.encode(object.onlyRead.sorted(), forKey: .onlyRead) }
        case .array(let element):
            try container.encode(element, forKey: .elements)
        case .dictionary(let key, let value):
            try container.encode(key, forKey: .keys)
            try container.encode(value, forKey: .values)
        case .raw(let raw, let cases, _):
            try container.encode(raw, forKey: .raw)
            try container.encodeIfPresent(cases, forKey: .cases)
        case .cases(let cases, let isComplete, _):
            try container.encode(cases, forKey: .cases)
            if isComplete { try container.encode(true, forKey: .complete) }
        case .single(let value):
            try container.encode(value, forKey: .single)
        }
    }
}
