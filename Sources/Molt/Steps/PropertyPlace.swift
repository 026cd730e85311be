/// A property of the records of a type; all of their content if the path is empty.
package struct PropertyPlace: Equatable, Sendable {
    package let type: String
    private let path: PropertyPath

    init(_ type: String, _ path: PropertyPath = []) {
        self.type = type
        self.path = path
    }

    /// The names on the path, the outermost first; nil for each element.
    package var names: [String?] {
        path.parts.map(\.name)
    }

    /// The place of the values when all that is at one place is moved to another; nil if it is not there.
    package func moved(from old: PropertyPlace, to new: PropertyPlace) -> PropertyPlace? {
        guard ExactName.isSame(type, old.type), path.starts(with: old.path) else { return nil }
        return PropertyPlace(new.type, new.path + PropertyPath(parts: path.parts.dropFirst(old.path.count)))
    }

    package static func == (place: PropertyPlace, other: PropertyPlace) -> Bool {
        ExactName.isSame(place.type, other.type) && place.path == other.path
    }
}
