/// A difference between the stored and the current shape of a type.
package struct ShapeDifference: Equatable, Sendable, Encodable {
    package enum Kind: String, Hashable, Sendable, Encodable {
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

    var kind: Kind
    /// The record type name.
    var type: String
    /// The path to the property, joined with dots, with `[]` for an element; empty for the type itself.
    var property: String
    /// The previous type or case.
    var old: String?
    /// The current type.
    var new: String?

    package init(kind: Kind, type: String, property: String, old: String? = nil, new: String? = nil) {
        self.kind = kind
        self.type = type
        self.property = property
        self.old = old
        self.new = new
    }
}

extension ShapeDifference: CustomStringConvertible {
    package var description: String {
        let separator = property.isEmpty || property.hasPrefix("[]") ? "" : "."
        let subject = "\"\(type)\(separator)\(property)\""
        return sentence(about: (property.isEmpty ? "Type " : "Property ") + subject, "Case", of: subject)
    }

    /// The difference in one sentence about a setting, which the type does not name.
    ///
    /// - Parameter setting: The key in quotes, and the suite.
    package func description(ofSetting setting: String) -> String {
        let subject = property.isEmpty ? "the value" : "property \"\(property)\""
        return "Setting \(setting): " + sentence(about: subject, "case", of: subject)
    }

    private func sentence(about subject: String, _ aCase: String, of value: String) -> String {
        switch kind {
        case .added: "\(subject) has been added."
        case .removed: "\(subject) has been removed."
        case .typeChanged: "\(subject) changed from \"\(old ?? "?")\" to \"\(new ?? "?")\"."
        case .madeOptional: "\(subject) has been made optional."
        case .madeRequired: "\(subject) has been made required."
        case .caseRemoved: "\(aCase) \"\(old ?? "?")\" of \(value) has been removed."
        }
    }
}

extension MoltError {
    /// The error for a type whose shape differs from the one that the store has recorded at the same schema version.
    ///
    /// - Parameter differences: The differences, sorted by property; at least one.
    static func shapeChanged(
        of type: String,
        version: Int,
        _ differences: [ShapeDifference],
        in store: String
    ) -> MoltError {
        let changes = differences.map(\.description).joined(separator: " ")
        let property = differences.count == 1 ? differences[0].property : ""
        return MoltError(
            .shapeChanged,
            "The shape of \"\(type)\" changed, and the schema version is still \(version): \(changes)",
            advice: "Add a migration to a new version. If stored records can be read as they are, it needs no step: "
                + "\(migrationWithoutStep(of: type, from: version)) If version \(version) has not shipped yet, edit "
                + "its migration, with `redoesUnshippedMigrations = true` in debug builds, or set `mismatches = "
                + ".ignore`. If another type has the same name, give one of them another name with `RecordType`.",
            store: store,
            type: type,
            property: property.isEmpty ? nil : property,
            storeVersion: version,
            registryVersion: version
        )
    }

    /// The code of a migration that changes no records.
    package static func migrationWithoutStep(of type: String, from version: Int) -> String {
        let words = type.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
        return "`Migration(to: \(version + 1), \"\(words.joined(separator: "-"))-of-version-\(version + 1)\")`."
    }
}
