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
