/// A figure that was made of one case or of two, with the goal for it if there is one.
package struct BenchmarkOutcome: Codable, Sendable {
    /// What is judged, in words.
    package let title: String
    /// The row of the goals that it counts for; nil when it is only told.
    package let row: String?
    /// The case that is judged.
    package let subject: String
    /// The case that it is compared with; nil when it is judged by itself.
    package let baseline: String?
    /// What the figure is.
    package let quantity: Quantity
    /// The figure by the medians.
    package let value: Double
    /// The figure by the shortest duration of each case: on a busy machine, closer to what the cases need.
    package let bestValue: Double
    /// Which of the two is compared with the goal.
    package let basis: Basis
    /// What it should be.
    package let goal: BenchmarkGoal?
    /// What it must be even on a busy machine, by the best runs, for `--check`.
    package let checkLimit: BenchmarkGoal?
    /// Whether the goal is reached; nil when there is none.
    package let isReached: Bool?

    /// What a figure is.
    package enum Quantity: String, Codable, Sendable {
        /// How many times as much as the baseline.
        case factor
        /// Megabytes more than the baseline.
        case extraMegabytes
        /// Units per second.
        case perSecond
        /// Megabytes of content per second.
        case megabytesPerSecond
    }

    /// Which runs a figure is made of.
    package enum Basis: String, Codable, Sendable {
        /// Those in the middle.
        case median
        /// The shortest ones.
        case best
    }

    /// Makes an outcome, and finds out whether its goal is reached.
    package init(
        title: String,
        row: String? = nil,
        subject: String,
        baseline: String? = nil,
        quantity: Quantity = .factor,
        value: Double,
        bestValue: Double,
        basis: Basis = .median,
        goal: BenchmarkGoal? = nil,
        checkLimit: BenchmarkGoal? = nil
    ) {
        self.title = title
        self.row = goal == nil ? nil : row ?? title
        self.subject = subject
        self.baseline = baseline
        self.quantity = quantity
        self.value = value
        self.bestValue = bestValue
        self.basis = basis
        self.goal = goal
        self.checkLimit = checkLimit
        isReached = goal?.isReached(by: basis == .median ? value : bestValue)
    }

    /// The figure that is compared with the goal.
    package var judgedValue: Double {
        basis == .median ? value : bestValue
    }
}
