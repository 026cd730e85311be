public import Foundation

/// Stores an integer of up to 64 bits exactly.
struct DefaultsIntegerBridge<Value: FixedWidthInteger>: DefaultsBridge {
    func encode(_ value: Value) throws -> PropertyListValue? {
        guard let number = PropertyListValue(exactly: value) else {
            throw DefaultsError.unstorable(
                "The number needs more than 64 bits, which a suite cannot hold. Store it as a string."
            )
        }
        return number
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
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

    var form: DefaultsForm? {
        .integer(Value.self)
    }
}

extension DefaultsSerializable where Self: FixedWidthInteger & Codable {
    /// Stores an integer.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
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

/// Stores a floating-point number.
struct DefaultsFloatingPointBridge<Value: BinaryFloatingPoint>: DefaultsBridge {
    /// Encodes the number in double precision, which represents every `Float` and `CGFloat` exactly.
    func encode(_ value: Value) throws -> PropertyListValue? {
        .double(Double(value))
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
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

    var form: DefaultsForm? {
        Value.self == Float.self ? .float : .double
    }
}

extension DefaultsSerializable where Self: BinaryFloatingPoint & Codable {
    /// Stores a floating-point number.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsFloatingPointBridge()
    }
}

extension Float: DefaultsSerializable {}
extension Double: DefaultsSerializable {}
extension CGFloat: DefaultsSerializable {}

/// Stores a value unchanged, or as one string.
struct DefaultsScalarBridge<Value>: DefaultsBridge {
    private let scalarForm: DefaultsForm
    private let name: String
    private let stored: @Sendable (Value) throws -> PropertyListValue
    private let value: @Sendable (PropertyListValue) -> Value?

    /// - Parameter name: The description of the value in messages, such as "a date".
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

    func encode(_ value: Value) throws -> PropertyListValue? {
        try stored(value)
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        guard let value = value(stored) else { throw DefaultsError.mismatch(name) }
        return value
    }

    var form: DefaultsForm? {
        scalarForm
    }
}

/// Stores the raw value.
struct DefaultsRawRepresentableBridge<Value: RawRepresentable & SendableMetatype>: DefaultsBridge
where Value.RawValue: DefaultsSerializable {
    func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.RawValue.encode(value.rawValue)
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        guard let value = try Value(rawValue: Value.RawValue.decoded(from: stored)) else {
            throw DefaultsError.mismatch("a raw value of \(Value.self)")
        }
        return value
    }

    var form: DefaultsForm? {
        .rawValue(Value.self)
    }
}

/// Stores the wrapped value, or nothing for nil.
struct DefaultsOptionalBridge<Wrapped: DefaultsSerializable>: DefaultsBridge {
    func encode(_ value: Wrapped?) throws -> PropertyListValue? {
        try value.flatMap { try Wrapped.encode($0) }
    }

    func decode(_ stored: PropertyListValue) throws -> Wrapped? {
        try Wrapped.decoded(from: stored)
    }

    var form: DefaultsForm? {
        Wrapped.defaultsForm
    }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// Stores the wrapped value, or nothing for nil.
    public static var bridge: some DefaultsBridge<Wrapped?, PropertyListValue> {
        DefaultsOptionalBridge()
    }
}
