internal import Molt

/// The source of one type, with the types in it.
struct ModelSource {
    /// Lines above the declaration.
    var remarks: [String] = []
    /// Whether the form is known.
    private(set) var isKnown = true
    private var declaration: [String] = []

    /// The declaration with its remarks.
    var lines: [String] { remarks.map { "/// " + $0 } + declaration }

    /// A type around the one that is written, which a recursive type may name.
    private struct Enclosing {
        let recorded: String
        let name: String
    }

    /// - Parameter settings: Whether it is that of a setting.
    init(_ shape: TypeShape, named name: String, settings: Bool) {
        var names = ModelNames(avoiding: ModelNames.leaves(of: [shape]).union([name]))
        declaration = write(shape, name, [], &names)
    }

    /// The declaration of a type; a comment if its form is not known.
    private mutating func write(
        _ shape: TypeShape,
        _ name: String,
        _ enclosing: [Enclosing],
        _ names: inout ModelNames,
        isKey: Bool = false
    ) -> [String] {
        let conformances = isKey ? "Codable, Hashable, Sendable" : "Codable, Sendable"
        switch shape.form {
        case .object(let object):
            let around = enclosing + [Enclosing(recorded: shape.name, name: name)]
            let isClass = shape.containsItself
            let members = members(object, around, isKey: isKey, isClass: isClass)
            let head = "\(isClass ? "final class" : "struct") \(name): \(conformances) {"
            return members.isEmpty ? [head + "}"] : [head] + members.map(\.indented) + ["}"]
        case .cases(let cases, let isComplete, _):
            let around = enclosing + [Enclosing(recorded: shape.name, name: name)]
            let word = shape.containsItself ? "indirect enum" : "enum"
            let remark = isComplete ? [] : ["// Others may have been stored: the samples show only these cases."]
            let body = remark + self.cases(cases, around, isKey: isKey)
            return ["\(word) \(name): \(conformances) {"] + body.map(\.indented) + ["}"]
        case .raw(let raw, let cases?, _) where !cases.isEmpty:
            return ["enum \(name): \(raw.name), Codable, Sendable {"] + rawCases(cases, raw).map(\.indented) + ["}"]
        default:
            var nested: [String] = []
            guard let type = type(of: shape, "Element", enclosing, &names, &nested, isKey: isKey) else {
                isKnown = false
                return ["// \(name): \(shape.reasonForComment)"]
            }
            return nested + ["typealias \(name) = \(type)" + shape.remark]
        }
    }

    // MARK: Types of properties

    /// The type of a property in code, and the declarations that it needs; nil if it is not known.
    private mutating func type(
        of shape: TypeShape,
        _ property: String,
        _ enclosing: [Enclosing],
        _ names: inout ModelNames,
        _ nested: inout [String],
        isKey: Bool = false
    ) -> String? {
        let optional = shape.isOptional ? "?" : ""
        guard !shape.keepsUnknown else { return nil }
        switch shape.form {
        case .unknown, .varying: return nil
        case .leaf: return shape.name.isEmpty ? nil : shape.name + optional
        case .reference:
            return enclosing.last { $0.recorded == shape.name }.map { $0.name + optional }
        case .array(let element):
            return type(of: element, property, enclosing, &names, &nested, isKey: isKey).map { "[\($0)]" + optional }
        case .dictionary(let key, let value):
            guard let key = type(of: key, property + "Key", enclosing, &names, &nested, isKey: true),
                let value = type(of: value, property, enclosing, &names, &nested)
            else { return nil }
            return "[\(key): \(value)]" + optional
        case .single(let value):
            return type(of: value, property, enclosing, &names, &nested, isKey: isKey).map {
                $0.hasSuffix("?") ? $0 : $0 + optional
            }
        case .raw(let raw, let cases, _) where cases?.isEmpty ?? true:
            return type(of: raw, property, enclosing, &names, &nested).map { $0 + optional }
        case .object, .cases, .raw:
            // A type may not have the name of one around it, and a property's own is the best for one without a name.
            let isName = ModelNames.isIdentifier(shape.name) && !enclosing.contains { $0.name == shape.name }
            if isName, let name = names.name(of: shape, isKey: isKey) { return name + optional }
            let name = names.type(isName ? shape.name : property)
            names.declare(shape, isKey: isKey, as: name)
            var inner = ModelNames(avoiding: ModelNames.leaves(of: [shape]).union(enclosing.map(\.name) + [name]))
            nested += (nested.isEmpty ? [] : [""]) + write(shape, name, enclosing, &inner, isKey: isKey)
            return name + optional
        }
    }

    // MARK: Members

