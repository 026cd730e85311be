extension MigrationStep {
    /// Removes a property from each record of a type.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    /// - Important: The property's values are lost when the upgrade is committed.
    public static func removeProperty(
        _ type: String,
        _ path: PropertyPath,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(RemovePropertyStep(type: type, path: path, ifMissing: ifMissing))
    }
}

struct RemovePropertyStep: RecordStep {
    var type: String
    var path: PropertyPath
    var ifMissing: Record.MissingProperty

    var description: String { "remove \(type).\(path)" }
    var identity: [String] { ["removeProperty", type] + path.identity + [ifMissing.rawValue] }
    var losses: [MigrationReport.DataLoss] { [MigrationReport.DataLoss(.property, "\(type).\(path)")] }

    var edit: RecordEdit {
        RecordEdit(typeName: type, property: path) { try $0.remove(path, ifMissing: ifMissing) }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path)
        check.remove(type, path)
    }
}
