extension MigrationStep {
    /// Moves a property within each record of a type; its value stays byte for byte the same.
    ///
    /// ```swift
    /// .moveProperty("Person", "street", to: ["address", "street"])
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - newPath: Its new path; missing or null objects on it are created.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is. A record with a
    ///     property at the new path fails the upgrade with the code `propertyExists`.
    public static func moveProperty(
        _ type: String,
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(MovePropertyStep(type: type, path: path, newPath: newPath, ifMissing: ifMissing))
    }
}

struct MovePropertyStep: RecordStep {
    var type: String
    var path: PropertyPath
    var newPath: PropertyPath
    var ifMissing: Record.MissingProperty

    var description: String { "move \(type).\(path) to \(newPath)" }
    var identity: [String] { ["moveProperty", type] + path.identity + newPath.names + [ifMissing.rawValue] }
    var valueUses: [ValueUse] { [.moves(PropertyPlace(type, path), to: PropertyPlace(type, newPath))] }

    var edit: RecordEdit {
        RecordEdit(typeName: type, property: path) { try $0.move(path, to: newPath, ifMissing: ifMissing) }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path)
        check.checkNames([newPath], besides: path)
        guard path.count > 0, newPath.count > 0 else { return }
        if newPath.starts(with: path) { check.add("The property \(type).\(path) is moved into itself.") }
        check.replace(type, [path], by: [newPath], "moved to \(newPath)")
    }
}
