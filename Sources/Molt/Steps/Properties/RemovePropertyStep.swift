extension MigrationStep {
    /// Removes a property from the records of a type, or from settings.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    /// - Important: The property's values are lost when the upgrade is committed.
    public static func removeProperty(
        _ place: some Place,
        _ path: PropertyPath,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(RemovePropertyStep(place: StepPlace(place), path: path, ifMissing: ifMissing))
    }
}

struct RemovePropertyStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var ifMissing: Record.MissingProperty

    var description: String { "remove \(place.name(of: path))\(place.suffix)" }
    var identity: [String] { place.identity(of: "removeProperty") + path.identity + [ifMissing.identity] }
    var valueUses: [ValueUse] { [] }
    var losses: [MigrationReport.DataLoss] { [MigrationReport.DataLoss(.property, place.name(of: path))] }

    var edit: RecordEdit {
        RecordEdit(property: path, skipsSomeValues: false) { try $0.remove(path, ifMissing: ifMissing) }
    }

    func check(_ check: inout StepCheck) {
        check.use(place, path: path)
        check.remove(place, path)
    }
}
