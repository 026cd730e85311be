internal import Foundation

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
        case .dictionary(let values): values.sortedByKey.lazy.compactMap { fault(of: $0.value) }.first
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
        // The caller throws its own mismatch error for nil; Foundation's description could contain values.
        #if canImport(Darwin)
            return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
        #else
            // The unarchiver of Swift 6.3 ends the process for a class that is not allowed, a dangling reference, or a
            // damaged list. The archive is therefore checked first. Once it is known to name only classes with secure
            // coding, any class may be decoded: the caller's cast fails if the root, or a part of it, is of another.
            guard let data = KeyedObjects.binary(data), KeyedObjects(data)?.isSound == true,
                let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
            else { return nil }
            unarchiver.requiresSecureCoding = false
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            defer { unarchiver.finishDecoding() }
            return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        #endif
    }
}

#if !canImport(Darwin)
    extension KeyedObjects {
        /// Whether nothing is damaged or cyclic, all references are valid, and all classes can be decoded safely.
        fileprivate var isSound: Bool {
            guard (0..<list.count).allSatisfy(isWhole),
                objects.allSatisfy({ hasSecureClass($0) && hasRequiredMembers($0) })
            else { return false }
            var states = [Visit](repeating: .new, count: objects.count)
            return objects.indices.allSatisfy { isAcyclic($0, depth: 0, &states) }
        }

        private enum Visit {
            case new, begun, done
        }

        /// Whether an object is free of cycles and of deep nesting, on which the unarchiver would overflow the stack.
        private func isAcyclic(_ object: Int, depth: Int, _ states: inout [Visit]) -> Bool {
            guard states[object] == .new else { return states[object] == .done }
            guard depth <= PropertyListValue.depthLimit else { return false }
            states[object] = .begun
            let members = members(of: object)?.filter { $0.key != "$class" } ?? [:]
            let isEnded = members.values.allSatisfy { member in
                let references = reference(member).map { [$0] } ?? references(member) ?? []
                return references.allSatisfy { isAcyclic($0, depth: depth + 1, &states) }
            }
            states[object] = .done
            return isEnded
        }

        /// Whether an object of Foundation has the members that its class reads without checking them.
        ///
        /// Other classes of Foundation, such as `NSError`, are refused; an app's own classes check their members.
        private func hasRequiredMembers(_ index: Int) -> Bool {
            guard let properties = list.properties(at: index), let type = classObject(of: properties) else {
                return true
            }
            let elements = elements(properties["NS.objects"])
            let mapped: AnyClass? = text(type["$classname"]).flatMap(KeyedArchive.class)
            switch mapped.map({ String(reflecting: $0) }) {
            case "Foundation.NSDictionary", "Foundation.NSMutableDictionary":
                return elements != nil && self.elements(properties["NS.keys"])?.count == elements?.count
            case "Foundation.NSArray", "Foundation.NSMutableArray", "Foundation.NSSet", "Foundation.NSMutableSet":
                return elements != nil
            case "Foundation.NSString", "Foundation.NSMutableString":
                return value(properties["NS.string"])?.string != nil
            case "Foundation.NSData", "Foundation.NSMutableData":
                return value(properties["NS.data"])?.data != nil
            case "Foundation.NSDate":
                return if case .double = value(properties["NS.time"]) { true } else { false }
            case "Foundation.NSUUID":
                return value(properties["NS.uuidbytes"])?.data?.count == 16
            case "Foundation.NSURL":
                return value(properties["NS.relative"])?.string.flatMap { URL(string: $0) } != nil
                    && reference(properties["NS.base"]) != nil
            case "Foundation.NSNull":
                return true
            case let name:
                return name?.hasPrefix("Foundation.") != true
            }
        }

        /// The value of a member, or of the object that it refers to.
        private func value(_ index: Int?) -> PropertyListValue? {
            list.object(at: reference(index).map { objects[$0] } ?? index ?? list.count)?.value
        }

        private func isWhole(_ index: Int) -> Bool {
            switch list.object(at: index) {
            case .reference(let reference): objects.indices.contains(reference)
            case .array(let elements): elements.allSatisfy { $0 < list.count }
            case .dictionary: list.properties(at: index)?.values.allSatisfy { $0 < list.count } ?? false
            case .null, .value: true
            case nil: false
            }
        }

        // An object names its class; a class names itself and its superclasses.
        private func hasSecureClass(_ index: Int) -> Bool {
            guard let properties = list.properties(at: index) else { return true }
            if properties["$class"] != nil { return classObject(of: properties)?["$classname"] != nil }
            guard let name = text(properties["$classname"]),
                case .array(let classes) = properties["$classes"].flatMap(list.object),
                classes.allSatisfy({ text($0) != nil })
            else { return false }
            return (KeyedArchive.class(named: name) as? any NSSecureCoding.Type)?.supportsSecureCoding == true
        }

        /// The elements of a collection; nil if one of them is no object or value, which Foundation would leave out.
        private func elements(_ index: Int?) -> [Int]? {
            guard let elements = references(index) else { return nil }
            let isWhole = elements.allSatisfy { element in
                switch list.object(at: objects[element]) {
                case .value: element > 0
                case .dictionary: members(of: element)?["$class"] != nil
                default: false
                }
            }
            return isWhole ? elements : nil
        }

        /// The references in an array; nil if the object is not an array, or contains anything else.
        private func references(_ index: Int?) -> [Int]? {
            guard case .array(let elements) = index.flatMap(list.object) else { return nil }
            let references = elements.compactMap(reference)
            return references.count == elements.count ? references : nil
        }
    }
#endif
