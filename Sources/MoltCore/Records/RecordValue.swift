/// A JSON value: what a property of a record holds.
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
    /// A number, by its text.
    case number(RecordNumber)
    /// A string, without quotes and escapes.
    case string(String)
    /// An array.
    case array([RecordValue])
    /// An object.
    case object(RecordObject)

    /// A string from a part of another one.
    public static func string(_ part: Substring) -> RecordValue {
        .string(String(part))
    }

    /// A number from an integer.
    public static func int(_ integer: some BinaryInteger) -> RecordValue {
        .number(RecordNumber(integer))
    }

    /// A number from a floating-point value; nil for infinities and what is not a number, which JSON cannot hold.
    public static func double(_ value: Double) -> RecordValue? {
        RecordNumber(value).map { .number($0) }
    }

    /// Whether it is JSON's `null`.
    public var isNull: Bool { self == .null }

    /// The string, when it is one.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number, when it is one.
    public var number: RecordNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The truth value, when it is one.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, when it is an array.
    public var array: [RecordValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The object, when it is one.
    public var object: RecordObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// What JSON calls a value of this kind.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .string: "a string"
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
        self = .number(RecordNumber(integerLiteral: value))
    }

    /// Creates a number.
    public init(floatLiteral value: Double) {
        self = .number(RecordNumber(floatLiteral: value))
    }

    /// Creates a truth value.
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
        self = .object(RecordObject(elements.map { RecordObject.Property(name: $0.0, value: $0.1) }))
    }
}
