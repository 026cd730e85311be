import Foundation

/// Keyed archives, written by hand, with contents that no archiver writes.
enum HandmadeArchive {
    /// The archive as an XML property list; the objects follow `$null`, so the first has the index 1.
    static func xml(_ objects: [String], root: Int = 1) -> Data {
        let text = """
            <plist version="1.0"><dict>
            <key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
            <key>$top</key><dict><key>root</key>\(reference(root))</dict>
            <key>$objects</key><array><string>$null</string>\(objects.joined())</array>
            </dict></plist>
            """
        return Data(text.utf8)
    }

    /// The archive as a binary property list.
    static func binary(_ objects: [String]) throws -> Data {
        let list = try PropertyListSerialization.propertyList(from: xml(objects), format: nil)
        return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    /// A binary property list of objects whose offsets and references are single bytes; the first is the root.
    static func binaryList(_ objects: [UInt8]...) -> Data {
        var bytes = Data("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 1, 1] as [UInt8]
        for count in [UInt8(objects.count), 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, count] as [UInt8] }
        return bytes
    }

    /// The archive of collections of the objects with some indices: 1 and so on are the collections, and then comes the
    /// string "text".
    static func collections(_ name: String, keys: [Int]? = nil, _ collections: [[Int]]) throws -> Data {
        let keys = keys.map { "<key>NS.keys</key>\(references($0))" } ?? ""
        let objects = collections.map { indices in
            object(class: collections.count + 2, "\(keys)<key>NS.objects</key>\(references(indices))")
        }
        return try binary(objects + ["<string>text</string>", type(name)])
    }

    /// An object whose class is the object with an index.
    static func object(class type: Int, _ properties: String) -> String {
        "<dict><key>$class</key>\(reference(type))\(properties)</dict>"
    }

    static func type(_ name: String) -> String {
        "<dict><key>$classname</key><string>\(name)</string>"
            + "<key>$classes</key><array><string>\(name)</string><string>NSObject</string></array></dict>"
    }

    static func reference(_ index: Int) -> String {
        "<dict><key>CF$UID</key><integer>\(index)</integer></dict>"
    }

    static func references(_ indices: [Int]) -> String {
        "<array>\(indices.map(reference).joined())</array>"
    }
}
