internal import Foundation

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
