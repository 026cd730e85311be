internal import Foundation

/// Keyed archives of classes with secure coding: the one place that decodes what a suite holds of them.
enum KeyedArchive {
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
    static func object<Object>(_ classes: [AnyClass], from stored: PropertyListValue) throws -> Object {
        guard let data = stored.data, let object = root(classes, of: data) as? Object else {
            throw DefaultsError.mismatch("a keyed archive of \(Object.self) with secure coding")
        }
        return object
    }

    #if canImport(Darwin)
        private static func root(_ classes: [AnyClass], of data: Data) -> Any? {
            try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
        }
    #else
        // Linux' unarchiver ends the process when it meets a class that is not allowed. So it is told that all are,
        // once the archive is known to name none but classes with secure coding; who asks for the root, or for a part
        // of it, gets nil for one of another class.
        private static func root(_ classes: [AnyClass], of data: Data) -> Any? {
            guard namesOnlySecureClasses(data), let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else {
                return nil
            }
            unarchiver.requiresSecureCoding = false
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            defer { unarchiver.finishDecoding() }
            return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        }

        private static func namesOnlySecureClasses(_ data: Data) -> Bool {
            guard
                let archive = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
                let objects = archive["$objects"] as? [Any]
            else { return false }
            return objects.allSatisfy { object in
                guard let name = (object as? [String: Any])?["$classname"] as? String else { return true }
                return (NSClassFromString(name) as? any NSSecureCoding.Type)?.supportsSecureCoding == true
            }
        }
    #endif
}
