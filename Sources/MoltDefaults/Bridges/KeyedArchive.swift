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
            let fault = "The object cannot be archived: every class in it must support secure coding."
            throw DefaultsError(.cannotStore, fault, underlying: error)
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
