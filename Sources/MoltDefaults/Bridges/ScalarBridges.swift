public import Foundation

/// A whole number, exact in every width.
public struct DefaultsIntegerBridge<Value: FixedWidthInteger>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The number.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        guard let number = PropertyListValue(exactly: value) else {
            throw DefaultsError.unstorable("The number is beyond 64 bits, which no suite can hold. Store it as a text.")
        }
        return number
    }

    /// The number, when it is within the type's limits.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        let number: Value? =
            switch stored {
            case .int(let number): Value(exactly: number)
            case .unsigned(let number): Value(exactly: number)
            case .double(let number): Value(exactly: number)
            default: nil
            }
        guard let number else {
            throw DefaultsError.mismatch("an integer that fits \(Value.self)")
        }
        return number
    }

    /// A whole number within the type's limits.
    public var form: DefaultsForm? {
        .integer(Value.self)
    }
}

extension DefaultsSerializable where Self: FixedWidthInteger & Codable {
    /// A whole number.
    public static var bridge: DefaultsIntegerBridge<Self> {
        DefaultsIntegerBridge()
    }
}

extension Int: DefaultsSerializable {}
extension Int8: DefaultsSerializable {}
extension Int16: DefaultsSerializable {}
extension Int32: DefaultsSerializable {}
extension Int64: DefaultsSerializable {}
extension UInt: DefaultsSerializable {}
extension UInt8: DefaultsSerializable {}
extension UInt16: DefaultsSerializable {}
extension UInt32: DefaultsSerializable {}
extension UInt64: DefaultsSerializable {}

/// A number with a fraction.
public struct DefaultsFloatingPointBridge<Value: BinaryFloatingPoint>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The number in double precision, which has every `Float` and `CGFloat` exactly.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        .double(Double(value))
    }

    /// The nearest number of the type.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        let number: Value? =
            switch stored {
            case .double(let number): Value(number).isInfinite && number.isFinite ? nil : Value(number)
            case .int(let number): Value(number)
            case .unsigned(let number): Value(number)
            default: nil
            }
        guard let number else { throw DefaultsError.mismatch("a number that \(Value.self) can hold") }
        return number
    }

    /// A number in the type's precision.
    public var form: DefaultsForm? {
        Value.self == Float.self ? .float : .double
    }
}

extension DefaultsSerializable where Self: BinaryFloatingPoint & Codable {
    /// A number.
    public static var bridge: DefaultsFloatingPointBridge<Self> {
        DefaultsFloatingPointBridge()
    }
}

extension Float: DefaultsSerializable {}
extension Double: DefaultsSerializable {}
extension CGFloat: DefaultsSerializable {}

/// A value that a suite holds as it is, or as one text.
public struct DefaultsScalarBridge<Value>: DefaultsValueBridge {
    private let scalarForm: DefaultsForm
    private let name: String
    private let stored: @Sendable (Value) throws -> PropertyListValue
    private let value: @Sendable (PropertyListValue) -> Value?

    /// - Parameter name: What the value is, for messages: "a date".
    init(
        _ form: DefaultsForm,
        _ name: String,
        stored: @escaping @Sendable (Value) throws -> PropertyListValue,
        value: @escaping @Sendable (PropertyListValue) -> Value?
    ) {
        scalarForm = form
        self.name = name
        self.stored = stored
        self.value = value
    }

    /// What is stored for the value.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try stored(value)
    }

    /// The value.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard let value = value(stored) else { throw DefaultsError.mismatch(name) }
        return value
    }

    /// The form of the scalar.
    public var form: DefaultsForm? {
        scalarForm
    }
}

/// The raw value.
public struct DefaultsRawRepresentableBridge<Value: RawRepresentable & SendableMetatype>: DefaultsValueBridge
where Value.RawValue: DefaultsSerializable {
    /// Creates the bridge.
    public init() {}

    /// The raw value.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.RawValue.encode(value.rawValue)
    }

    /// The value with the raw value.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard let value = try Value(rawValue: Value.RawValue.decoded(from: stored)) else {
            throw DefaultsError.mismatch("a raw value of \(Value.self)")
        }
        return value
    }

    /// A raw value of the type.
    public var form: DefaultsForm? {
        .rawValue(Value.self)
    }
}

/// A value that may be absent: nil has nothing stored.
public struct DefaultsOptionalBridge<Wrapped: DefaultsSerializable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// What is stored for the value; nil for nil.
    public func encode(_ value: Wrapped?) throws -> PropertyListValue? {
        try value.flatMap { try Wrapped.encode($0) }
    }

    /// The value.
    public func decode(_ stored: PropertyListValue) throws -> Wrapped? {
        try Wrapped.decoded(from: stored)
    }

    /// The form of the value.
    public var form: DefaultsForm? {
        Wrapped.defaultsForm
    }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// The form of the value; nothing for nil.
    public static var bridge: DefaultsOptionalBridge<Wrapped> {
        DefaultsOptionalBridge()
    }
}
