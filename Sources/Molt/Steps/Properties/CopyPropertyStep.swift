extension MigrationStep {
    /// Copies a property within each record of a type, byte for byte.
    ///
    /// ```swift
    /// .copyProperty("Person", "email", to: "contactEmail")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - newPath: The path of the copy; missing or null objects on it are created.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is. A record with a
    ///     property at the new path fails the upgrade with the code `propertyExists`.
    public static func copyProperty(
        _ type: String,
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(CopyPropertyStep(type: type, path: path, newPath: newPath, ifMissing: ifMissing))
    }
}

struct CopyPropertyStep: RecordStep {
    var type: String
    var path: PropertyPath
    var newPath: PropertyPath
    var ifMissing: Record.MissingProperty

    var description: String { "copy \(type).\(path) to \(newPath)" }
    var identity: [String] { ["copyProperty", type] + path.identity + newPath.identity + [ifMissing.rawValue] }
    var valueUses: [ValueUse] { [.moves(PropertyPlace(type, path), to: PropertyPlace(type, newPath))] }

    var edit: RecordEdit {
        RecordEdit(typeName: type, property: path) { try $0.copy(path, to: newPath, ifMissing: ifMissing) }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path)
        check.checkNames([newPath], besides: path)
        guard path.count > 0, newPath.count > 0 else { return }
        if newPath.starts(with: path) { check.add("The property \(type).\(path) is copied into itself.") }
        check.put(type, newPath)
    }
}
