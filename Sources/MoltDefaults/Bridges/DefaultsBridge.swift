internal import Foundation

/// Turns values of a type into what a suite can hold, and back.
///
/// A bridge of your own gives a type any native form:
///
/// ```swift
/// struct TimeZoneBridge: DefaultsBridge {
///     func serialize(_ value: TimeZone?) -> [String: String]? {
///         value.map { ["id": $0.id, "name": $0.name] }
///     }
///
///     func deserialize(_ object: [String: String]?) -> TimeZone? {
///         guard let id = object?["id"], let name = object?["name"] else { return nil }
///         return TimeZone(id: id, name: name)
///     }
/// }
/// ```
///
/// A bridge that can say why a value cannot be read or stored is a ``DefaultsValueBridge``.
public protocol DefaultsBridge<Value, Serializable>: Sendable {
    /// The type that the app uses.
    associatedtype Value
    /// What stands in the suite: a string, number, Boolean, date, data, or arrays and dictionaries of these.
    associatedtype Serializable

    /// What to store for a value; nil when there is none, or when it cannot be stored.
    func serialize(_ value: Value?) -> Serializable?

    /// The value for what is stored; nil when there is none, or when it cannot be read.
    func deserialize(_ object: Serializable?) -> Value?

    /// What to store for a value; nil for a value that stands for its absence.
    ///
    /// Unless a bridge says otherwise, ``serialize(_:)`` decides.
    func encode(_ value: Value) throws -> PropertyListValue?

    /// The value for what is stored.
    ///
    /// Unless a bridge says otherwise, ``deserialize(_:)`` decides.
    func decode(_ stored: PropertyListValue) throws -> Value

    /// The form of what the bridge stores; nil, unless a bridge says otherwise: it is known to the bridge alone.
    var form: DefaultsForm? { get }
}

extension DefaultsBridge {
    /// What ``serialize(_:)`` gives, as a property list.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore` when it gives nothing, or what no suite can hold.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        guard let object = serialize(value) else {
            throw DefaultsError.unstorable(
                "The bridge of \(Value.self) gives nothing for the value. Store one that it knows."
            )
        }
        if let type = Serializable.self as? any DefaultsSerializable.Type {
            return try type.encode(any: object)
        }
        return try PropertyListValue(normalizing: object)
    }

    /// What ``deserialize(_:)`` gives.
    ///
    /// - Throws: ``DefaultsError`` with the code `typeMismatch` when it gives nothing.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard let object = try serializable(from: stored), let value = deserialize(object) else {
            throw DefaultsError.mismatch("what the bridge of \(Value.self) stores")
        }
        return value
    }

    /// Nil: what is stored is known to the bridge alone.
    public var form: DefaultsForm? {
        nil
    }

    private func serializable(from stored: PropertyListValue) throws -> Serializable? {
        // A type of ours reads every number type; a cast would ask for the very type that the platform hands out.
        if let type = Serializable.self as? any DefaultsSerializable.Type {
            return try type.decoded(from: stored) as? Serializable
        }
        return stored.bridged as? Serializable
    }
}

extension PropertyListValue {
    /// What a bridge of the app is given.
    ///
    /// Its numbers are `NSNumber`s, as `UserDefaults` has them on Apple platforms: on all of them a cast to any number
    /// type gives the number when the type can hold it.
    fileprivate var bridged: Any {
        switch self {
        case .bool(let bool): NSNumber(value: bool)
        case .int(let int): NSNumber(value: int)
        case .unsigned(let unsigned): NSNumber(value: unsigned)
        case .double(let double): NSNumber(value: double)
        case .array(let array): array.map(\.bridged)
        case .dictionary(let dictionary): dictionary.mapValues(\.bridged)
        case .string, .date, .data: object
        }
    }
}

/// A bridge that works on property lists and says why something cannot be read or stored.
///
/// Implement both ``DefaultsBridge/encode(_:)`` and ``DefaultsBridge/decode(_:)``; the other two follow from them. All
/// bridges of this package are of this kind.
public protocol DefaultsValueBridge: DefaultsBridge where Serializable == PropertyListValue {}

extension DefaultsValueBridge {
    /// What `encode` gives; nil when it throws.
    public func serialize(_ value: Value?) -> PropertyListValue? {
        // `encode` gives the reason.
        value.flatMap { try? encode($0) }
    }

    /// What `decode` gives; nil when it throws.
    public func deserialize(_ object: PropertyListValue?) -> Value? {
        // `decode` gives the reason.
        object.flatMap { try? decode($0) }
    }
}
