/// A required behavior of a store.
struct StoreBehavior {
    /// A precondition for testing a behavior.
    enum Need {
        case records
        case noRecords
        /// A second object can be made for the same data.
        case reopening
    }

    /// The behavior in a sentence.
    let name: String
    let needs: [Need]
    /// Tests the behavior, and reports violations.
    let body: (StoreTrial) throws -> Void

    init(_ name: String, needs: Need..., body: @escaping (StoreTrial) throws -> Void) {
        self.name = name
        self.needs = needs
        self.body = body
    }

    static var all: [StoreBehavior] {
        ledger + journal + transactions + sharing + reading + writing + types + deferring + originals + upgrades
            + withoutRecords
    }
}
