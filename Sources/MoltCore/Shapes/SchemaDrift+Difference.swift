extension SchemaDrift {
    /// A difference between the stored and the current shape of a type.
    ///
    /// ```swift
    /// print(difference)   // Property 'Person.age' changed from 'Int' to 'String'.
    /// ```
    public struct Difference: Hashable, Sendable, Codable {
        /// The kinds of difference.
        public enum Kind: String, Hashable, Sendable, Codable {
            /// A property was added.
            case added
            /// A property was removed.
            case removed
            /// A property, an element or the type itself is stored as another type.
            case typeChanged
            /// A required value became optional.
            case madeOptional
            /// An optional value became required.
            case madeRequired
            /// A case of an enum was removed.
            case caseRemoved
        }

        /// The kind of difference.
        public var kind: Kind
        /// The record type name.
        public var type: String
        /// The path to the property, joined with dots, with `[]` for an element; empty for the type itself.
        public var property: String
        /// The previous type or case.
        public var old: String?
        /// The current type.
        public var new: String?

        package init(kind: Kind, type: String, property: String, old: String? = nil, new: String? = nil) {
            self.kind = kind
            self.type = type
            self.property = property
            self.old = old
            self.new = new
        }

        private var place: String {
            guard !property.isEmpty else { return type }
            return property.hasPrefix("[]") ? type + property : "\(type).\(property)"
        }
    }
}

extension SchemaDrift.Difference: CustomStringConvertible {
    /// The difference in one sentence.
    public var description: String {
        let subject = property.isEmpty ? "Type" : "Property"
        return switch kind {
        case .added: "\(subject) '\(place)' has been added."
        case .removed: "\(subject) '\(place)' has been removed."
        case .typeChanged: "\(subject) '\(place)' changed from '\(old ?? "?")' to '\(new ?? "?")'."
        case .madeOptional: "\(subject) '\(place)' has been made optional."
        case .madeRequired: "\(subject) '\(place)' has been made required."
        case .caseRemoved: "Case '\(old ?? "?")' of '\(place)' has been removed."
        }
    }
}
