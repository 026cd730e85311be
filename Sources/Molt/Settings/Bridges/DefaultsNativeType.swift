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
///
/// If the cases have changed, declare `toNative()`. A struct declares it, too, and a bridge that makes the dictionary:
///
/// ```swift
/// struct TimeZoneV1: DefaultsCodableType {
///     var id, name: String
///
///     func toNative() -> TimeZoneV2 { TimeZoneV2(id: id, name: name) }
/// }
///
/// struct TimeZoneV2: DefaultsNativeType {
///     typealias CodableForm = TimeZoneV1
///
///     var id, name: String
///
///     static var bridge: TimeZoneBridge { TimeZoneBridge() }  // a `DefaultsBridge` to [String: String]
/// }
///
/// let key = DefaultsKeys.key("zones", .array(of: .native(from: TimeZoneV1.self)))
/// ```
///
/// These types are for the migration alone. Give the app's own type such a bridge as well, to read the dictionary.
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
