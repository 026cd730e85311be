/// How much one case does in a second, with the goal for it.
package struct BenchmarkRate: Sendable {
    /// What is judged, in words.
    let title: String
    /// The case that is judged.
    let subject: String
    /// What is counted.
    let measure: Measure
    /// How much there should be.
    let goal: BenchmarkGoal
    /// The row of the goals that the rate counts for, beside others; its title when nil.
    let row: String?

    /// What is counted.
    package enum Measure: Sendable {
        /// The case's own units.
        case units
        /// Megabytes of content.
        case megabytes
    }

    /// Makes a rate.
    package init(title: String, subject: String, measure: Measure, goal: BenchmarkGoal, row: String? = nil) {
        self.title = title
        self.subject = subject
        self.measure = measure
        self.goal = goal
        self.row = row
    }

    /// The rate's value; nil when its case was not run.
    package func outcome(in results: [BenchmarkResult]) -> BenchmarkOutcome? {
        guard let result = results.first(where: { $0.name == subject }), result.minSeconds > 0 else { return nil }
        let amount: Double
        switch measure {
        case .units: amount = Double(result.count)
        case .megabytes:
            guard let bytes = result.bytes else { return nil }
            amount = Double(bytes) / 1_000_000
        }
        return BenchmarkOutcome(
            title: title,
            row: row,
            subject: subject,
            quantity: measure == .units ? .perSecond : .megabytesPerSecond,
            value: amount / result.medianSeconds,
            bestValue: amount / result.minSeconds,
            goal: goal
        )
    }
}
