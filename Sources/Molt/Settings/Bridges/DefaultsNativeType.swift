/// A type whose values are stored natively now, and were stored as JSON text of a Codable type before.
///
/// It lets `defaultsV4ToV5` convert a struct into a dictionary, or an enum into its raw value:
///
/// ```swift
/// enum Period: String, DefaultsNativeType {
///     case tenMinutes = "10 Minutes"
///     typealias CodableForm = CodablePeriod
/// }
///
/// enum CodablePeriod: String, DefaultsCodableType {
///     case tenMinutes = "10 Minutes"
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
    /// - Throws: ``MoltError`` with the code `typeMismatch` if there is none.
    public func toNative() throws -> NativeForm {
        guard let native = NativeForm(rawValue: rawValue) else {
            throw MoltError.mismatch("a raw value of \(NativeForm.self)")
        }
        return native
    }
}

extension DefaultsNativeType {
    /// The native form, converted from JSON text of the former Codable type.
    public static var defaultsForm: DefaultsForm { .native(from: CodableForm.self) }
}
