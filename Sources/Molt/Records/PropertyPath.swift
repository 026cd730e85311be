/// The path of a property in a record: its name, after the names of the objects that contain it.
///
/// ```swift
/// person["mail"] = nil
/// person[["address", "zip"]] = "75001"
/// person[["addresses", .each, "country"]] = "FR"
/// ```
///
/// For names known only at run time, use `PropertyPath(name)` or `PropertyPath(paths)`. Names
/// are compared by their bytes, and a dot in a name is part of that name.
public struct PropertyPath: Sendable {
    enum Part: Hashable, Sendable {
        case name(ExactName)
        case each
    }

    /// The name of a top-level property; nil for another path.
    private let exactName: ExactName?
    /// The parts of another path; a path of one name needs no array.
    private let otherParts: [Part]

    /// Every element of an array, or every value of an object that is used as a dictionary.
    ///
    /// ```swift
    /// .renameProperty("Person", ["addresses", .each, "zip"], to: "postcode")
    /// ```
    ///
    /// An array or object that is missing, or null, has no elements. Calls on a record skip elements without the
    /// property; in a step, `ifMissing` says what happens to a record with such an element, or with a value that is
    /// neither an array nor an object.
    ///
    /// - Important: A dictionary whose keys are neither strings nor integers nor `CodingKeyRepresentable` is an array
    ///   of alternating keys and values, all of which are elements. Use
    ///   ``MigrationStep/mapValue(_:_:in:_:otherwise:ifMissing:)`` for the keys or the values alone, or
    ///   ``MigrationStep/changeDictionary(_:_:to:ifMissing:)``.
    public static let each = PropertyPath(parts: [.each])

    /// Creates the path of a top-level property.
    public init(_ name: String) {
        exactName = ExactName(name)
        otherParts = []
    }

    /// Creates a path from names, the outermost first.
    package init(_ names: [String]) {
        self.init(parts: names.map { .name(ExactName($0)) })
    }

    /// Creates a path by concatenating paths, such as names and ``each``.
    public init(_ paths: [PropertyPath]) {
        self.init(parts: paths.flatMap(\.parts))
    }

    init(parts: some Collection<Part>) {
        if parts.count == 1, case .name(let name) = parts.first {
            exactName = name
            otherParts = []
        } else {
            exactName = nil
            otherParts = Array(parts)
        }
    }

    /// The name of a top-level property; nil for another path.
    var onlyName: String? { exactName?.text }

    var parts: [Part] { exactName.map { [.name($0)] } ?? otherParts }

    /// The names, the outermost first; an empty one for `each`.
    package var names: [String] { exactName.map { [$0.text] } ?? otherParts.map(\.text) }

    var count: Int { exactName == nil ? otherParts.count : 1 }

    /// Whether it equals another path, or leads into that path's property.
    package func starts(with path: PropertyPath) -> Bool {
        if let exactName, let other = path.exactName { return exactName == other }
        return parts.starts(with: path.parts)
    }

    static func + (outer: PropertyPath, inner: PropertyPath) -> PropertyPath {
        PropertyPath(parts: outer.parts + inner.parts)
    }

    var parent: PropertyPath { PropertyPath(parts: parts.dropLast()) }

    // MARK: Each

    var hasEach: Bool { exactName == nil && otherParts.contains(.each) }

    /// The path before the first `each` and the path after it; nil for a path without one.
    @inline(__always)
    var atFirstEach: (outer: PropertyPath, inner: PropertyPath)? {
        exactName == nil ? otherPartsAtFirstEach : nil
    }

    @inline(never)
    private var otherPartsAtFirstEach: (outer: PropertyPath, inner: PropertyPath)? {
        guard let index = otherParts.firstIndex(of: .each) else { return nil }
        return (PropertyPath(parts: otherParts[..<index]), PropertyPath(parts: otherParts[(index + 1)...]))
    }

    /// Whether two paths lead through the same elements.
    func hasSameElements(as other: PropertyPath) -> Bool {
        elements == other.elements
    }

    /// Whether it leads through the elements that another path leads through, and maybe through elements of those.
    func leadsThroughElements(of other: PropertyPath) -> Bool {
        parts.starts(with: other.elements)
    }

    /// The path up to the last `each`.
    private var elements: ArraySlice<Part> {
        guard exactName == nil, let index = otherParts.lastIndex(of: .each) else { return [] }
        return otherParts[...index]
    }

    /// The count and the names for a fingerprint; the count of a path with `each` is followed by their places.
    var identity: [String] {
        let indexes = parts.indices.filter { parts[$0] == .each }
        return [([count] + indexes).map(String.init).joined(separator: " ")] + names
    }

    /// The path as in code: a name, or an array of names.
    var code: String {
        onlyName ?? "[\(otherParts.map { $0.name.map { "\"\($0)\"" } ?? ".each" }.joined(separator: ", "))]"
    }
}

extension PropertyPath.Part {
    /// The name; nil for `each`.
    var name: String? {
        if case .name(let name) = self { name.text } else { nil }
    }

    /// The name; an empty one for `each`.
    var text: String { name ?? "" }
}

extension PropertyPath: Hashable {
    /// Whether the names are the same bytes.
    public static func == (path: PropertyPath, other: PropertyPath) -> Bool {
        path.count == other.count && path.starts(with: other)
    }

    /// Hashes the bytes of the names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts)
    }
}

extension PropertyPath: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
    /// Creates the path of a top-level property.
    public init(stringLiteral name: String) {
        self.init(name)
    }

    /// Creates a path by concatenating paths.
    public init(arrayLiteral parts: PropertyPath...) {
        self.init(parts)
    }
}

extension PropertyPath: CustomStringConvertible {
    /// The names, joined with dots; `[]` stands for `each`, as in "addresses[].zip".
    public var description: String {
        var text = ""
        for (index, part) in parts.enumerated() {
            text += part.name.map { (index > 0 ? "." : "") + $0 } ?? "[]"
        }
        return text
    }
}
