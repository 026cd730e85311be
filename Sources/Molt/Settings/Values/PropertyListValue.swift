public import Foundation

/// A value that a suite can hold: a property list, in the same form on every platform.
///
/// ```swift
/// try Suite.standard.set(["name": "Ada", "year": 1815], forKey: "person")
/// ```
///
/// `UserDefaults` returns other representations, see ``init(normalizing:)``. Two values are equal if a suite returns
/// the same value for both; NaN equals itself.
public indirect enum PropertyListValue: Sendable {
    /// A Boolean; never the number 0 or 1.
    case bool(Bool)
    /// An integer.
    case int(Int64)
    /// An integer above `Int64.max`; smaller ones are always ``int(_:)``.
    case unsigned(UInt64)
    /// Any other number.
    case double(Double)
    /// A string.
    case string(String)
    /// A date; Linux stores only whole seconds.
    case date(Date)
    /// Data.
    case data(Data)
    /// An array.
    case array([PropertyListValue])
    /// A dictionary.
    case dictionary([String: PropertyListValue])

    /// Creates an integer; nil if it needs more than 64 bits.
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
    /// The Boolean; nil for other kinds.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The integer, if it is at most `Int64.max`; nil for other kinds.
    public var int: Int64? {
        if case .int(let int) = self { int } else { nil }
    }

    /// The integer, if it is not negative; nil for other kinds.
    public var unsigned: UInt64? {
        switch self {
        case .int(let int): UInt64(exactly: int)
        case .unsigned(let unsigned): unsigned
        default: nil
        }
    }

    /// The floating-point number; nil for integers and other kinds.
    public var double: Double? {
        if case .double(let double) = self { double } else { nil }
    }

    /// The string; nil for other kinds.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The date; nil for other kinds.
    public var date: Date? {
        if case .date(let date) = self { date } else { nil }
    }

    /// The data; nil for other kinds.
    public var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    /// The elements of an array; nil for other kinds.
    public var array: [PropertyListValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The values of a dictionary by key; nil for other kinds.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }
}

extension PropertyListValue {
    /// The kind of the value, for messages.
    var kindName: String {
        switch self {
        case .bool: "a Boolean"
        case .int, .unsigned: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension PropertyListValue {
    /// The approximate size in bytes: strings, data and keys as they are, and 8 for each Boolean, number and date.
    var byteCount: Int {
        switch self {
        case .bool, .int, .unsigned, .double, .date: 8
        case .string(let string): string.utf8.count
        case .data(let data): data.count
        case .array(let elements): elements.reduce(0) { $0 + $1.byteCount }
        case .dictionary(let values): values.reduce(0) { $0 + $1.key.utf8.count + $1.value.byteCount }
        }
    }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension PropertyListValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int64) {
        self = .int(value)
    }

    /// Creates a floating-point number.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }

    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension PropertyListValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: PropertyListValue...) {
        self = .array(elements)
    }

    /// Creates a dictionary; the last value of a duplicate key wins.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self = .dictionary(Dictionary(elements) { $1 })
    }
}

extension PropertyListValue: CustomStringConvertible {
    /// The value as in source code; dates as text, and data by its size.
    public var description: String {
        switch self {
        case .bool(let bool): "\(bool)"
        case .int(let int): "\(int)"
        case .unsigned(let unsigned): "\(unsigned)"
        case .double(let double): "\(double)"
        case .string(let string): string.debugDescription
        case .date(let date): DisplayText.time(date)
        case .data(let data): "data, \(data.count) B"
        case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
        case .dictionary(let values): "[\(values.isEmpty ? ":" : Self.members(values))]"
        }
    }

    private static func members(_ values: [String: PropertyListValue]) -> String {
        values.sortedByKey.map { "\($0.key.debugDescription): \($0.value)" }.joined(separator: ", ")
    }
}
