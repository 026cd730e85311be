#if !canImport(Darwin)
    internal import Foundation

    extension KeyedArchive {
        /// Decodes the root of an archive; nil if the archive is damaged, or names a class without secure coding.
        ///
        /// On Linux (Swift 6.3) the unarchiver terminates the process for a class that is not allowed, a dangling
        /// reference, or a damaged property list. The archive is therefore checked first. Once it is known to name only
        /// classes with secure coding, the unarchiver may decode any class: the caller's cast fails if the root, or a
        /// part of it, is of another class.
        static func root(of data: Data) -> Any? {
            guard let data = KeyedObjects.binary(data), let table = KeyedObjects(data), SoundArchive(table).isSound
            else {
                return nil
            }
            // The caller throws its own mismatch error for nil.
            guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
            unarchiver.requiresSecureCoding = false
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            defer { unarchiver.finishDecoding() }
            return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        }
    }

    /// The check of an archive's object table.
    private struct SoundArchive {
        private let list: BinaryPropertyList
        private let objects: [Int]

        init(_ archive: KeyedObjects) {
            list = archive.list
            objects = archive.objects
        }

        /// Whether nothing is damaged or cyclic, all references are valid, and all classes can be decoded safely.
        var isSound: Bool {
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
            let members = list.properties(at: objects[object])?.filter { $0.key != "$class" } ?? [:]
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
            guard let properties = list.properties(at: index), let type = reference(properties["$class"]) else {
                return true
            }
            let elements = elements(properties["NS.objects"])
            let mapped: AnyClass? = text(list.properties(at: objects[type])?["$classname"]).flatMap(KeyedArchive.class)
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
            if let type = properties["$class"] {
                return reference(type).flatMap { list.properties(at: objects[$0]) }?["$classname"] != nil
            }
            guard let name = text(properties["$classname"]),
                case .array(let classes) = properties["$classes"].flatMap(list.object),
                classes.allSatisfy({ text($0) != nil })
            else { return false }
            return (KeyedArchive.class(named: name) as? any NSSecureCoding.Type)?.supportsSecureCoding == true
        }

        private func text(_ index: Int?) -> String? { index.flatMap(list.object)?.value?.string }

        private func reference(_ index: Int?) -> Int? {
            if case .reference(let reference) = index.flatMap(list.object) { reference } else { nil }
        }

        /// The elements of a collection; nil if one of them is no object or value, which Foundation would leave out.
        private func elements(_ index: Int?) -> [Int]? {
            guard let elements = references(index) else { return nil }
            let isWhole = elements.allSatisfy { element in
                switch list.object(at: objects[element]) {
                case .value: element > 0
                case .dictionary: list.properties(at: objects[element])?["$class"] != nil
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
