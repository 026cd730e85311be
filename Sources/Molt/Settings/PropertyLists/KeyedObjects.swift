internal import Foundation

/// A keyed archive: a property list with a table of objects, which refer to each other by their numbers.
struct KeyedObjects {
    let list: BinaryPropertyList
    /// The objects, as indices into the list.
    let objects: [Int]

    /// Reads the table; nil for data that is not an archive.
    init?(_ data: Data) {
        guard let data = Self.binary(data), let list = BinaryPropertyList(data) else { return nil }
        self.init(list)
    }

    /// Reads the table; nil for a list that is not an archive.
    init?(_ list: BinaryPropertyList) {
        guard case .array(let objects) = list.properties(at: list.root)?["$objects"].flatMap(list.object) else {
            return nil
        }
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

    /// The number of the object that an index of the list refers to; nil if there is none.
    func reference(_ index: Int?) -> Int? {
        guard case .reference(let number) = index.flatMap(list.object), objects.indices.contains(number) else {
            return nil
        }
        return number
    }

    /// The members of an object of a class; nil for any other one.
    func members(of number: Int) -> [String: Int]? { list.properties(at: objects[number]) }

    /// The members of an object's class.
    func classObject(of members: [String: Int]) -> [String: Int]? { reference(members["$class"]).flatMap(members(of:)) }

    /// The names of the classes to try for an object's class: its own, and those of its fallbacks.
    func classNames(_ properties: [String: Int]) -> [String] {
        guard case .array(let hints) = properties["$classhints"].flatMap(list.object) else {
            return [text(properties["$classname"])].compactMap { $0 }
        }
        return ([properties["$classname"]] + hints).compactMap(text)
    }
}
