/// A type whose stored shape differs from the one recorded at the same schema version.
///
/// Older records may no longer be readable: the change needs a new version and a migration.
public struct SchemaDrift: Hashable, Sendable, Codable {
    /// The record type name.
    public var type: String
    /// The schema version of both shapes.
    public var version: Int
    /// The differences, sorted by property.
    public var differences: [SchemaDrift.Difference]

    package init(type: String, version: Int, differences: [SchemaDrift.Difference]) {
        self.type = type
        self.version = version
        self.differences = differences
    }
}

extension SchemaDrift: CustomStringConvertible {
    /// A headline, and a line for each difference.
    public var description: String {
        let headline = "The shape of '\(type)' changed at version \(version) without a new version:"
        return ([headline] + differences.map { "- \($0)" }).joined(separator: "\n")
    }

    /// The code of a migration that changes no records.
    package static func migration(of type: String, from version: Int) -> String {
        let words = type.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
        return "`Migration(to: \(version + 1), \"\(words.joined(separator: "-"))-of-version-\(version + 1)\")`."
    }
}

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

extension MoltError {
    /// The error for a type whose stored shape differs from the recorded one.
    package static func drifted(_ drift: SchemaDrift, in store: String) -> MoltError {
        let changes = drift.differences.map(\.description).joined(separator: " ")
        let property = drift.differences.count == 1 ? drift.differences[0].property : ""
        return MoltError(
            .schemaDrift,
            "The shape of '\(drift.type)' changed, and the schema version is still \(drift.version): \(changes)",
            advice: "Add a migration to a new version. When stored records can be read as they are, it needs no step: "
                + "\(SchemaDrift.migration(of: drift.type, from: drift.version)) If version \(drift.version) has not shipped "
                + "yet, edit its migration, with `redoesUnshippedMigrations = true` in debug builds, or set "
                + "`mismatches = .ignore`. If another type has the same name, give one of them a RecordType name.",
            store: store,
            type: drift.type,
            property: property.isEmpty ? nil : property,
            storeVersion: drift.version,
            registryVersion: drift.version
        )
    }
}
