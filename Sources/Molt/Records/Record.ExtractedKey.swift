extension Record {
    /// The key of a record that was an object inside another record.
    public enum ExtractedKey: Equatable, Sendable {
        /// The string or integer at a path in the object.
        case property(PropertyPath)
        /// The key of the outer record and the names of the path, joined with slashes. For an element, its position
        /// from 0 or its key in a dictionary follows: "ada/address", "post-7/comments/0", "ada/addresses/home".
        case derived
    }

    /// The replacement for an extracted object.
    public enum ExtractedRemainder: Sendable {
        /// The key of the new record.
        case key
        /// Nothing; an array or dictionary without other elements is removed, too.
        ///
        /// The keys of a dictionary are then lost, unless the keys of the new records are derived from them.
        case nothing
    }
}

extension Record.ExtractedKey {
    /// The property that gives the key; nil for a derived one.
    var path: PropertyPath? { if case .property(let path) = self { path } else { nil } }

    var identity: [String] { path.map { ["property"] + $0.identity } ?? ["derived"] }
}

extension Record.ExtractedRemainder {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .key: "key"
        case .nothing: "nothing"
        }
    }
}
