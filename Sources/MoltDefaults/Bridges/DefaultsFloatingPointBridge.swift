public import Foundation

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
