public import Foundation

/// JSON text of a Codable value, as Defaults writes it.
public struct DefaultsCodableBridge<Value: Codable & SendableMetatype>: DefaultsValueBridge {
    private let knownForm: DefaultsForm?

    /// Creates the bridge.
    public init() {
        self.init(form: nil)
    }

    /// - Parameter form: A form of its own, for types that conversions treat differently from other Codable ones.
    init(form: DefaultsForm?) {
        knownForm = form
    }

    /// The JSON text.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try .string(String(decoding: DefaultsJSON.encode(value), as: UTF8.self))
    }

    /// The value of the JSON text.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard case .string(let text) = stored else { throw DefaultsBridgeError("is not JSON text of \(Value.self)") }
        return try DefaultsJSON.decode(Value.self, from: text.utf8)
    }

    /// JSON text that the type can be decoded from.
    public var form: DefaultsForm? {
        knownForm ?? .codable(as: Value.self)
    }
}

/// JSON of a Codable value as `Data`, as SwiftyUserDefaults writes it.
///
/// For arrays, `DefaultsJSONDataBridge<[Value]>()` puts all of the array into one `Data`.
public struct DefaultsJSONDataBridge<Value: Codable>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The JSON.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try .data(DefaultsJSON.encode(value))
    }

    /// The value of the JSON.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard case .data(let json) = stored else { throw DefaultsBridgeError("is not data of JSON of \(Value.self)") }
        return try DefaultsJSON.decode(Value.self, from: json)
    }
}

/// The raw value.
public struct DefaultsRawRepresentableBridge<Value: RawRepresentable & SendableMetatype>: DefaultsValueBridge
where Value.RawValue: DefaultsSerializable {
    /// Creates the bridge.
    public init() {}

    /// The raw value.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try Value.RawValue.encode(value.rawValue)
    }

    /// The value with the raw value.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        guard let value = try Value(rawValue: Value.RawValue.decoded(from: stored)) else {
            throw DefaultsBridgeError("is not a raw value of \(Value.self)")
        }
        return value
    }

    /// A raw value of the type.
    public var form: DefaultsForm? {
        .rawValue(Value.self)
    }
}

/// A secure keyed archive of an object.
///
/// Archives that were written without secure coding are read too, when their class supports it.
public struct DefaultsKeyedArchiveBridge<Value: NSObject & NSSecureCoding>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The archive.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try .data(KeyedArchive.archive(value))
    }

    /// The object of the archive.
    public func decode(_ stored: PropertyListValue) throws -> Value {
        try KeyedArchive.object([Value.self], from: stored)
    }

    /// A keyed archive.
    public var form: DefaultsForm? {
        .keyedArchive
    }
}

/// One secure keyed archive of an array of objects, as SwiftyUserDefaults writes it.
public struct DefaultsKeyedArchiveArrayBridge<Element: NSObject & NSSecureCoding>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The archive.
    public func encode(_ value: [Element]) throws -> PropertyListValue? {
        try .data(KeyedArchive.archive(NSArray(array: value)))
    }

    /// The objects of the archive.
    public func decode(_ stored: PropertyListValue) throws -> [Element] {
        try KeyedArchive.object([NSArray.self, Element.self], from: stored)
    }

    /// A keyed archive.
    public var form: DefaultsForm? {
        .keyedArchive
    }
}

/// Keyed archives, always with secure coding.
private enum KeyedArchive {
    static func archive(_ object: Any) throws -> Data {
        do {
            return try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        } catch {
            throw DefaultsBridgeError("cannot be archived with secure coding")
        }
    }

    static func object<Object>(_ classes: [AnyClass], from stored: PropertyListValue) throws -> Object {
        guard
            case .data(let data) = stored,
            let object = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? Object
        else { throw DefaultsBridgeError("is not a secure keyed archive of \(Object.self)") }
        return object
    }
}
