public import Foundation

extension DefaultsSerializable where Self: FixedWidthInteger & Codable {
    /// Stores an integer of up to 64 bits exactly.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        BuiltInBridge<Self>(.integer(Self.self), "an integer that fits \(Self.self)") { value in
            if let number = PropertyListValue(exactly: value) { return number }
            let fault = "The number needs more than 64 bits, which a suite cannot hold. Store it as a string."
            throw MoltError(.cannotStore, fault)
        } decode: { stored in
            switch stored {
            case .int(let number): Self(exactly: number)
            case .unsigned(let number): Self(exactly: number)
            case .double(let number): Self(exactly: number)
            default: nil
            }
        }
    }
}

extension Int: DefaultsSerializable, DefaultsDictionaryKey {}
extension Int8: DefaultsSerializable, DefaultsDictionaryKey {}
extension Int16: DefaultsSerializable, DefaultsDictionaryKey {}
extension Int32: DefaultsSerializable, DefaultsDictionaryKey {}
extension Int64: DefaultsSerializable, DefaultsDictionaryKey {}
extension UInt: DefaultsSerializable, DefaultsDictionaryKey {}
extension UInt8: DefaultsSerializable, DefaultsDictionaryKey {}
extension UInt16: DefaultsSerializable, DefaultsDictionaryKey {}
extension UInt32: DefaultsSerializable, DefaultsDictionaryKey {}
extension UInt64: DefaultsSerializable, DefaultsDictionaryKey {}

extension DefaultsSerializable where Self: BinaryFloatingPoint & Codable {
    /// Stores a number in double precision, which represents every `Float` and `CGFloat` exactly.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        let form = Self.self == Float.self ? DefaultsForm.float : .double
        return BuiltInBridge<Self>(form, "a number that \(Self.self) can hold") {
            .double(Double($0))
        } decode: { stored in
            switch stored {
            case .double(let number): Self(number).isInfinite && number.isFinite ? nil : Self(number)
            case .int(let number): Self(number)
            case .unsigned(let number): Self(number)
            default: nil
            }
        }
    }
}

extension Float: DefaultsSerializable {}
extension Double: DefaultsSerializable, DefaultsDictionaryKey {}
extension CGFloat: DefaultsSerializable {}

extension Bool: DefaultsSerializable, DefaultsDictionaryKey {
    /// Stores a Boolean; the numbers 0 and 1 are read too, because launch arguments and tools write them.
    public static var bridge: some DefaultsBridge<Bool, PropertyListValue> {
        BuiltInBridge<Bool>(.bool, "a Boolean") {
            .bool($0)
        } decode: { stored in
            switch stored {
            case .bool(let value): value
            case .int(0): false
            case .int(1): true
            default: nil
            }
        }
    }
}

extension String: DefaultsSerializable, DefaultsDictionaryKey {
    /// Stores the string unchanged.
    public static var bridge: some DefaultsBridge<String, PropertyListValue> {
        BuiltInBridge<String>(.string, "a string", encode: { .string($0) }, decode: { $0.string })
    }
}

extension Date: DefaultsSerializable {
    /// Stores the date; Linux rounds it down to whole seconds.
    public static var bridge: some DefaultsBridge<Date, PropertyListValue> {
        BuiltInBridge<Date>(.date, "a date", encode: { .date($0) }, decode: { $0.date })
    }
}

extension Data: DefaultsSerializable {
    /// Stores the bytes unchanged.
    ///
    /// Read archives of classes without `NSSecureCoding` as `Data`: decoding them from a suite is not safe, so it is
    /// left to the app.
    public static var bridge: some DefaultsBridge<Data, PropertyListValue> {
        BuiltInBridge<Data>(.data, "data", encode: { .data($0) }, decode: { $0.data })
    }
}

extension UUID: DefaultsSerializable, DefaultsDictionaryKey {
    /// Stores the string without quotes, as Defaults does since 6.2; the quoted one of earlier releases is read too.
    public static var bridge: some DefaultsBridge<UUID, PropertyListValue> {
        BuiltInBridge<UUID>(.uuid, "the text of a UUID") {
            .string($0.uuidString)
        } decode: { stored in
            guard let text = stored.string else { return nil }
            let isQuoted = text.hasPrefix("\"") && text.hasSuffix("\"")
            return UUID(uuidString: isQuoted ? String(text.dropFirst().dropLast()) : text)
        }
    }

    /// The UUID string, in upper case with dashes.
    public var defaultsKey: String { uuidString }

    /// Creates a UUID from its string.
    public init?(defaultsKey: String) { self.init(uuidString: defaultsKey) }
}

extension URL: DefaultsSerializable {
    /// JSON text of a URL, as every release of Defaults stores it.
    public static var defaultsForm: DefaultsForm { .url }
}

extension Decimal: DefaultsSerializable {
    /// JSON text of a number, as every release of Defaults stores it.
    public static var defaultsForm: DefaultsForm { .decimal }
}

extension PropertyListValue: DefaultsSerializable {
    /// Stores the value unchanged; it is never converted.
    public static var bridge: some DefaultsBridge<PropertyListValue, PropertyListValue> {
        BuiltInBridge<PropertyListValue>(
            makeForm: { native { _ in throw NoCodableForm(type: "PropertyListValue") } },
            encoder: { $0 },
            decoder: { $0 }
        )
    }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// Stores the wrapped value, or nothing for nil.
    public static var bridge: some DefaultsBridge<Wrapped?, PropertyListValue> {
        BuiltInBridge<Wrapped?>(
            makeForm: { Wrapped.defaultsForm },
            encoder: { try $0.flatMap { try Wrapped.encode($0) } },
            decoder: { try Wrapped.decoded(from: $0) }
        )
    }
}
