internal import Foundation

/// Converts values of a type to property list objects, and back.
///
/// A custom bridge can store a type in any native form:
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
/// To throw errors that say why a value cannot be read or stored, implement ``encode(_:)`` and ``decode(_:)`` instead.
public protocol DefaultsBridge<Value, Serializable>: Sendable {
    /// The type that the app uses.
    associatedtype Value
    /// The stored type: a string, number, Boolean, date, data, or an array or dictionary of these.
    associatedtype Serializable

    /// Returns the object to store for a value; nil if there is no value or it cannot be stored.
    func serialize(_ value: Value?) -> Serializable?

    /// Returns the value of a stored object; nil if there is no object or it cannot be read.
    func deserialize(_ object: Serializable?) -> Value?

    /// Encodes a value; returns nil if nothing is to be stored for it.
    ///
    /// The default implementation calls ``serialize(_:)``.
    func encode(_ value: Value) throws -> PropertyListValue?

    /// Decodes a stored value.
    ///
    /// The default implementation calls ``deserialize(_:)``.
    func decode(_ stored: PropertyListValue) throws -> Value

    /// The form of the stored values; nil if only the bridge knows it, which is the default.
    var form: DefaultsForm? { get }
}

extension DefaultsBridge {
    /// Encodes a value by ``serialize(_:)``.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` if the result is nil or no suite can hold it.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        guard let object = serialize(value) else {
            throw MoltError(
                .cannotStore,
                "The bridge of \(Value.self) returned nil for the value.",
                advice: "Store a value that it can serialize."
            )
        }
        if let type = Serializable.self as? any DefaultsSerializable.Type {
            return try type.encode(any: object)
        }
        return try PropertyListValue(normalizing: object)
    }

    /// Decodes a stored value by ``deserialize(_:)``.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` if the value is of another type or the result is nil.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        // A `DefaultsSerializable` type reads every kind of number; a cast would require the platform's exact type.
        let type = Serializable.self as? any DefaultsSerializable.Type
        let object = try type.map { try $0.decoded(from: stored) } ?? stored.bridged
        guard let object = object as? Serializable, let value = deserialize(object) else {
            throw MoltError.mismatch("what the bridge of \(Value.self) stores")
        }
        return value
    }

    /// Nil, because only the bridge knows the form.
    public var form: DefaultsForm? { nil }
}

extension PropertyListValue {
    /// The object to pass to a custom bridge.
    ///
    /// Numbers are `NSNumber`s, as in `UserDefaults` on Apple platforms. On all platforms, they can be cast to any
    /// number type that can represent them.
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

/// The methods that a bridge with ``encode(_:)`` and ``decode(_:)`` does not need; they cannot report errors.
extension DefaultsBridge where Serializable == PropertyListValue {
    /// The result of `encode`; nil if it throws.
    public func serialize(_ value: Value?) -> PropertyListValue? { value.flatMap { try? encode($0) } }

    /// The result of `decode`; nil if it throws.
    public func deserialize(_ object: PropertyListValue?) -> Value? { object.flatMap { try? decode($0) } }
}

/// The bridge of every type that Molt stores itself.
struct BuiltInBridge<Value>: DefaultsBridge {
    /// Makes the form, which keys need and values do not.
    let makeForm: @Sendable () -> DefaultsForm?
    let encoder: @Sendable (Value) throws -> PropertyListValue?
    let decoder: @Sendable (PropertyListValue) throws -> Value

    func encode(_ value: Value) throws -> PropertyListValue? { try encoder(value) }

    func decode(_ stored: PropertyListValue) throws -> Value { try decoder(stored) }

    var form: DefaultsForm? { makeForm() }
}

extension BuiltInBridge {
    /// Creates the bridge of a value that is stored unchanged or as one string or number.
    ///
    /// - Parameters:
    ///   - expected: The stored value in messages, such as "a date".
    ///   - decode: Returns nil for a stored value of another kind.
    init(
        _ form: @autoclosure @escaping @Sendable () -> DefaultsForm,
        _ expected: @autoclosure @escaping @Sendable () -> String,
        encode: @escaping @Sendable (Value) throws -> PropertyListValue?,
        decode: @escaping @Sendable (PropertyListValue) throws -> Value?
    ) {
        self.init(makeForm: form, encoder: encode) { stored in
            guard let value = try decode(stored) else { throw MoltError.mismatch(expected()) }
            return value
        }
    }
}
