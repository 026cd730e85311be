public import Foundation

/// A secure keyed archive of an object.
///
/// Archives that were written without secure coding are read too, when their class supports it.
public struct DefaultsKeyedArchiveBridge<Value: NSObject & NSSecureCoding>: DefaultsValueBridge {
    /// Creates the bridge.
    public init() {}

    /// The archive.
    public func encode(_ value: Value) throws -> PropertyListValue? {
        try KeyedArchive.archive(value)
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
        try KeyedArchive.archive(NSArray(array: value))
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
