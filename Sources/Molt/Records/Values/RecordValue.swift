/// A JSON value, such as the value of a property.
///
/// ```swift
/// person["firstName"] = "Ada"
/// person["age"] = 36
/// person["lastName"] = .string(parts[1])
/// person["tags"] = ["mathematician", "writer"]
/// person["address"] = ["city": "London", "geo": .null]
/// ```
public enum RecordValue: Hashable, Sendable {
    /// JSON's `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as its text.
    case number(RecordValue.Number)
    /// A string, unquoted and unescaped.
    case string(String)
    /// An array.
    case array([RecordValue])
    /// An object.
    case object(RecordValue.Object)

    /// Creates a string from a substring.
    public static func string(_ part: Substring) -> RecordValue {
        .string(String(part))
    }

    /// Creates a number from an integer.
    public static func int(_ integer: some BinaryInteger) -> RecordValue {
        .number(RecordValue.Number(integer))
    }

    /// Creates a number from a floating-point value; nil for infinities and NaN, which JSON does not support.
    public static func double(_ value: Double) -> RecordValue? {
        RecordValue.Number(value).map { .number($0) }
    }

    /// Whether it is null.
    public var isNull: Bool { self == .null }

    /// The string; nil for other kinds.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number; nil for other kinds.
    public var number: RecordValue.Number? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The Boolean; nil for other kinds.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements; nil for other kinds.
    public var array: [RecordValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The object; nil for other kinds.
    public var object: RecordValue.Object? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The same value with the properties of all objects in the order of their names.
    @inline(never)
    package var sorted: RecordValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let object): .object(object.sorted)
        case .null, .bool, .number, .string: self
        }
    }

    /// The value's kind, for messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string(let text): PropertyListTag.read(text).map { "\($0.tag)" } ?? "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension RecordValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension RecordValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
    /// Creates a number.
    public init(integerLiteral value: Int) {
        self = .number(RecordValue.Number(integerLiteral: value))
    }

    /// Creates a number; a whole one is written without a fraction, as `JSONEncoder` writes it.
    ///
    /// `2.0` therefore becomes the integer 2 in a native setting, which `UserDefaults` and Codable also read as a
    /// `Double`. For a real number there, write `try RecordValue(json: "2.0")`.
    public init(floatLiteral value: Double) {
        self = .number(RecordValue.Number(floatLiteral: value))
    }

    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension RecordValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: RecordValue...) {
        self = .array(elements)
    }

    /// Creates an object.
    public init(dictionaryLiteral elements: (String, RecordValue)...) {
        self = .object(RecordValue.Object(elements.map { (name: $0.0, value: $0.1) }))
    }
}
