/// The stored form of a type: its properties, their types, and which of them are optional.
///
/// A shape is derived from values, see ``of(_:coding:content:)``, and is only as complete as those: the properties of a
/// type are unknown if its only value was nil, and so are the cases of an enum that no value had. Unknown parts match
/// anything, and merging the shape of another value adds its parts.
///
/// Properties have the names of their `CodingKeys`, before an encoder's key strategy.
package struct TypeShape: Sendable, Equatable {
    /// The type's name from `RecordTypeName`; empty if it has none, as for a nested container.
    package var name: String
    /// Whether it was or may be nil.
    package var isOptional = false
    package var form: Form

    /// The stored form of a type's values.
    package indirect enum Form: Sendable, Equatable {
        /// No value has shown the form.
        case unknown
        /// The form depends on the value, as with `AnyCodable`.
        case varying
        /// A type of the standard library or of Foundation, identified by its name.
        case leaf
        /// An enclosing type, described where it begins.
        case reference
        case object(ObjectShape)
        case array(TypeShape)
        /// Values under keys that are part of the value.
        case dictionary(key: TypeShape, value: TypeShape)
        /// A raw value, with all raw values as strings if they are known.
        case raw(TypeShape, cases: [String]?, CodeNames)
        /// The cases of an enum with their associated values; complete if there are no others.
        case cases([String: TypeShape], isComplete: Bool, CodeNames)
        /// A single value that represents the type.
        case single(TypeShape)
    }

    package init(_ name: String, _ form: Form, isOptional: Bool = false) {
        self.name = name
        self.form = form
        self.isOptional = isOptional
    }

    /// A nil that is encoded by hand, so that its type is not known.
    static let bareNil = TypeShape("", .unknown, isOptional: true)

    /// The type in messages: `[String]`, `Int?`.
    package var text: String {
        let text =
            switch form {
            case .array(let element) where name.isEmpty || name.hasPrefix("Array<"): "[\(element.text)]"
            case .dictionary(let key, let value) where name.isEmpty || name.hasPrefix("Dictionary<"):
                "[\(key.text): \(value.text)]"
            default: name.isEmpty ? "object" : name
            }
        return isOptional ? text + "?" : text
    }
}

package struct ObjectShape: Sendable, Equatable {
    /// The properties by their stored names.
    package var properties: [String: TypeShape] = [:]
    /// The properties that the type reads, but that no value has written.
    package var onlyRead: Set<String> = []
    /// The properties that are always written, or never seen, but are optional for reading.
    package var lenient: Set<String> = []
    /// The names of the stored properties in code, if known.
    package var members: Set<String>?
    /// The coding keys of the properties.
    var code = CodeNames()
}

/// The code of a type, which tells whether a property or a case that a value lacks still exists.
///
/// It is not part of the shape, so that all are equal. There is none for a shape that was read from a file.
package struct CodeNames: Sendable, Equatable {
    var keyTypes: [any CodingKey.Type] = []
    /// The type of an enum with raw values.
    // Metatypes are immutable.
    nonisolated(unsafe) var rawType: (any RawRepresentable.Type)?

    func knows(_ name: String) -> Bool {
        if let rawType { return Self.has(name, rawType) }
        return keyTypes.contains { $0.init(stringValue: name) != nil }
    }

    private static func has<Value: RawRepresentable>(_ text: String, _ type: Value.Type) -> Bool {
        guard let rawType = Value.RawValue.self as? any LosslessStringConvertible.Type else { return true }
        guard let raw = rawType.init(text) as? Value.RawValue else { return false }
        return type.init(rawValue: raw) != nil
    }

    package static func == (one: CodeNames, other: CodeNames) -> Bool { true }
}

extension TypeShape {
    /// The combined shape of two values of one type; names and code from the later one take precedence.
    package func merged(with other: TypeShape) -> TypeShape {
        // A shape that has seen only nil has no name.
        let name = other.form == .unknown && (form != .unknown || other.name.isEmpty) ? name : other.name
        return TypeShape(name, mergedForm(with: other), isOptional: isOptional || other.isOptional)
    }

    private func mergedForm(with other: TypeShape) -> Form {
        switch (form, other.form) {
        case (.unknown, let form), (let form, .unknown):
            form
        case (.leaf, .leaf):
            name == other.name ? .leaf : .varying
        case (.reference, .reference):
            .reference
        case (.object(let a), .object(let b)):
            .object(a.merged(with: b))
        case (.array(let a), .array(let b)):
            .array(a.merged(with: b))
        case (.dictionary(let aKey, let aValue), .dictionary(let bKey, let bValue)):
            .dictionary(key: aKey.merged(with: bKey), value: aValue.merged(with: bValue))
        case (.raw(let a, let aCases, _), .raw(let b, let bCases, let code)):
            .raw(a.merged(with: b), cases: aCases.map { Set($0).union(bCases ?? []).sorted() } ?? bCases, code)
        case (.cases(let a, let aIsComplete, _), .cases(let b, let bIsComplete, let code)):
            .cases(a.merging(b) { $0.merged(with: $1) }, isComplete: aIsComplete && bIsComplete, code)
        case (.single(let a), .single(let b)):
            a.mergedForm(with: b) == .varying ? .varying : .single(a.merged(with: b))
        default:
            .varying
        }
    }
}

extension ObjectShape {
    fileprivate func merged(with other: ObjectShape) -> ObjectShape {
        var both = other
        both.members = other.members ?? members
        both.properties = properties.merging(other.properties) { $0.merged(with: $1) }
        both.onlyRead = onlyRead.union(other.onlyRead).subtracting(written.union(other.written))
        both.lenient.formUnion(lenient)
        for (name, shape) in properties {
            // Optional in only one of the two values, so this depends on the value.
            guard let theirs = other.properties[name] else { continue }
            if shape.isOptional != theirs.isOptional { both.lenient.insert(name) }
        }
        return both
    }

    private var written: Set<String> { Set(properties.keys).subtracting(onlyRead) }
}
