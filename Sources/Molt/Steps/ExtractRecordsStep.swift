extension MigrationStep {
    /// Extracts objects inside the records of a type into records of their own.
    ///
    /// ```swift
    /// .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"))
    /// ```
    ///
    /// The content of a new record is the object, byte for byte, and it expires with the outer record. Equal objects
    /// with the same key become one record. A record without the property is left as it is, and so is null. Any other
    /// value that is not an object, an object without a key, and a key that a different record has fail the upgrade.
    ///
    /// - Parameters:
    ///   - type: The type name of the outer records.
    ///   - path: The path of the object, or of the elements.
    ///   - newType: The type name of the new records.
    ///   - key: The keys of the new records.
    ///   - remainder: What stays in place of an object; by default its key.
    ///   - owner: The property of the new records that gets the key of the outer record; by default there is none.
    public static func extractRecords(
        _ type: String,
        _ path: PropertyPath,
        as newType: String,
        key: Record.ExtractedKey,
        leaving remainder: Record.ExtractedRemainder = .key,
        owner: PropertyPath? = nil
    ) -> MigrationStep {
        let declaration = ExtractRecordsStep(
            type: type,
            path: path,
            newType: newType,
            key: key,
            remainder: remainder,
            owner: owner
        )
        let action = MigrationStep.Action.run { migration in
            try migration.extractRecords(type, path, as: newType, key: key, leaving: remainder, owner: owner)
        }
        return MigrationStep(declaration, action)
    }
}

struct ExtractRecordsStep: StepDeclaration {
    var type: String
    var path: PropertyPath
    var newType: String
    var key: Record.ExtractedKey
    var remainder: Record.ExtractedRemainder
    var owner: PropertyPath?

    private var place: MigrationStep.Place { .records(ofType: type) }
    private var newPlace: MigrationStep.Place { .records(ofType: newType) }

    var description: String { "extract \(newType) from \(type).\(path)" }
    var identity: [String] {
        let keyParts =
            switch key {
            case .property(let path): ["property"] + path.identity
            case .derived: ["derived"]
            }
        return ["extractRecords", type] + path.identity + [newType] + keyParts + [remainder.rawValue]
            + (owner?.identity ?? [])
    }
    var valueUses: [ValueUse] {
        let move = ValueUse.moves(PropertyPlace(place, path), to: PropertyPlace(newPlace))
        if case .property(let name) = key { return [move, .keys(at: PropertyPlace(place, path + name))] }
        return [move]
    }

    func check(_ check: inout StepCheck) {
        check.use(place, path: path, mayBeWhole: true)
        if path.count == 0 { check.add("No property is named.") }
        if case .property(let path) = key, path.count == 0 || path.hasEach {
            check.add("The key is not the path of one property.")
        }
        if let owner, owner.count == 0 || owner.hasEach { check.add("The owner is not the path of one property.") }
        if let owner, key == .property(owner) { check.add("The owner is the property with the key.") }
        if newType == type { check.add("The new records need a type of their own.") }
        check.replaceValue(place, path)
        check.create(newPlace)
    }
}
