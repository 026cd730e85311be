public import Foundation

/// A type whose values can be stored in a suite.
///
/// Most types only need to declare the conformance:
///
/// | Type | Stored as |
/// |---|---|
/// | `Codable` | `.json`: JSON text in the default format of `JSONEncoder` |
/// | `RawRepresentable` | `.rawValue`: the raw value |
/// | both | `.json`; raw values are read too |
/// | an `NSObject` with `NSSecureCoding` | `.keyedArchive`: `Data` of a secure keyed archive |
///
/// For any other form, declare the coding, which also holds for the type inside arrays, sets and dictionaries:
///
/// ```swift
/// enum Season: String, Codable, SettingValue {
///     case summer, winter
///
///     static var settingCoding: SettingCoding<Self> { .rawValue }
/// }
/// ```
public protocol SettingValue: SendableMetatype {
    /// The type that the coding is for: this one, or the superclass that a class has its coding from.
    associatedtype SettingCoded = Self

    /// How values of this type are stored, unless their key says otherwise.
    static var settingCoding: SettingCoding<SettingCoded> { get }
}

extension SettingValue where Self: Codable {
    /// Stores JSON text.
    public static var settingCoding: SettingCoding<Self> { .json }
}

extension SettingValue where Self: RawRepresentable, RawValue: SettingValue {
    /// Stores the raw value.
    public static var settingCoding: SettingCoding<Self> { .rawValue }
}

extension SettingValue where Self: RawRepresentable & Codable, RawValue: SettingValue {
    /// Stores JSON text; a raw value is read too, because `@AppStorage` and most apps write it.
    public static var settingCoding: SettingCoding<Self> { .json }
}

extension SettingValue where Self: NSObject & NSSecureCoding {
    /// Stores a secure keyed archive.
    public static var settingCoding: SettingCoding<Self> { .keyedArchive }
}

extension SettingValue {
    /// The coding as one for this type.
    ///
    /// The protocol does not require that `SettingCoded` is `Self`, because classes that can be subclassed, such as
    /// those of colors, could not conform then. A subclass is archived as its superclass, and read if it is one.
    static var coding: SettingCoding<Self> {
        let coding = settingCoding
        if let coding = coding as? SettingCoding<Self> { return coding }
        return SettingCoding(makeForm: coding.makeForm) { value in
            guard let value = value as? SettingCoded else { throw unfittingCoding }
            return try coding.encode(value)
        } decoder: { stored in
            guard let value = try coding.decode(stored) as? Self else { throw unfittingCoding }
            return value
        }
    }

    private static var unfittingCoding: MoltError {
        MoltError(
            .typeMismatch,
            "The coding of \(Self.self) is for another type.",
            advice: "Declare a SettingCoding<\(Self.self)>."
        )
    }
}
