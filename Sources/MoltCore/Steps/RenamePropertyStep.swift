extension MigrationStep {
    /// Renames a property of each record of a type; its value, its place and all else stay as they were written.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it: `["address", "zip"]`.
    ///   - newName: The new name alone.
    ///   - ifMissing: What to do with a record that has no such property; leaves it as it is by default. A record
    ///     that has a property with the new name already fails the upgrade, with the code `propertyExists`.
    public static func renameProperty(
        _ type: String,
        _ path: PropertyPath,
        to newName: String,
        ifMissing: MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(RenamePropertyStep(type: type, path: path, newName: newName, ifMissing: ifMissing))
    }
}

/// The declaration of `renameProperty`.
struct RenamePropertyStep: RecordStep {
    static let kind = "renameProperty"

    var type: String
    var path: PropertyPath
    var newName: String
    var ifMissing: MigrationStep.MissingProperty

    var requiredProperty: PropertyPath? { path }
    var description: String { "rename \(type).\(path) to \(newName)" }
    var identity: [String] { [Self.kind, type, String(path.count)] + path.names + [newName, ifMissing.rawValue] }

    var change: StepChange {
        { record in
            if try !record.renameIfPresent(path, to: newName), ifMissing == .fail { throw record.missing(path) }
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path)
        guard path.count > 0 else { return }
        let newPath = PropertyPath(path.names.dropLast() + [newName])
        if newPath == path { check.add("The property \(type).\(newName) is renamed to its own name.") }
        check.relocate(type, path, to: newPath, "renamed to \(newName)", ifMissing)
    }
}
