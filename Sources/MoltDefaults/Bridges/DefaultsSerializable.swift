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
/// A type that fits two rows names one of them:
///
/// ```swift
/// struct Weekdays: OptionSet, DefaultsSetAlgebraSerializable {
///     static var bridge: some DefaultsBridge<Weekdays, PropertyListValue> { rawValueBridge }
///
///     var rawValue: Int
///     func toArray() -> [Weekdays] { [self] }
/// }
/// ```
///
/// For any other form give the type a ``bridge`` of its own, and its arrays an ``arrayBridge``.
public protocol DefaultsSerializable: SendableMetatype {
    /// Turns values of the type into what a suite can hold; its `Value` is the type itself.
    associatedtype Bridge: DefaultsBridge
    /// Does the same for arrays of the type; its `Value` is `[Self]`.
    associatedtype ArrayBridge: DefaultsBridge

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
    /// JSON text, for the ``bridge`` of a type that could stand otherwise, too.
    public static var jsonBridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCodableBridge()
    }

    /// JSON text.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCodableBridge()
    }
}

extension DefaultsSerializable where Self: RawRepresentable, RawValue: DefaultsSerializable {
    /// The raw value, for the ``bridge`` of a type that could stand otherwise, too.
    public static var rawValueBridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsRawRepresentableBridge()
    }

    /// The raw value.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsRawRepresentableBridge()
    }
}

extension DefaultsSerializable where Self: RawRepresentable & Codable, RawValue: DefaultsSerializable {
    /// JSON text.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsCodableBridge()
    }
}

extension DefaultsSerializable where Self: DefaultsPreferRawRepresentable & Codable, RawValue: DefaultsSerializable {
    /// The raw value.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsRawRepresentableBridge()
    }
}

extension DefaultsSerializable where Self: NSObject & NSSecureCoding {
    /// A secure keyed archive, for the ``bridge`` of a type that could stand otherwise, too.
    public static var keyedArchiveBridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsKeyedArchiveBridge()
    }

    /// A secure keyed archive.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        DefaultsKeyedArchiveBridge()
    }
}

// A bridge's `Value` is not bound to `Self` in the protocol: classes that can be subclassed, as colours are, could
// not conform then. So these two check it, and nobody else needs to.
extension DefaultsSerializable {
    /// What a suite has to hold for the value; nil for a value that stands for its absence.
    ///
    /// - Throws: ``DefaultsError``, or what a bridge of the app throws, when it cannot be stored.
    package static func encode(_ value: Self) throws -> PropertyListValue? {
        guard let value = value as? Bridge.Value else { throw unfittingBridge }
        return try bridge.encode(value)
    }

    /// The value that a suite holds.
    ///
    /// - Throws: ``DefaultsError``, or what a bridge of the app throws, when it cannot be read.
    package static func decoded(from stored: PropertyListValue) throws -> Self {
        guard let value = try bridge.decode(stored) as? Self else { throw unfittingBridge }
        return value
    }

    /// ``encode(_:)`` for a value of which only the type at run time is known.
    static func encode(any value: Any) throws -> PropertyListValue? {
        guard let value = value as? Self else { throw unfittingBridge }
        return try encode(value)
    }

    /// ``encode(_:)`` for a value inside another, where nothing cannot be stored.
    static func encodeInside(_ value: Self) throws -> PropertyListValue {
        guard let stored = try encode(value) else {
            throw DefaultsError.unstorable("No suite can hold nil inside of an array or dictionary. Leave it out.")
        }
        return stored
    }

    private static var unfittingBridge: DefaultsError {
        DefaultsError(
            .typeMismatch,
            "\(Bridge.self) is for another type. The Value of a bridge of \(Self.self) must be it."
        )
    }
}

extension DefaultsSerializable {
    /// What the bridge says; else the native form of a type whose values were JSON text of a Codable form before.
    public static var defaultsForm: DefaultsForm {
        if let type = Self.self as? any DefaultsNativeType.Type {
            return type.formerlyCodable
        }
        if let form = bridge.form {
            return form
        }
        // A custom bridge: JSON text, if any, was the value's own.
        return native { json in
            guard let type = Self.self as? any Decodable.Type else {
                throw NoCodableForm(type: "\(Self.self)")
            }
            guard let value = try DefaultsJSON.decode(type, from: json) as? Self else { throw unfittingBridge }
            return try encodeInside(value)
        }
    }

    /// The type's native form.
    ///
    /// - Parameter convert: Makes it from the JSON text of the Codable form that the type had before.
    static func native(convert: @escaping @Sendable ([UInt8]) throws -> PropertyListValue) -> DefaultsForm {
        DefaultsForm(.native(convert: convert, isCurrent: { stored in (try? decoded(from: stored)) != nil }))
    }
}
