/// One row of the goals: what must be reached, and what the cases that it is about have reached.
package struct BenchmarkGoalRow: Codable, Sendable {
    /// What it is about.
    package let title: String
    /// What must be reached by all of them.
    package let goal: BenchmarkGoal
    /// The figures, in the order of the ratios.
    package let outcomes: [BenchmarkOutcome]
    /// The case that is furthest from the goal.
    package let worst: String
    /// Whether all of them have reached it.
    package let isReached: Bool

    /// Gathers the figures that have a goal, those of one row in one.
    package static func rows(of outcomes: [BenchmarkOutcome]) -> [BenchmarkGoalRow] {
        var titles: [String] = []
        var gathered: [String: [BenchmarkOutcome]] = [:]
        for outcome in outcomes {
            guard let title = outcome.row else { continue }
            if gathered[title] == nil { titles.append(title) }
            gathered[title, default: []].append(outcome)
        }
        return titles.compactMap { title in
            guard let outcomes = gathered[title], let goal = outcomes.first?.goal else { return nil }
            let worst = outcomes.min { goal.margin(of: $0.judgedValue) < goal.margin(of: $1.judgedValue) }
            return BenchmarkGoalRow(
                title: title,
                goal: goal,
                outcomes: outcomes,
                worst: worst?.subject ?? "",
                isReached: outcomes.allSatisfy { $0.isReached ?? true }
            )
        }
    }
}
