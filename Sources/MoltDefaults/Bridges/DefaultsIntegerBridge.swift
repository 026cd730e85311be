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
