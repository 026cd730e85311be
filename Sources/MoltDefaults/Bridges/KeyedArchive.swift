internal import Foundation

/// Keyed archives of classes with secure coding; no other code uses an unarchiver.
package enum KeyedArchive {
    /// Archives an object.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore` if a class inside it has no secure coding.
    static func archive(_ object: Any) throws -> PropertyListValue {
        do {
            return try .data(NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true))
        } catch {
            throw DefaultsError(
                .cannotStore,
                "The object cannot be archived: every class in it must support secure coding.",
                underlying: error
            )
        }
    }

    /// Unarchives an object.
    ///
    /// - Parameter classes: The allowed classes of the root and of the elements of an array.
    /// - Throws: ``DefaultsError`` with the code `typeMismatch` if the object is of another class, or damaged.
    package static func object<Object>(_ classes: [AnyClass], from stored: PropertyListValue) throws -> Object {
        guard let data = stored.data, let object = root(classes, of: data) as? Object else {
            throw DefaultsError.mismatch("a keyed archive of \(Object.self) with secure coding")
        }
        return object
    }

    private static func root(_ classes: [AnyClass], of data: Data) -> Any? {
        #if canImport(Darwin)
            // The caller throws its own mismatch error for nil; Foundation's description could contain values.
            try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
        #else
            root(of: data)
        #endif
    }
}

/// Stores an object as a secure keyed archive.
///
/// Archives that were written without secure coding are read too, if their class supports it.
struct DefaultsKeyedArchiveBridge<Value: NSObject & NSSecureCoding>: DefaultsBridge {
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

/// Stores an array of objects as one secure keyed archive.
struct DefaultsKeyedArchiveArrayBridge<Element: NSObject & NSSecureCoding>: DefaultsBridge {
    func encode(_ value: [Element]) throws -> PropertyListValue? {
        try KeyedArchive.archive(NSArray(array: value))
    }

    func decode(_ stored: PropertyListValue) throws -> [Element] {
        try KeyedArchive.object([NSArray.self, Element.self], from: stored)
    }

    var form: DefaultsForm? {
        .keyedArchive
    }
}
