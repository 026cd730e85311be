/// The declaration of a step that works on suites or directories, without its closure.
struct AttachedStoreStep: StepDeclaration {
    /// The step's identity, which must never change.
    var name: String
    /// The description in plans and reports.
    var summary: String
    /// All parameters of the step, for the fingerprint.
    var parameters: [String]
    /// One sentence each.
    var faults: [String] = []

    var description: String { summary }
    var identity: [String] { [name] + parameters }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {
        for fault in faults { check.add(fault) }
        // It may set or remove any setting.
        check.forgetSettings()
    }
}
