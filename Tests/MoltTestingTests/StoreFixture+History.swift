import Molt
import MoltTesting

extension StoreFixture {
    /// The schema version, and the name, the version and the outcome of each row of the ledger.
    var history: String {
        let rows = ledger.map { "\($0.name) \($0.version) \($0.outcome.rawValue)" }
        return (["\(version)"] + rows).joined(separator: ", ")
    }
}
