extension MigrationStep {
    /// Deletes all records of a type.
    ///
    /// - Important: The records are lost when the upgrade is committed.
    public static func deleteType(_ name: String) -> MigrationStep {
        MigrationStep(DeleteTypeStep(name: name), .deleteType(name))
    }
}

struct DeleteTypeStep: StepDeclaration {
    var name: String

    var description: String { "delete the type \(name)" }
    var identity: [String] { ["deleteType", name] }
    var losses: [MigrationReport.DataLoss] { [.init(.records, name)] }

    func check(_ check: inout StepCheck) {
        check.use(.records(ofType: name))
        check.delete(.records(ofType: name))
    }
}
