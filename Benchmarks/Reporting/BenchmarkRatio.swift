/// A comparison of two cases, with the goal for it if there is one.
package struct BenchmarkRatio: Sendable {
    /// What is compared, in words.
    let title: String
    /// The case that is judged.
    let subject: String
    /// The case that it is compared with.
    let baseline: String
    /// What is compared.
    let measure: Measure
    /// What the value should be; nil when it is only told.
    var goal: BenchmarkGoal?
    /// The row of the goals that the ratio counts for, beside others; its title when nil.
    var row: String?
    /// Whether the goal is for the medians or for the best runs.
    var basis = BenchmarkOutcome.Basis.median
    /// What the value by the best runs must be even on a busy machine and with few records, for `--check`.
    var checkLimit: BenchmarkGoal?

    /// What of two cases is compared.
    package enum Measure: Sendable {
        /// Units per second of the subject, divided by those of the baseline.
        case rate
        /// Seconds of one unit of the subject, divided by those of the baseline.
        case timePerUnit
        /// Seconds of the whole run of the subject, divided by those of the baseline.
        case time
        /// Seconds of the subject, divided by those of the other way that it has measured by turns, each turn all
        /// of it, the best runs being the shortest of all rounds; it is its own baseline.
        case timeInTurn
        /// Units per second of the subject, divided by those of the other way that it has measured by turns, each
        /// turn a part of it; it is its own baseline.
        case rateInTurn
        /// Processor time of one unit of the subject, of all cores together, divided by that of the baseline.
        case processorTimePerUnit
        /// Peak memory of the subject, divided by that of the baseline.
        case memory
        /// Peak memory of the subject minus that of the baseline, in megabytes.
        case extraMemory
    }

    /// Makes a comparison.
    package init(
        title: String,
        subject: String,
        baseline: String,
        measure: Measure,
        goal: BenchmarkGoal? = nil,
        row: String? = nil,
        basis: BenchmarkOutcome.Basis = .median,
        checkLimit: BenchmarkGoal? = nil
    ) {
        self.title = title
        self.subject = subject
        self.baseline = baseline
        self.measure = measure
        self.goal = goal
        self.row = row
        self.basis = basis
        self.checkLimit = checkLimit
    }

    /// The ratio's value; nil when one of its cases was not run.
    package func outcome(in results: [BenchmarkResult]) -> BenchmarkOutcome? {
        guard
            let subjectResult = results.first(where: { $0.name == subject }),
            let baselineResult = results.first(where: { $0.name == baseline }),
            subjectResult.minSeconds > 0, baselineResult.minSeconds > 0,
            subjectResult.count > 0, baselineResult.count > 0
        else { return nil }
        func value(_ seconds: (BenchmarkResult) -> Double) -> Double {
            let time = seconds(subjectResult) / seconds(baselineResult)
            let timePerUnit = time * Double(baselineResult.count) / Double(subjectResult.count)
            switch measure {
            case .rate: return 1 / timePerUnit
            case .timePerUnit: return timePerUnit
            case .time, .timeInTurn, .rateInTurn: return time
            case .processorTimePerUnit:
                return subjectResult.processorSeconds / baselineResult.processorSeconds
                    * Double(baselineResult.count) / Double(subjectResult.count)
            case .memory: return Double(subjectResult.peakMemoryBytes) / Double(baselineResult.peakMemoryBytes)
            case .extraMemory:
                return Double(subjectResult.peakMemoryBytes - baselineResult.peakMemoryBytes) / 1_000_000
            }
        }
        var (median, best) = (value(\.medianSeconds), value(\.minSeconds))
        if measure == .timeInTurn || measure == .rateInTurn {
            guard let factors = subjectResult.timeInTurn else { return nil }
            (median, best) =
                measure == .timeInTurn
                ? (factors.median, factors.shortest) : (1 / factors.median, 1 / factors.bestRound)
        }
        return BenchmarkOutcome(
            title: title,
            row: row,
            subject: subject,
            baseline: baseline,
            quantity: measure == .extraMemory ? .extraMegabytes : .factor,
            value: median,
            bestValue: best,
            basis: basis,
            goal: goal,
            checkLimit: checkLimit
        )
    }
}
