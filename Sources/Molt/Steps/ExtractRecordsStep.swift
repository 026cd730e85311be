extension MigrationStep {
    /// Extracts objects inside the records of a type into records of their own.
    ///
    /// ```swift
    /// .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"))
    /// ```
    ///
    /// The content of a new record is the object, byte for byte, and it expires with the outer record. A record without
    /// the property is left as it is, and so is null. Any other value that is not an object fails the upgrade, and so
    /// does an object without a key.
    ///
    /// Equal objects with the same key become one record. For different ones, and for an object and a record that is
    /// there already, `onConflict` decides. The outer records are the same in either case: what stays in place of an
    /// object is the key. Reports count the objects that were lost.
    ///
    /// - Important: Any policy but ``ConflictPolicy/fail`` can lose contents.
    ///
    /// - Parameters:
    ///   - type: The type name of the outer records.
    ///   - path: The path of the object, or of the elements.
    ///   - newType: The type name of the new records.
    ///   - key: The keys of the new records.
    ///   - remainder: What stays in place of an object; by default its key.
    ///   - owner: The property of the new records that gets the key of the outer record; by default there is none. With
    ///     it, equal objects of several outer records differ. Missing or null objects on its path are created.
    ///   - policy: The policy for two different records that would have the same key; by default the upgrade fails with
    ///     the code `keyExists`. With ``ConflictPolicy/keep``, it is the record that is there, or the object of
    ///     the first outer record in the order of the store.
    public static func extractRecords(
        _ type: String,
        _ path: PropertyPath,
        as newType: String,
        key: Record.ExtractedKey,
        leaving remainder: Record.ExtractedRemainder = .key,
        owner: PropertyPath? = nil,
        onConflict policy: ConflictPolicy<Record> = .fail
    ) -> MigrationStep {
        let declaration = ExtractRecordsStep(
            type: type,
            path: path,
            newType: newType,
            key: key,
            remainder: remainder,
            owner: owner,
            policy: policy
        )
        return MigrationStep(declaration, .store(.extract(declaration)))
    }
}

struct ExtractRecordsStep: StepDeclaration {
    var type: String
    var path: PropertyPath
    var newType: String
    var key: Record.ExtractedKey
    var remainder: Record.ExtractedRemainder
    var owner: PropertyPath?
    var policy: ConflictPolicy<Record>

    private var place: StepPlace { .records(ofType: type) }
    private var newPlace: StepPlace { .records(ofType: newType) }

    var description: String { "extract \(newType) from \(place.name(of: path))" }
    var identity: [String] {
        ["extractRecords", type] + path.identity + [newType] + key.identity + [remainder.identity]
            + (owner?.identity ?? []) + (policy.isLossy ? ["onConflict"] + policy.identity : [])
    }
    var losses: [MigrationReport.DataLoss] { policy.isLossy ? [.merged(newType)] : [] }
    var valueUses: [ValueUse] {
        let move = ValueUse.moves(PropertyPlace(place, path), to: PropertyPlace(newPlace))
        return [move] + (key.path.map { [.keys(at: PropertyPlace(place, path + $0))] } ?? [])
    }

    func check(_ check: inout StepCheck) {
        check.useValue(place, path: path)
        if path.count == 0 { check.add("No property is named.") }
        if let path = key.path, path.count == 0 || path.hasEach {
            check.add("The key is not the path of one property.")
        }
        if let owner, owner.count == 0 || owner.hasEach { check.add("The owner is not the path of one property.") }
        if let owner, key == .property(owner) { check.add("The owner is the property with the key.") }
        policy.check(&check, at: place, inside: path)
        if newType == type { check.add("The new records need a type of their own.") }
        check.replaceValue(place, path)
        check.create(newPlace)
    }
}
