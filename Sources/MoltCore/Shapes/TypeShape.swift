/// What a type looks like where it is stored: its properties, their types, and which of them may be missing.
///
/// A shape is taken from values, see ``of(_:coding:)``, and can only show what those values show: the properties of a
/// type whose one value was nil are not known, nor are the cases of an enum that no value had. What is not known
/// agrees with everything, and merging the shape of another value adds what that one shows.
///
/// Properties are named as `CodingKeys` name them, before an encoder's key strategy.
package struct TypeShape: Sendable, Hashable {
    /// The type's name as in `RecordTypeName`; empty for what has none, as a nested container.
    package var name: String
    /// Whether nil was, or may be, in its place.
    package var isOptional = false
    /// How it is stored.
    package var form: Form

    /// How values of a type are stored.
    package indirect enum Form: Sendable, Hashable {
        /// No value has shown it.
        case unknown
        /// Values of the same type are stored in different ways, as those of an `AnyCodable` are.
        case varying
        /// A type of the standard library or of Foundation, known by its name.
        case leaf
        /// A type that is described further out, in which it is nested.
        case reference
        /// Named properties.
        case object(ObjectShape)
        /// A list of elements.
        case array(TypeShape)
        /// Values under keys that are a part of the value.
        case dictionary(key: TypeShape, value: TypeShape)
        /// The raw value of a type, with all raw values as text where they are known.
        case raw(TypeShape, cases: [String]?, CaseSource = CaseSource())
        /// The cases of an enum with what they carry; where it is complete, there are no others.
        case cases([String: TypeShape], isComplete: Bool, CaseSource = CaseSource())
        /// A single value in place of the type's own.
        case single(TypeShape)
    }

    /// Creates a shape.
    package init(_ name: String, _ form: Form, isOptional: Bool = false) {
        self.name = name
        self.form = form
        self.isOptional = isOptional
    }

    /// The type as a message names it: `[String]`, `Int?`.
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

/// The properties of an object.
package struct ObjectShape: Sendable {
    /// The properties by the names they are stored under.
    package var properties: [String: TypeShape] = [:]
    /// Those that the type looks for when it is read, and that no value has shown to be written.
    package var onlyRead: Set<String> = []
    /// Those that are written always, or that no value shows, and that may be missing when they are read.
    package var lenient: Set<String> = []
    /// The names of the stored properties in code, where they are known.
    package var members: Set<String>?
    /// What names the properties in code; not a part of the shape.
    var keyTypes: [any CodingKey.Type] = []

    /// Whether the code still names a property, so that another value may well have it.
    func knows(_ property: String) -> Bool {
        keyTypes.contains { $0.init(stringValue: property) != nil }
    }
}

extension ObjectShape: Hashable {
    package static func == (one: ObjectShape, other: ObjectShape) -> Bool {
        one.properties == other.properties && one.onlyRead == other.onlyRead && one.lenient == other.lenient
            && one.members == other.members
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(properties)
        hasher.combine(onlyRead)
        hasher.combine(lenient)
        hasher.combine(members)
    }
}
