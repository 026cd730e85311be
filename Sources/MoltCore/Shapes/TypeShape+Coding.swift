/// As JSON: a type of the standard library is its name, with "?" if it is optional; any other type is an object.
extension TypeShape: Codable {
    fileprivate enum CodingKeys: String, CodingKey {
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
            try Form(from: container),
            isOptional: try container.decodeIfPresent(Bool.self, forKey: .optional) ?? false
        )
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
            // Usually the same, and then omitted.
            if object.members != object.ownMembers { try container.encode(object.members?.sorted(), forKey: .members) }
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

extension ObjectShape {
    /// The names of the properties, which usually equal those in code.
    fileprivate var ownMembers: Set<String>? { Set(properties.keys) }
}

extension TypeShape.Form {
    fileprivate init(from container: KeyedDecodingContainer<TypeShape.CodingKeys>) throws {
        if container.contains(.properties) {
            var object = ObjectShape()
            object.properties = try container.decode([String: TypeShape].self, forKey: .properties)
            object.members = object.ownMembers
            if container.contains(.members) {
                object.members = try container.decodeIfPresent(Set<String>.self, forKey: .members)
            }
            object.lenient = try container.decodeIfPresent(Set<String>.self, forKey: .lenient) ?? []
            object.onlyRead = try container.decodeIfPresent(Set<String>.self, forKey: .onlyRead) ?? []
            self = .object(object)
        } else if container.contains(.elements) {
            self = .array(try container.decode(TypeShape.self, forKey: .elements))
        } else if container.contains(.keys) {
            self = .dictionary(
                key: try container.decode(TypeShape.self, forKey: .keys),
                value: try container.decode(TypeShape.self, forKey: .values)
            )
        } else if container.contains(.raw) {
            self = .raw(
                try container.decode(TypeShape.self, forKey: .raw),
                cases: try container.decodeIfPresent([String].self, forKey: .cases)
            )
        } else if container.contains(.cases) {
            self = .cases(
                try container.decode([String: TypeShape].self, forKey: .cases),
                isComplete: container.contains(.complete)
            )
        } else if container.contains(.single) {
            self = .single(try container.decode(TypeShape.self, forKey: .single))
        } else if container.contains(.outer) {
            self = .reference
        } else {
            self = container.contains(.varying) ? .varying : .unknown
        }
    }
}
