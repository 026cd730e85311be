/// One way in which a type is stored otherwise than before.
///
/// ```swift
/// print(difference)   // Property 'Person.age' changed from 'Int' to 'String'.
/// ```
public struct ShapeDifference: Hashable, Sendable, Codable {
    /// The kinds of difference.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A property is new.
        case added
        /// A property is no longer there.
        case removed
        /// A property, an element or the type itself is stored as another type.
        case typeChanged
        /// What was always there may be nil.
        case madeOptional
        /// What may have been nil is always expected.
        case madeRequired
        /// A case of an enum is no longer there.
        case caseRemoved
    }

    /// What kind of difference it is.
    public var kind: Kind
    /// The name that records of the type are written as.
    public var type: String
    /// The path to the property, joined with dots, an element as `[]`; empty for the type itself.
    public var property: String
    /// The type, or the case, as it was before.
    public var old: String?
    /// The type as it is now.
    public var new: String?

    /// The name of the type and the path.
    private var place: String {
        guard !property.isEmpty else { return type }
        return property.hasPrefix("[]") ? type + property : "\(type).\(property)"
    }
}

extension ShapeDifference: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        let subject = property.isEmpty ? "Type" : "Property"
        return switch kind {
        case .added: "Property '\(place)' has been added."
        case .removed: "Property '\(place)' has been removed."
        case .typeChanged: "\(subject) '\(place)' changed from '\(old ?? "?")' to '\(new ?? "?")'."
        case .madeOptional: "\(subject) '\(place)' has been made optional."
        case .madeRequired: "\(subject) '\(place)' has been made required."
        case .caseRemoved: "Case '\(old ?? "?")' of '\(place)' has been removed."
        }
    }
}
