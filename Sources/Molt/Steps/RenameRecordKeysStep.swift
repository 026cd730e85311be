extension MigrationStep {
    /// Gives the records of a type new keys, and merges those that would have the same key.
    ///
    /// ```swift
    /// .renameKeys("Person", to: .property("id"))
    /// .renameKeys("Tag", to: .lowercased, onConflict: .newest(by: "updated"))      // "Swift" and "swift" become one
    /// ```
    ///
    /// Records may exchange keys. Two records of the type with the same new key become one if they are equal; if they
    /// are not, `onConflict` decides. The record that stays expires with the last of them. Reports list the others
    /// among the losses. The result does not depend on the order in which the records were stored.
    ///
    /// A key that a record of another type has stops the upgrade with the code `keyExists`. A record without a new key
    /// fails with the code `typeMismatch`, and is subject to the failure policy.
    ///
    /// For other keys, set ``Record/key`` in ``transform(_:revision:_:)``. For the keys of settings, see
    /// ``renameKey(_:to:in:)`` and ``renameKeys(withPrefix:to:in:)``.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - newKey: The source of the new keys.
    ///   - policy: The policy for two different records that would have the same key; by default the upgrade fails with
    ///     the code `keyExists`.
    public static func renameKeys(
        _ type: String,
        to newKey: Record.NewKey,
        onConflict policy: Record.ConflictPolicy = .stop
    ) -> MigrationStep {
        let declaration = RenameRecordKeysStep(type: type, newKey: newKey, policy: policy)
        return MigrationStep(declaration, .run { try $0.renameKeys(type, to: newKey, onConflict: policy) })
    }
}

struct RenameRecordKeysStep: StepDeclaration {
    var type: String
    var newKey: Record.NewKey
    var policy: Record.ConflictPolicy

    private var place: MigrationStep.Place { .records(ofType: type) }

    var description: String { "rename the keys of \(type) to \(newKey.description)" }
    var identity: [String] { ["renameRecordKeys", type] + newKey.identity + policy.identity }
    var losses: [MigrationReport.DataLoss] { policy.isLossy ? [.init(.merged, type)] : [] }
    var runsClosure: Bool { policy.runsClosure }
    var valueUses: [ValueUse] {
        if case .property(let path) = newKey { [.keys(at: PropertyPlace(place, path))] } else { [] }
    }

    func check(_ check: inout StepCheck) {
        if case .property(let path) = newKey {
            check.use(place, path: path)
            if path.hasEach { check.add("The new key is not the path of one property.") }
        } else {
            check.use(place)
        }
        if let fault = policy.fault { check.add(fault) }
    }
}
