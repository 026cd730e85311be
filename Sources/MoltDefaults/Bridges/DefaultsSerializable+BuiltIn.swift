public import Foundation

extension Bool: DefaultsSerializable {
    /// Stores a Boolean; the numbers 0 and 1 are read too, because launch arguments and tools write them.
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
    /// Stores the string unchanged.
    public static var bridge: some DefaultsBridge<String, PropertyListValue> {
        DefaultsScalarBridge(.string, "a string", stored: PropertyListValue.string, value: \.string)
    }
}

extension Date: DefaultsSerializable {
    /// Stores the date; Linux rounds it down to whole seconds.
    public static var bridge: some DefaultsBridge<Date, PropertyListValue> {
        DefaultsScalarBridge(.date, "a date", stored: PropertyListValue.date, value: \.date)
    }
}

extension Data: DefaultsSerializable {
    /// Stores the bytes unchanged.
    ///
    /// Read archives of classes without `NSSecureCoding` as `Data`: decoding them from a suite is not safe, so it is
    /// left to the app.
    public static var bridge: some DefaultsBridge<Data, PropertyListValue> {
        DefaultsScalarBridge(.data, "data", stored: PropertyListValue.data, value: \.data)
    }
}

extension UUID: DefaultsSerializable {
    /// Stores the string without quotes, as Defaults does since 6.2; the quoted one of earlier releases is read too.
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
    /// Stores JSON text, as every release of Defaults does.
    public static var bridge: some DefaultsBridge<URL, PropertyListValue> {
        DefaultsScalarBridge(.url, "JSON text of a URL", stored: DefaultsJSON.text) { stored in
            // The bridge throws its own mismatch error for nil.
            try? DefaultsJSON.value(of: stored)
        }
    }
}

extension Decimal: DefaultsSerializable {
    /// Stores JSON text, as every release of Defaults does.
    public static var bridge: some DefaultsBridge<Decimal, PropertyListValue> {
        DefaultsScalarBridge(.decimal, "JSON text of a number", stored: DefaultsJSON.text) { stored in
            // The bridge throws its own mismatch error for nil.
            try? DefaultsJSON.value(of: stored)
        }
    }
}

extension PropertyListValue: DefaultsSerializable {
    /// Stores the value unchanged.
    public static var bridge: some DefaultsBridge<PropertyListValue, PropertyListValue> {
        DefaultsScalarBridge(.any, "a value", stored: { $0 }, value: { $0 })
    }
}

/// A type whose values are stored natively now, and were stored as JSON text of a Codable type before.
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
    /// The former Codable type.
    associatedtype CodableForm: DefaultsCodableType where CodableForm.NativeForm == Self
}

/// The former Codable type of a ``DefaultsNativeType``.
public protocol DefaultsCodableType: Codable, SendableMetatype {
    /// The type that the app uses now.
    associatedtype NativeForm

    /// Converts the value to the type that the app uses now.
    ///
    /// There is a default implementation if both types have raw values of the same type.
    func toNative() throws -> NativeForm
}

extension DefaultsCodableType
where Self: RawRepresentable, NativeForm: RawRepresentable, RawValue == NativeForm.RawValue {
    /// Returns the native value with the same raw value.
    ///
    /// - Throws: ``DefaultsError`` with the code `typeMismatch` if there is none.
    public func toNative() throws -> NativeForm {
        guard let native = NativeForm(rawValue: rawValue) else {
            throw DefaultsError.mismatch("a raw value of \(NativeForm.self)")
        }
        return native
    }
}

extension DefaultsNativeType {
    /// The native form, converted from JSON text of the former Codable type.
    static var formerlyCodable: DefaultsForm {
        native { json in
            try encodeInside(DefaultsJSON.decode(CodableForm.self, from: json).toNative())
        }
    }
}
