#if !canImport(Darwin)
    internal import Foundation

    extension KeyedArchive {
        /// The object of an archive; nil when it is damaged, or names a class without secure coding.
        ///
        /// Linux' unarchiver (Swift 6.3) ends the process when it meets a class that is not allowed, or a reference to
        /// nothing. So the references are looked at first, and the unarchiver is told that all classes are allowed
        /// once the archive is known to name none but classes with secure coding; who asks for the root, or for a
        /// part of it, gets nil for one of another class.
        static func root(of data: Data) -> Any? {
            guard let archive = ArchivedObjects(data), archive.isSound else { return nil }
            guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
            unarchiver.requiresSecureCoding = false
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            defer { unarchiver.finishDecoding() }
            return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        }
    }

    /// The table of objects that an archive consists of.
    private struct ArchivedObjects {
        private let objects: [Any]
        private let top: Any

        /// Reads the table; nil for what is no archive.
        init?(_ data: Data) {
            // A reference is of a type without a name in Swift; in XML it is a dictionary with one key.
            guard
                let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
                let xml = try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0),
                let archive = try? PropertyListSerialization.propertyList(
                    from: Data(
                        String(decoding: xml, as: UTF8.self)
                            .replacingOccurrences(of: "<key>CF$UID</key>", with: "<key>\(Self.reference)</key>").utf8
                    ),
                    format: nil
                ) as? [String: Any],
                let objects = archive["$objects"] as? [Any], let top = archive["$top"]
            else { return nil }
            self.objects = objects
            self.top = top
        }

        /// Whether every reference is to an object, and every class is one that can be decoded safely.
        var isSound: Bool {
            refersToObjects(top) && objects.allSatisfy { refersToObjects($0) && hasSecureClass($0) }
        }

        private static let reference = "molt.reference"

        private func target(of value: Any?) -> Any? {
            guard
                let index = (value as? [String: Any])?[Self.reference] as? Int, objects.indices.contains(index)
            else { return nil }
            return objects[index]
        }

        private func refersToObjects(_ value: Any) -> Bool {
            if let values = value as? [Any] { return values.allSatisfy(refersToObjects) }
            guard let values = value as? [String: Any] else { return true }
            if values[Self.reference] != nil { return target(of: values) != nil }
            return values.values.allSatisfy(refersToObjects)
        }

        // An object names its class; a class names itself and those above it.
        private func hasSecureClass(_ object: Any) -> Bool {
            guard let object = object as? [String: Any] else { return true }
            if let reference = object["$class"] {
                return (target(of: reference) as? [String: Any])?["$classname"] != nil
            }
            guard let name = object["$classname"] as? String, object["$classes"] is [String] else { return false }
            return (NSClassFromString(name) as? any NSSecureCoding.Type)?.supportsSecureCoding == true
        }
    }
#endif
