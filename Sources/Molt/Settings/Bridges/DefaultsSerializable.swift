public import Foundation

/// A type whose values can be stored in a suite.
///
/// Most types only need to declare the conformance:
///
/// | Type | Stored as |
/// |---|---|
/// | `Codable` | JSON text in the default format of `JSONEncoder` |
/// | `RawRepresentable` | its raw value |
/// | both | JSON text (raw values are read too); with ``DefaultsPreferRawRepresentable``, its raw value |
/// | an `NSObject` with `NSSecureCoding` | `Data` of a secure keyed archive |
/// | a ``DefaultsCollectionSerializable`` or ``DefaultsSetAlgebraSerializable`` | an array of its encoded elements |
///
/// ```swift
/// enum Period: String, Codable, DefaultsSerializable {
///     case tenMinutes = "10 Minutes"
///     case oneHour = "1 Hour"
/// }
/// ```
///
/// For any other form, give the type a custom ``bridge``, and its arrays an ``arrayBridge``.
public protocol DefaultsSerializable: SendableMetatype {
    /// The type of the bridge for values of this type; its `Value` must be this type.
    associatedtype Bridge: DefaultsBridge
    /// The type of the bridge for arrays of this type; its `Value` must be `[Self]`.
    associatedtype ArrayBridge: DefaultsBridge

    /// The bridge for values of this type.
    static var bridge: Bridge { get }
    /// The bridge for arrays of this type; by default, it stores an array of the encoded elements.
    static var arrayBridge: ArrayBridge { get }
    /// The form of stored values; derived from the bridge by default.
    static var defaultsForm: DefaultsForm { get }
}

/// A type that is both `Codable` and `RawRepresentable`, and is stored as its raw value.
///
/// ```swift
/// enum Theme: String, Codable, DefaultsSerializable, DefaultsPreferRawRepresentable { case light, dark }
/// ```
public protocol DefaultsPreferRawRepresentable: RawRepresentable {}

extension DefaultsSerializable {
    /// Stores an array of the encoded elements.
    public static var arrayBridge: some DefaultsBridge<[Self], PropertyListValue> {
        elementsBridge({ .array(of: defaultsForm) }, elements: { $0 }, container: { $0 }) as BuiltInBridge<[Self]>
    }
}

extension DefaultsSerializable where Self: Codable {
    /// Stores JSON text.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> { jsonBridge() }
}

extension DefaultsSerializable where Self: RawRepresentable, RawValue: DefaultsSerializable {
    /// Stores the raw value.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> { rawValueBridge }

    private static var rawValueBridge: BuiltInBridge<Self> {
        BuiltInBridge(.rawValue(Self.self), "a raw value of \(Self.self)") {
            try RawValue.encode($0.rawValue)
        } decode: {
            try Self(rawValue: RawValue.decoded(from: $0))
        }
    }
}

extension DefaultsSerializable where Self: RawRepresentable & Codable, RawValue: DefaultsSerializable {
    /// Stores JSON text; a raw value is read too, because `@AppStorage` and most apps write it.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        jsonBridge { try? rawValueBridge.decode($0) }
    }
}

extension DefaultsSerializable where Self: DefaultsPreferRawRepresentable & Codable, RawValue: DefaultsSerializable {
    /// Stores the raw value.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> { rawValueBridge }
}

extension DefaultsSerializable where Self: NSObject & NSSecureCoding {
    /// Stores an array as one secure keyed archive, as SwiftyUserDefaults does; return it from ``arrayBridge``.
    public static var keyedArchiveArrayBridge: some DefaultsBridge<[Self], PropertyListValue> {
        BuiltInBridge<[Self]>(
            makeForm: { .keyedArchive },
            encoder: { try KeyedArchive.archive(NSArray(array: $0)) },
            decoder: { try KeyedArchive.object([NSArray.self, Self.self], from: $0) }
        )
    }

    /// Stores a secure keyed archive.
    ///
    /// Archives that were written without secure coding are read too, if their class supports it. If the class was
    /// renamed, call `NSKeyedUnarchiver.setClass(_:forClassName:)` before the upgrade. To read the bytes instead, use a
    /// `DefaultsKey<Data?>`.
    public static var bridge: some DefaultsBridge<Self, PropertyListValue> {
        BuiltInBridge<Self>(
            makeForm: { .keyedArchive },
            encoder: { try KeyedArchive.archive($0) },
            decoder: { try KeyedArchive.object([Self.self], from: $0) }
        )
    }
}

// The protocol does not require that a bridge's `Value` is `Self`, because non-final classes, such as those of colors,
// could not conform then. `encode(_:)` and `decoded(from:)` therefore check it, so that their callers need not.
extension DefaultsSerializable {
    /// Encodes a value; returns nil if nothing is to be stored for it.
    ///
    /// - Throws: ``MoltError``, or an error of a custom bridge, if the value cannot be stored.
    package static func encode(_ value: Self) throws -> PropertyListValue? {
        guard let value = value as? Bridge.Value else { throw unfittingBridge }
        return try bridge.encode(value)
    }

    /// Decodes a stored value.
    ///
    /// - Throws: ``MoltError``, or an error of a custom bridge, if the value cannot be read.
    static func decoded(from stored: PropertyListValue) throws -> Self {
        guard let value = try bridge.decode(stored) as? Self else { throw unfittingBridge }
        return value
    }

    /// ``encode(_:)`` for a value whose type is known only at run time.
    static func encode(any value: Any) throws -> PropertyListValue? {
        guard let value = value as? Self else { throw unfittingBridge }
        return try encode(value)
    }

    /// ``encode(_:)`` for a value inside a container, which cannot hold nil.
    static func encodeInside(_ value: Self) throws -> PropertyListValue {
        guard let stored = try encode(value) else {
            throw MoltError(
                .cannotStore,
                "A suite cannot hold nil inside an array or a dictionary.",
                advice: "Leave it out."
            )
        }
        return stored
    }

    private static var unfittingBridge: MoltError {
        MoltError(
            .typeMismatch,
            "\(Bridge.self) is for another type.",
            advice: "Use a bridge whose Value is \(Self.self)."
        )
    }
}

extension DefaultsSerializable {
    /// The bridge's form; for a bridge without a form, a native form made from JSON.
    public static var defaultsForm: DefaultsForm {
        if let form = bridge.form { return form }
        // The bridge is custom: former JSON text, if any, was encoded by the type itself.
        return native { json in
            guard let type = Self.self as? any Decodable.Type else { throw NoCodableForm(type: "\(Self.self)") }
            guard let value = try DefaultsJSON.decode(type, from: json) as? Self else { throw unfittingBridge }
            return try encodeInside(value)
        }
    }

    /// The native form of the type; `convert` converts JSON text of the former Codable type.
    static func native(convert: @escaping @Sendable ([UInt8]) throws -> PropertyListValue) -> DefaultsForm {
        DefaultsForm(.native(convert: convert, isCurrent: { stored in (try? decoded(from: stored)) != nil }))
    }
}
