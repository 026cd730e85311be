extension MigrationStep {
    /// Renames a property in the records of a type, or in settings.
    ///
    /// It keeps its value and its place, and nothing is created around it.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property, such as `["address", "zip"]`.
    ///   - newName: The new name, without the path.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    ///   - policy: The policy for a record in which another value has the new name; by default it fails with the code
    ///     `propertyExists`.
    public static func renameProperty(
        _ place: some Place,
        _ path: PropertyPath,
        to newName: String,
        ifMissing: Record.MissingProperty = .skip,
        onConflict policy: ConflictPolicy<RecordValue> = .fail
    ) -> MigrationStep {
        MigrationStep(
            RenamePropertyStep(
                place: StepPlace(place),
                path: path,
                newName: newName,
                ifMissing: ifMissing,
                onConflict: policy
            )
        )
    }
}

struct RenamePropertyStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var newName: String
    var ifMissing: Record.MissingProperty
    var onConflict: ConflictPolicy<RecordValue>

    var description: String { "rename \(place.name(of: path)) to \(newName)\(place.suffix)\(onConflict.phrase)" }
    var identity: [String] {
        place.identity(of: "renameProperty") + path.identity + [newName, ifMissing.identity] + onConflict.valueIdentity
    }
    var losses: [MigrationReport.DataLoss] {
        onConflict.losesValue(isCopy: false) ? [.conflicts(at: place.name(of: newPath))] : []
    }
    var valueUses: [ValueUse] { [.moves(PropertyPlace(place, path), to: PropertyPlace(place, newPath))] }
    private var newPath: PropertyPath { path.parent + PropertyPath(newName) }

    var edit: RecordEdit {
        RecordEdit(property: path, skipsSomeValues: false, runsClosure: onConflict.runsClosure) {
            try $0.rename(path, to: newName, ifMissing: ifMissing, onConflict: onConflict)
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(place, path: path)
        guard path.count > 0 else { return }
        if newPath == path { check.add("The property \(place.name(of: newPath)) is renamed to its own name.") }
        check.replace(place, [path], by: [newPath], "renamed to \(newName)")
    }
}
