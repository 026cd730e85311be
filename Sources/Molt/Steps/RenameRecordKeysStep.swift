extension MigrationStep {
    /// Gives the records of a type new keys, and merges those that would have the same key.
    ///
    /// ```swift
    /// .renameKeys("Person", to: .property("id"))
    /// .renameKeys("Tag", to: .lowercased, onConflict: .newest(by: "updated"))      // "Swift" and "swift" become one
    /// ```
    ///
    /// Records may exchange keys. Two records of the type with the same new key become one if they are equal; if they
    /// are not, `onConflict` decides. The record that stays expires with the last of them. Reports count the others
    /// among the losses. The result does not depend on the order in which the records were stored.
    ///
    /// - Important: Any policy but ``ConflictPolicy/fail`` can lose contents. References to the old keys in
    ///   other records are not changed.
    ///
    /// If a record of another type has the new key, the upgrade stops with the code `keyExists`. A record without a new
    /// key fails with the code `typeMismatch`, and is subject to the failure policy. A retry from quarantine gives it
    /// its new key, but merges it with no other record: it stays in quarantine if the key is in use.
    ///
    /// For other keys, set ``Record/key`` in ``transform(_:revision:_:)``. For the keys of settings, see
    /// ``renameSetting(_:to:in:onConflict:)`` and ``renameSettings(withPrefix:to:in:onConflict:)``.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - newKey: The source of the new keys.
    ///   - policy: The policy for two different records that would have the same key; by default the upgrade fails with
    ///     the code `keyExists`.
    public static func renameKeys(
        _ type: String,
        to newKey: Record.NewKey,
        onConflict policy: ConflictPolicy<Record> = .fail
    ) -> MigrationStep {
        let declaration = RenameRecordKeysStep(type: type, newKey: newKey, policy: policy)
        return MigrationStep(declaration, .store(.renameKeys(declaration)))
    }
}

struct RenameRecordKeysStep: StepDeclaration {
    var type: String
    var newKey: Record.NewKey
    var policy: ConflictPolicy<Record>

    private var place: StepPlace { .records(ofType: type) }

    var description: String { "rename the keys of \(type) to \(newKey.description)" }
    var identity: [String] { ["renameRecordKeys", type] + newKey.identity + policy.identity }
    var losses: [MigrationReport.DataLoss] { policy.isLossy ? [.merged(type)] : [] }
    var valueUses: [ValueUse] {
        switch newKey {
        case .property(let path): [.keys(at: PropertyPlace(place, path))]
        case .lowercased, .precomposed: [.foldsKeys(newKey)]
        }
    }

    /// The change of a single record, which is merged with no other.
    var edit: RecordEdit {
        RecordEdit(property: newKey.path, skipsSomeValues: false) { record in try record.rename(newKey) }
    }

    func check(_ check: inout StepCheck) {
        if let path = newKey.path {
            check.use(place, path: path)
            if path.hasEach { check.add("The new key is not the path of one property.") }
        } else {
            check.use(place)
        }
        policy.check(&check, at: place)
    }
}

extension ConflictPolicy<Record> {
    /// Checks the property by which records are compared.
    ///
    /// - Parameter path: The path of the objects that become such records.
    func check(_ check: inout StepCheck, at place: StepPlace, inside path: PropertyPath = []) {
        if let fault { check.add(fault) }
        if fault == nil, let newest = self.path { check.use(place, path: path + newest) }
    }
}
