/// As JSON: a type of the standard library is its name, with "?" if it is optional; any other type is an object.
extension TypeShape: Codable {
    package init(from decoder: any Decoder) throws {
        // Anything but a string is an object, which is decoded below.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            let isOptional = text.hasSuffix("?")
            self.init(isOptional ? String(text.dropLast()) : text, .leaf, isOptional: isOptional)
            return
        }
        let members = try decoder.container(keyedBy: MemberName.self)
        self.init(
            try members.valueIfPresent("type") ?? "",
            try Self.form(from: members),
            isOptional: try members.valueIfPresent("optional") ?? false
        )
    }

    private static func form(from members: KeyedDecodingContainer<MemberName>) throws -> Form {
        if members.contains("properties") {
            var object = ObjectShape(properties: try members.value("properties"))
            object.members =
                members.contains("members") ? try members.valueIfPresent("members") : Set(object.properties.keys)
            object.lenient = try members.valueIfPresent("lenient") ?? []
            object.onlyRead = try members.valueIfPresent("onlyRead") ?? []
            return .object(object)
        }
        return if members.contains("elements") {
            .array(try members.value("elements"))
        } else if members.contains("keys") {
            .dictionary(key: try members.value("keys"), value: try members.value("values"))
        } else if members.contains("raw") {
            .raw(try members.value("raw"), cases: try members.valueIfPresent("cases"), CodeNames())
        } else if members.contains("cases") {
            .cases(try members.value("cases"), isComplete: members.contains("complete"), CodeNames())
        } else if members.contains("single") {
            .single(try members.value("single"))
        } else if members.contains("outer") {
            .reference
        } else {
            members.contains("varying") ? .varying : .unknown
        }
    }

    package func encode(to encoder: any Encoder) throws {
        if form == .leaf {
            var container = encoder.singleValueContainer()
            return try container.encode(isOptional ? name + "?" : name)
        }
        var container = encoder.container(keyedBy: MemberName.self)
        if !name.isEmpty { try container.encode(name, forKey: "type") }
        if isOptional { try container.encode(true, forKey: "optional") }
        switch form {
        case .leaf, .unknown:
            break
        case .varying:
            try container.encode(true, forKey: "varying")
        case .reference:
            try container.encode(true, forKey: "outer")
        case .object(let object):
            try container.encode(object.properties, forKey: "properties")
            // The names in code are usually the same, and then omitted.
            if object.members != Set(object.properties.keys) {
                try container.encode(object.members?.sorted(), forKey: "members")
            }
            if !object.lenient.isEmpty { try container.encode(object.lenient.sorted(), forKey: "lenient") }
            if !object.onlyRead.isEmpty { try container.encode(object.onlyRead.sorted(), forKey: "onlyRead") }
        case .array(let element):
            try container.encode(element, forKey: "elements")
        case .dictionary(let key, let value):
            try container.encode(key, forKey: "keys")
            try container.encode(value, forKey: "values")
        case .raw(let raw, let cases, _):
            try container.encode(raw, forKey: "raw")
            try container.encodeIfPresent(cases, forKey: "cases")
        case .cases(let cases, let isComplete, _):
            try container.encode(cases, forKey: "cases")
            if isComplete { try container.encode(true, forKey: "complete") }
        case .single(let value):
            try container.encode(value, forKey: "single")
        }
    }
}
