public import Foundation

/// A whole number, exact in every width.
public struct DefaultsIntegerBridge<Value: FixedWidthInteger>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The number.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        if let number = Int64(exactly: value) {
            return .int(number)
        }
        guard let number = UInt64(exactly: value) else {
            throw DefaultsBridgeError("is not a whole number from \(Int64.min) to \(UInt64.max)")
        }
        return .unsigned(number)
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
            throw DefaultsBridgeError("is not a whole number from \(Value.min) to \(Value.max)")
        }
        return number
    }

    /// A whole number within the type's limits.
    public var form: DefaultsForm? {
        .integer(Value.self)
    }
}

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
        guard let number else { throw DefaultsBridgeError("is not a number that \(Value.self) can hold") }
        return number
    }

    /// A number in the type's precision.
    public var form: DefaultsForm? {
        Value.self == Float.self ? .float : .double
    }
}

extension DefaultsSerializable where Self: FixedWidthInteger & Codable {
    /// A whole number.
    public static var bridge: DefaultsIntegerBridge<Self> {
        DefaultsIntegerBridge()
    }
}

extension DefaultsSerializable where Self: BinaryFloatingPoint & Codable {
    /// A number.
    public static var bridge: DefaultsFloatingPointBridge<Self> {
        DefaultsFloatingPointBridge()
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
extension Float: DefaultsSerializable {}
extension Double: DefaultsSerializable {}
extension CGFloat: DefaultsSerializable {}
