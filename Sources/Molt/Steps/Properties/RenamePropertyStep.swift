extension MigrationStep {
    /// Renames a property in each record of a type; everything else stays as it was written.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property, such as `["address", "zip"]`.
    ///   - newName: The new name, without the path.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is. A record that
    ///     already has the new name fails the upgrade with the code `propertyExists`.
    public static func renameProperty(
        _ type: String,
        _ path: PropertyPath,
        to newName: String,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(RenamePropertyStep(type: type, path: path, newName: newName, ifMissing: ifMissing))
    }
}

struct RenamePropertyStep: RecordStep {
    var type: String
    var path: PropertyPath
    var newName: String
    var ifMissing: Record.MissingProperty

    var description: String { "rename \(type).\(path) to \(newName)" }
    var identity: [String] { ["renameProperty", type] + path.identity + [newName, ifMissing.rawValue] }
    var valueUses: [ValueUse] { [.moves(PropertyPlace(type, path), to: PropertyPlace(type, newPath))] }
    private var newPath: PropertyPath { path.parent + PropertyPath(newName) }

    var edit: RecordEdit {
        RecordEdit(typeName: type, property: path) { try $0.rename(path, to: newName, ifMissing: ifMissing) }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path)
        guard path.count > 0 else { return }
        if newPath == path { check.add("The property \(type).\(newName) is renamed to its own name.") }
        check.replace(type, [path], by: [newPath], "renamed to \(newName)")
    }
}
