public import Foundation

/// What a suite can hold under a key: a property list, in one form on every platform.
///
/// ```swift
/// try Suite.standard.set(["name": "Ada", "year": 1815], forKey: "person")
/// ```
///
/// `UserDefaults` itself hands out other forms of the same: see ``init(normalizing:)``.
/// Two values are equal when a suite gives back the same for both: a number that is not one equals itself.
public indirect enum PropertyListValue: Sendable {
    /// A truth value; never the number 0 or 1.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// A whole number above `Int64.max`; smaller ones are always an ``int(_:)``.
    case unsigned(UInt64)
    /// Any other number.
    case double(Double)
    /// A text.
    case string(String)
    /// A date. Linux keeps whole seconds only.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// Values in order.
    case array([PropertyListValue])
    /// Values by name.
    case dictionary([String: PropertyListValue])

    /// Creates a whole number; nil when it is beyond 64 bits.
    public init?(exactly number: some BinaryInteger) {
        if let small = Int64(exactly: number) {
            self = .int(small)
        } else if let large = UInt64(exactly: number) {
            self = .unsigned(large)
        } else {
            return nil
        }
    }
}

extension PropertyListValue {
    /// The truth value, when it is one.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The whole number, when it is one of at most `Int64.max`.
    public var int: Int64? {
        if case .int(let int) = self { int } else { nil }
    }

    /// The whole number, when it is one that is not negative.
    public var unsigned: UInt64? {
        switch self {
        case .int(let int): UInt64(exactly: int)
        case .unsigned(let unsigned): unsigned
        default: nil
        }
    }

    /// The number, when it is one that is not kept as a whole number.
    public var double: Double? {
        if case .double(let double) = self { double } else { nil }
    }

    /// The text, when it is one.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The date, when it is one.
    public var date: Date? {
        if case .date(let date) = self { date } else { nil }
    }

    /// The bytes, when it is data.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// The elements, when it is an array.
    public var array: [PropertyListValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The values by name, when it is a dictionary.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a text.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension PropertyListValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
    /// Creates a whole number.
    public init(integerLiteral value: Int64) {
        self = .int(value)
    }

    /// Creates a number that is not kept as a whole number.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }

    /// Creates a truth value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension PropertyListValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: PropertyListValue...) {
        self = .array(elements)
    }

    /// Creates a dictionary; of two values with one name, the last one stays.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}
