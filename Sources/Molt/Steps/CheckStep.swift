/// The declaration of a check, which a migration runs after its other steps, without its closure.
///
/// It changes nothing, so it is no part of the fingerprint, and whatever needs no whole store passes over it.
struct CheckStep: StepDeclaration {
    var summary: String

    var description: String { "check: \(summary)" }
    var identity: [String] { ["check"] }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {}
}
