extension MigrationStep {
    /// Renames a type for all its records; this changes one row of the store, for any number of records.
    ///
    /// If there are already records with the new name, the two types are merged. If no record has the old name, nothing
    /// happens.
    ///
    /// ```swift
    /// .renameType("Alien", to: "Person")
    /// ```
    public static func renameType(_ name: String, to newName: String) -> MigrationStep {
        MigrationStep(RenameTypeStep(name: name, newName: newName), .records(.renameType(name, to: newName)))
    }
}

struct RenameTypeStep: StepDeclaration {
    var name: String
    var newName: String

    private var place: StepPlace { .records(ofType: name) }
    private var newPlace: StepPlace { .records(ofType: newName) }

    var description: String { "rename the type \(name) to \(newName)" }
    var identity: [String] { ["renameType", name, newName] }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [.moves(PropertyPlace(place), to: PropertyPlace(newPlace))] }

    func check(_ check: inout StepCheck) {
        check.use(place)
        if newName.isEmpty { check.add("The new type name is empty.") }
        if ExactName.isSame(name, newName) { check.add("The type \(name) is renamed to its own name.") }
        check.rename(place, to: newPlace)
    }
}
