/// One thing that a store must do.
struct StoreBehavior {
    /// What a store must have, so that it can be tried.
    enum Need {
        /// It keeps records.
        case records
        /// It keeps none.
        case noRecords
        /// A second object for the same data can be made.
        case reopening
    }

    /// The behaviour in a sentence.
    let name: String
    let needs: [Need]
    /// Tries it, and reports what is not as it must be.
    let body: (StoreTrial) throws -> Void

    init(_ name: String, needs: Need..., body: @escaping (StoreTrial) throws -> Void) {
        self.name = name
        self.needs = needs
        self.body = body
    }

    /// All of them.
    static var all: [StoreBehavior] {
        ledger + journal + transactions + sharing + reading + writing + types + deferring + originals + upgrades
            + withoutRecords
    }
}
