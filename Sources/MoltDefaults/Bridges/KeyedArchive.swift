public import Foundation

/// Keyed archives of classes with secure coding: the one place that decodes what a suite holds of them.
package enum KeyedArchive {
    /// The archive of an object.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore` when a class inside has no secure coding.
    static func archive(_ object: Any) throws -> PropertyListValue {
        do {
            return try .data(NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true))
        } catch {
            throw DefaultsError(
                .cannotStore,
                "The object cannot be archived: every class inside of it must have secure coding.",
                underlying: error
            )
        }
    }

    /// The object of an archive.
    ///
    /// - Parameter classes: What the root, and the elements of an array, may be.
    /// - Throws: ``DefaultsError`` with the code `typeMismatch` when it is of another class, or damaged.
    package static func object<Object>(_ classes: [AnyClass], from stored: PropertyListValue) throws -> Object {
        guard let data = stored.data, let object = root(classes, of: data) as? Object else {
            throw DefaultsError.mismatch("a keyed archive of \(Object.self) with secure coding")
        }
        return object
    }

    private static func root(_ classes: [AnyClass], of data: Data) -> Any? {
        #if canImport(Darwin)
            // nil is a mismatch, which the caller throws; Foundation's words for it could name values.
            try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
        #else
            root(of: data)
        #endif
    }
}

/// A secure keyed archive of an object.
///
/// Archives that were written without secure coding are read too, when their class supports it.
struct DefaultsKeyedArchiveBridge<Value: NSObject & NSSecureCoding>: DefaultsValueBridge {
    func encode(_ value: Value) throws -> PropertyListValue? {
        try KeyedArchive.archive(value)
    }

    func decode(_ stored: PropertyListValue) throws -> Value {
        try KeyedArchive.object([Value.self], from: stored)
    }

    var form: DefaultsForm? {
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
