/// The path of a property in a record: its name, after the names of the objects that contain it.
///
/// ```swift
/// person["mail"] = nil
/// person[["address", "zip"]] = "75001"
/// ```
///
/// For names known only at run time, use `PropertyPath(name)` or `PropertyPath(names)`. Names are compared by their
/// bytes, and a dot in a name is part of that name.
public struct PropertyPath: Sendable {
    /// The name of a top-level property; nil for a nested one.
    let onlyName: String?
    /// The names of a nested path; a path of one name needs no array.
    private let otherNames: [String]

    /// Creates the path of a top-level property.
    public init(_ name: String) {
        onlyName = name
        otherNames = []
    }

    /// Creates a path from names, the outermost first.
    public init(_ names: [String]) {
        onlyName = names.count == 1 ? names[0] : nil
        otherNames = names.count == 1 ? [] : names
    }

    /// The names, the outermost first.
    package var names: [String] {
        onlyName.map { [$0] } ?? otherNames
    }

    /// Whether it equals another path, or leads into that path's property.
    func starts(with path: PropertyPath) -> Bool {
        names.starts(with: path.names, by: RecordObject.isSame)
    }

    /// The path as in code: a name, or an array of names.
    var code: String {
        onlyName ?? "[\(otherNames.map { "\"\($0)\"" }.joined(separator: ", "))]"
    }

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
    /// Creates the path of a top-level property.
    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// Creates a path by concatenating paths.
    public init(arrayLiteral parts: PropertyPath...) {
        self.init(parts.flatMap(\.names))
    }
}

extension PropertyPath: Codable, CustomStringConvertible {
    /// Decodes a path from an array of names.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String].self))
    }

    /// Encodes the path as an array of names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(names)
    }

    /// The names, joined with dots.
    public var description: String {
        names.joined(separator: ".")
    }
}