    private mutating func members(
        _ object: ObjectShape,
        _ enclosing: [Enclosing],
        isKey: Bool,
        isClass: Bool
    ) -> [String] {
        let all = object.properties.values.flatMap { [$0] + $0.parts }
        var types = ModelNames(avoiding: ModelNames.leaves(of: all).union(enclosing.map(\.name)))
        var properties = ModelNames()
        var lines: [String] = []
        var nested: [String] = []
        var keys: [(name: String, key: String)] = []
        for (key, shape) in object.properties.sorted(by: { $0.key < $1.key }) {
            let name = properties.property(key)
            let code = ModelNames.code(name)
            guard var type = type(of: shape, name, enclosing, &types, &nested, isKey: isKey) else {
                lines.append("// var \(code): \(shape.reasonForComment)")
                continue
            }
            // Some values do not have it.
            let mayBeMissing = object.lenient.contains(key) || object.onlyRead.contains(key)
            if mayBeMissing, !type.hasSuffix("?") { type += "?" }
            lines.append("\(isClass ? "let" : "var") \(code): \(type)" + shape.remark)
            keys.append((name, key))
        }
        if keys.contains(where: { $0.name != $0.key }) {
            nested += (nested.isEmpty ? [] : [""]) + Self.codingKeys("CodingKeys", keys)
        } else if keys.count < object.properties.count, keys.isEmpty {
            return lines
        }
        return lines + (nested.isEmpty ? [] : [""]) + nested
    }

    private static func codingKeys(_ name: String, _ keys: [(name: String, key: String)]) -> [String] {
        ["enum \(name): String, CodingKey {"]
            + keys.map { name, key in
                "    case \(ModelNames.code(name))" + (name == key ? "" : " = \(key.debugDescription)")
            } + ["}"]
    }

    private mutating func cases(
        _ cases: [String: TypeShape],
        _ enclosing: [Enclosing],
        isKey: Bool
    ) -> [String] {
        let all = cases.values.flatMap { [$0] + $0.parts.flatMap { [$0] + $0.parts } }
        var types = ModelNames(avoiding: ModelNames.leaves(of: all).union(enclosing.map(\.name)))
        var names = ModelNames()
        var lines: [String] = []
        var nested: [String] = []
        var keys: [(name: String, key: String)] = []
        for (key, shape) in cases.sorted(by: { $0.key < $1.key }) {
            let name = names.property(key)
            keys.append((name, key))
            guard case .object(let object) = shape.form else {
                lines.append("case \(ModelNames.code(name))  // Its associated values are not known.")
                continue
            }
            var values: [String] = []
            var unknown: [String] = []
            for label in Self.ordered(object.properties.keys) {
                guard ModelNames.isIdentifier(label), let value = object.properties[label],
                    var type = type(of: value, label, enclosing, &types, &nested, isKey: isKey)
                else {
                    unknown.append(label)
                    continue
                }
                if object.lenient.contains(label) || object.onlyRead.contains(label), !type.hasSuffix("?") {
                    type += "?"
                }
                let isNumbered = label == "_\(values.count)"
                values.append(isNumbered ? type : "\(ModelNames.code(label)): \(type)")
            }
            let remark = unknown.isEmpty ? "" : "  // Not known: \(unknown.joined(separator: ", "))."
            let list = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
            lines.append("case \(ModelNames.code(name))\(list)\(remark)")
        }
        if keys.contains(where: { $0.name != $0.key }) {
            nested += (nested.isEmpty ? [] : [""]) + Self.codingKeys("CodingKeys", keys)
        }
        return lines + (nested.isEmpty ? [] : [""]) + nested
    }

    /// The labels of associated values; one without a label has the name of its position, such as "_0".
    private static func ordered(_ labels: some Collection<String>) -> [String] {
        var rest = labels.filter { !$0.hasPrefix("_") }.sorted()
        var ordered: [String] = []
        while ordered.count < labels.count {
            let position = "_\(ordered.count)"
            if labels.contains(position) {
                ordered.append(position)
            } else if rest.isEmpty {
                ordered += labels.filter { !ordered.contains($0) }.sorted()
            } else {
                ordered.append(rest.removeFirst())
            }
        }
        return ordered
    }

    private func rawCases(_ cases: [String], _ raw: TypeShape) -> [String] {
        var names = ModelNames()
        return cases.sorted().map { text in
            let isText = raw.scalarKind == .string
            let name = names.property(isText ? text : text.replacingMinus)
            let code = ModelNames.code(name)
            return isText && name == text ? "case \(code)" : "case \(code) = \(isText ? text.debugDescription : text)"
        }
    }
}

extension TypeShape {
    /// Whether a value contains another one of its type, not in a list.
    fileprivate var containsItself: Bool {
        func refers(_ shape: TypeShape) -> Bool {
            switch shape.form {
            case .reference: shape.name == name
            case .array, .dictionary: false
            default: shape.parts.contains(where: refers)
            }
        }
        return parts.contains(where: refers)
    }

    /// The comment beside a property.
    fileprivate var remark: String {
        switch form {
        case .raw(_, let cases, _) where cases?.isEmpty ?? true: "  // \(name), whose cases are not all known"
        case .single where !name.isEmpty: "  // \(name)"
        case .dictionary(let key, _) where !key.isKeyOfObjects:
            "  // if stored as an object, its keys must be CodingKeyRepresentable"
        default: ""
        }
    }

    fileprivate var reasonForComment: String {
        if keepsUnknown { return "\(name), which may hold anything" }
        return switch form {
        case .unknown: "\(name.isEmpty ? "" : "\(text), ")no sample has a value"
        case .varying: "\(name.isEmpty ? "" : "\(text), ")its form depends on the value"
        default: "\(text), a part of which no sample has shown"
        }
    }
}

extension String {
    fileprivate var replacingMinus: String {
        "value" + (hasPrefix("-") ? "Minus" + dropFirst() : self).map { $0 == "." ? "_" : String($0) }.joined()
    }
}
