public import Foundation

extension Bool: DefaultsSerializable {
    /// A Boolean; the numbers 0 and 1 are read too, because launch arguments and tools write them.
    public static var bridge: some DefaultsBridge<Bool, PropertyListValue> {
        DefaultsScalarBridge(.bool, "a Boolean", stored: PropertyListValue.bool) { stored in
            switch stored {
            case .bool(let value): value
            case .int(0): false
            case .int(1): true
            default: nil
            }
        }
    }
}

extension String: DefaultsSerializable {
    /// The string itself.
    public static var bridge: some DefaultsBridge<String, PropertyListValue> {
        DefaultsScalarBridge(.string, "a string", stored: PropertyListValue.string, value: \.string)
    }
}

extension Date: DefaultsSerializable {
    /// The date itself; Linux keeps whole seconds only.
    public static var bridge: some DefaultsBridge<Date, PropertyListValue> {
        DefaultsScalarBridge(.date, "a date", stored: PropertyListValue.date, value: \.date)
    }
}

extension Data: DefaultsSerializable {
    /// The bytes themselves.
    ///
    /// An archive of a class without `NSSecureCoding` is read this way: decoding one that a suite holds is not safe,
    /// so it is left to the app.
    public static var bridge: some DefaultsBridge<Data, PropertyListValue> {
        DefaultsScalarBridge(.data, "data", stored: PropertyListValue.data, value: \.data)
    }
}

extension UUID: DefaultsSerializable {
    /// The text without quotes, as Defaults writes it since 6.2; that of earlier ones, with quotes, is read too.
    public static var bridge: some DefaultsBridge<UUID, PropertyListValue> {
        DefaultsScalarBridge(.uuid, "the text of a UUID", stored: { .string($0.uuidString) }, value: uuid)
    }

    @Sendable
    private static func uuid(of stored: PropertyListValue) -> UUID? {
        guard let text = stored.string else { return nil }
        if let uuid = UUID(uuidString: text) { return uuid }
        guard text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
        return UUID(uuidString: String(text.dropFirst().dropLast()))
    }
}

extension URL: DefaultsSerializable {
    /// JSON text, as every version of Defaults writes it.
    public static var bridge: some DefaultsBridge<URL, PropertyListValue> {
        DefaultsScalarBridge(.url, "JSON text of a URL", stored: DefaultsJSON.text) { stored in
            // nil is a mismatch, which the bridge throws with words of its own.
            try? DefaultsJSON.value(of: stored)
        }
    }
}

extension Decimal: DefaultsSerializable {
    /// JSON text, as every version of Defaults writes it.
    public static var bridge: some DefaultsBridge<Decimal, PropertyListValue> {
        DefaultsScalarBridge(.decimal, "JSON text of a number", stored: DefaultsJSON.text) { stored in
            // nil is a mismatch, which the bridge throws with words of its own.
            try? DefaultsJSON.value(of: stored)
        }
    }
}

extension PropertyListValue: DefaultsSerializable {
    /// The value itself.
    public static var bridge: some DefaultsBridge<PropertyListValue, PropertyListValue> {
        DefaultsScalarBridge(.any, "a value", stored: { $0 }, value: { $0 })
    }
}

/// A type whose values stand natively in a suite today, and stood there as JSON text of a Codable form before.
///
/// It lets `defaultsV4ToV5` convert a struct into a dictionary, or an enum into its raw value:
///
/// ```swift
/// enum Period: String {
///     case tenMinutes = "10 Minutes"
///     case oneHour = "1 Hour"
/// }
///
/// extension Period: DefaultsNativeType {
///     typealias CodableForm = CodablePeriod
/// }
///
/// enum CodablePeriod: String {
///     case tenMinutes = "10 Minutes"
///     case oneHour = "1 Hour"
/// }
///
/// extension CodablePeriod: DefaultsCodableType {
///     typealias NativeForm = Period
/// }
/// ```
public protocol DefaultsNativeType: DefaultsSerializable {
    /// The form that the values had before.
    associatedtype CodableForm: DefaultsCodableType where CodableForm.NativeForm == Self
}

/// The Codable form that values of a ``DefaultsNativeType`` had before.
public protocol DefaultsCodableType: Codable, SendableMetatype {
    /// The type that the app uses today.
    associatedtype NativeForm

    /// The same value in the type that the app uses today.
    ///
    /// Comes by itself when both types have raw values of one type.
    func toNative() throws -> NativeForm
}

extension DefaultsCodableType
where Self: RawRepresentable, NativeForm: RawRepresentable, RawValue == NativeForm.RawValue {
    /// The value with the same raw value.
    ///
    /// - Throws: ``DefaultsError`` when the native type has none.
    public func toNative() throws -> NativeForm {
        guard let native = NativeForm(rawValue: rawValue) else {
            throw DefaultsError.mismatch("a raw value of \(NativeForm.self)")
        }
        return native
    }
}

extension DefaultsNativeType {
    /// The native form, made from JSON text of the Codable one.
    static var formerlyCodable: DefaultsForm {
        native { json in
            try encodeInside(DefaultsJSON.decode(CodableForm.self, from: json).toNative())
        }
    }
}
