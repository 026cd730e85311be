internal import Foundation

extension Record {
    /// The source of a record's new key.
    public enum NewKey: Equatable, Sendable {
        /// The string or integer at a path in the record.
        case property(PropertyPath)
        /// The key in lower case, by the rules of Unicode that hold for all languages.
        case lowercased
        /// The key in the normal form NFC, in which a letter and its accent are one character, if there is one.
        case precomposed
    }

    /// The string or integer at a path as a key; nil if there is none.
    func key(at path: PropertyPath) -> String? {
        let value = self[path]
        let key = value?.string ?? value?.number.flatMap { $0.isInteger ? $0.text : nil }
        return key?.isEmpty == true ? nil : key
    }
}

extension Record {
    mutating func rename(_ newKey: NewKey) throws {
        let new = try newKey.key(of: self)
        if !ExactName.isSame(new, key) { key = new }
    }
}

extension Record.NewKey {
    /// The property that gives the key; nil for another form of the old key.
    var path: PropertyPath? { if case .property(let path) = self { path } else { nil } }

    var identity: [String] {
        switch self {
        case .property(let path): ["property"] + path.identity
        case .lowercased: ["lowercased"]
        case .precomposed: ["precomposed"]
        }
    }

    /// The source in a few words.
    var description: String {
        switch self {
        case .property(let path): "\(path)"
        case .lowercased: "lower case"
        case .precomposed: "the normal form NFC"
        }
    }

    /// The source in a message.
    var source: String { path.map { "\"\($0)\"" } ?? description }

    /// The new key of a record.
    ///
    /// - Throws: ``MoltError`` with the code `typeMismatch` if it has none.
    func key(of record: Record) throws -> String {
        switch self {
        case .lowercased: return record.key.lowercased()
        case .precomposed: return record.key.precomposedStringWithCanonicalMapping
        case .property(let path):
            if let key = record.key(at: path) { return key }
            throw record.error(
                .typeMismatch,
                "The record has no new key, because its property \"\(path)\" is missing, empty, or neither a string "
                    + "nor an integer.",
                property: path
            )
        }
    }
}
