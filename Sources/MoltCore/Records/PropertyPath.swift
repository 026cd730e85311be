/// A place in a record: the name of a property, behind the names of the objects around it.
///
/// ```swift
/// person["mail"] = nil
/// person[["address", "zip"]] = "75001"
/// ```
/// A name that is known only at run time is a path by `PropertyPath(name)`, several are by `PropertyPath(names)`. Names
/// are compared by their bytes, and a dot in a name is part of that name.
public struct PropertyPath: Sendable {
    /// The name of a property of the record itself; nil for one that is inside an object.
    let onlyName: String?
    /// The names of other paths: a path of one name needs no array.
    private let otherNames: [String]

    /// Creates the path of a property of the record itself.
    public init(_ name: String) {
        onlyName = name
        otherNames = []
    }

    /// Creates a path from the names on it, the outermost first.
    public init(_ names: [String]) {
        onlyName = names.count == 1 ? names[0] : nil
        otherNames = names.count == 1 ? [] : names
    }

    /// The names, the outermost first.
    package var names: [String] {
        onlyName.map { [$0] } ?? otherNames
    }

    /// Whether it is another path, or leads to what is inside that one's property.
    func starts(with path: PropertyPath) -> Bool {
        names.starts(with: path.names, by: RecordObject.isSame)
    }

    /// How many names there are.
    var count: Int {
        onlyName == nil ? otherNames.count : 1
    }
}

extension PropertyPath: Hashable {
    /// Whether the names are the same bytes.
    public static func == (path: PropertyPath, other: PropertyPath) -> Bool {
        path.names.elementsEqual(other.names, by: RecordObject.isSame)
    }

    /// Hashes the bytes of the names.
    public func hash(into hasher: inout Hasher) {
        for name in names { hasher.combine(ExactName(name)) }
    }
}

extension PropertyPath: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
    /// Creates the path of a property of the record itself.
    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// Creates a path from paths that follow each other.
    public init(arrayLiteral parts: PropertyPath...) {
        self.init(parts.flatMap(\.names))
    }
}

extension PropertyPath: Codable, CustomStringConvertible {
    /// Reads a path: an array of names.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String].self))
    }

    /// Writes the path as an array of names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(names)
    }

    /// The names with dots between them.
    public var description: String {
        names.joined(separator: ".")
    }
}
