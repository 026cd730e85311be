internal import Foundation

/// The object table of an archive.
struct KeyedObjects {
    let list: BinaryPropertyList
    /// The objects, as indices into the list.
    let objects: [Int]

    /// Reads the table; nil for data that is not an archive.
    init?(_ data: Data) {
        guard let data = Self.binary(data), let list = BinaryPropertyList(data),
            let archive = list.properties(at: list.root),
            case .array(let objects) = archive["$objects"].flatMap(list.object)
        else { return nil }
        self.list = list
        self.objects = objects
    }

    /// An archive as a binary property list; Foundation converts XML, which it reads without risk.
    static func binary(_ data: Data) -> Data? {
        if data.starts(with: "bplist".utf8) { return data }
        // Data that is no property list is no archive either.
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) else { return nil }
        return try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    func text(_ index: Int?) -> String? { index.flatMap(list.object)?.value?.string }

    /// The names of the classes to try for an object's class: its own, and those of its fallbacks.
    func classNames(_ properties: [String: Int]) -> [String] {
        guard case .array(let hints) = properties["$classhints"].flatMap(list.object) else {
            return [text(properties["$classname"])].compactMap { $0 }
        }
        return ([properties["$classname"]] + hints).compactMap(text)
    }
}

/// Keyed archives of classes with secure coding; no other code uses an unarchiver.
package enum KeyedArchive {
    /// Archives an object.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` if a class inside it has no secure coding.
    static func archive(_ object: Any) throws -> PropertyListValue {
        do {
            return try .data(NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true))
        } catch {
            throw MoltError(
                .cannotStore,
                "The object cannot be archived: every class in it must support secure coding.",
                underlying: error
            )
        }
    }

    /// Unarchives an object.
    ///
    /// - Parameter classes: The allowed classes of the root and of the elements of an array.
    /// - Throws: ``MoltError`` with the code `typeMismatch` if the object is of another class, or damaged.
    package static func object<Object>(_ classes: [AnyClass], from stored: PropertyListValue) throws -> Object {
        if let data = stored.data {
            if let object = root(classes, of: data) as? Object { return object }
            if let name = unknownClass(in: data) {
                throw MoltError(
                    .typeMismatch,
                    "The stored value is an archive of the class \"\(name)\", which this app does not have.",
                    advice: "If the class was renamed, \(mapping)."
                )
            }
        }
        throw MoltError.mismatch("a keyed archive of \(Object.self) with secure coding")
    }

    /// Whether data is an archive, perhaps of a class that this app does not have.
    static func isArchive(_ data: Data) -> Bool { KeyedObjects(data) != nil }

    /// Why no typed key of this app can read the archives in a value, in words for a report; nil if one can.
    static func fault(of value: PropertyListValue) -> String? {
        switch value {
        case .data(let data):
            unknownClass(in: data).map {
                "an archive of the class \"\($0)\", which this app does not have: if the class was renamed, \(mapping)."
            }
        case .array(let elements): elements.lazy.compactMap(fault).first
        case .dictionary(let values): values.sorted { $0.key < $1.key }.lazy.compactMap { fault(of: $0.value) }.first
        default: nil
        }
    }

    private static let mapping = "call `NSKeyedUnarchiver.setClass(_:forClassName:)` with its old name"

    /// The name of the first class in an archive that this app does not have; nil if it has all.
    private static func unknownClass(in data: Data) -> String? {
        guard let archive = KeyedObjects(data) else { return nil }
        return archive.objects.lazy.compactMap(archive.list.properties).compactMap { properties in
            guard let name = archive.text(properties["$classname"]) else { return nil }
            return archive.classNames(properties).contains { self.class(named: $0) != nil } ? nil : name
        }.first
    }

    /// The class of a name in an archive, as the app maps it.
    static func `class`(named name: String) -> AnyClass? {
        NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
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
