public import Foundation

/// A type whose values can stand under a key of a suite.
///
/// Most types only need to say so:
///
/// | type | stands in the suite as |
/// |---|---|
/// | `Codable` | JSON text, the default `JSONEncoder`'s |
/// | `RawRepresentable` | its raw value |
/// | both | JSON text, and its raw value is read as well; its raw value with ``DefaultsPreferRawRepresentable`` |
/// | an `NSObject` with `NSSecureCoding` | `Data`, a secure keyed archive |
/// | a ``DefaultsCollectionSerializable`` or ``DefaultsSetAlgebraSerializable`` | an array of its elements' forms |
///
/// ```swift
/// enum Period: String, Codable, DefaultsSerializable {
///     case tenMinutes = "10 Minutes"
///     case oneHour = "1 Hour"
/// }
/// ```
///
/// For any other form give the type a ``bridge`` of its own, and its arrays an ``arrayBridge``.
public protocol DefaultsSerializable: SendableMetatype {
    /// Turns values of the type into what a suite can hold; its `Value` is the type itself.
    associatedtype Bridge: DefaultsBridge
    /// Does the same for arrays of the type; its `Value` is `[Self]`.
    associatedtype ArrayBridge: DefaultsBridge = DefaultsArrayBridge<Self>

    /// Turns values of the type into what a suite can hold.
    static var bridge: Bridge { get }
    /// Turns arrays of the type into what a suite can hold; unless a type says otherwise, an array of its own form.
    static var arrayBridge: ArrayBridge { get }
    /// How values of the type stand in a suite; unless a type says otherwise, what its bridge says.
    static var defaultsForm: DefaultsForm { get }
}

/// A type that is both `Codable` and `RawRepresentable`, and stands in a suite as its raw value.
///
/// ```swift
/// enum Theme: String, Codable, DefaultsSerializable, DefaultsPreferRawRepresentable { case light, dark }
/// ```
public protocol DefaultsPreferRawRepresentable: RawRepresentable {}

extension DefaultsSerializable {
    /// An array of the form that one value has.
    public static var arrayBridge: DefaultsArrayBridge<Self> {
        DefaultsArrayBridge()
    }
}

extension DefaultsSerializable where Self: Codable {
    /// JSON text.
    public static var bridge: DefaultsCodableBridge<Self> {
        DefaultsCodableBridge()
    }
}

extension DefaultsSerializable where Self: RawRepresentable, RawValue: DefaultsSerializable {
    /// The raw value.
    public static var bridge: DefaultsRawRepresentableBridge<Self> {
        DefaultsRawRepresentableBridge()
    }
}

extension DefaultsSerializable where Self: RawRepresentable & Codable, RawValue: DefaultsSerializable {
    /// JSON text.
    public static var bridge: DefaultsCodableBridge<Self> {
        DefaultsCodableBridge()
    }
}

extension DefaultsSerializable where Self: DefaultsPreferRawRepresentable & Codable, RawValue: DefaultsSerializable {
    /// The raw value.
    public static var bridge: DefaultsRawRepresentableBridge<Self> {
        DefaultsRawRepresentableBridge()
    }
}

extension DefaultsSerializable where Self: NSObject & NSSecureCoding {
    /// A secure keyed archive.
    public static var bridge: DefaultsKeyedArchiveBridge<Self> {
        DefaultsKeyedArchiveBridge()
    }
}
