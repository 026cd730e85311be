/// A comparison of two cases, with the goal for it if there is one.
struct BenchmarkRatio: Sendable {
    /// What is compared, in words.
    let title: String
    /// The case that is judged.
    let subject: String
    /// The case that it is compared with.
    let baseline: String
    /// What is compared.
    let measure: Measure
    /// What the value should be; nil when it is only told.
    var goal: Goal?

    /// What of two cases is compared.
    enum Measure: String, Codable, Sendable {
        /// Units per second of the subject, divided by those of the baseline.
        case rate
        /// Seconds of one unit of the subject, divided by those of the baseline.
        case timePerUnit
        /// Seconds of the whole run of the subject, divided by those of the baseline.
        case time
        /// Peak memory of the subject minus that of the baseline, in megabytes.
        case extraMemory
    }

    /// A limit for a value.
    enum Goal: Sendable {
        /// The value should be at least this.
        case atLeast(Double)
        /// The value should be at most this.
        case atMost(Double)
    }

    /// A ratio with its value.
    struct Outcome: Codable, Sendable {
        /// What is compared, in words.
        let title: String
        /// The case that is judged.
        let subject: String
        /// The case that it is compared with.
        let baseline: String
        /// What is compared.
        let measure: Measure
        /// The value, by the medians.
        let value: Double
        /// The value by the shortest duration of each case: on a busy machine, closer to what the cases need.
        let bestValue: Double
        /// The least that it should be.
        let atLeast: Double?
        /// The most that it should be.
        let atMost: Double?

        /// Whether the goal is reached; nil when there is none.
        var isReached: Bool? {
            if let atLeast { return value >= atLeast }
            if let atMost { return value <= atMost }
            return nil
        }
    }

    /// The ratio's value; nil when one of its cases was not run.
    func outcome(in results: [BenchmarkResult]) -> Outcome? {
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
            case .time: return time
            case .extraMemory:
                return Double(subjectResult.peakMemoryBytes - baselineResult.peakMemoryBytes) / 1_000_000
            }
        }
        var atLeast: Double?
        var atMost: Double?
        switch goal {
        case .atLeast(let limit): atLeast = limit
        case .atMost(let limit): atMost = limit
        case nil: break
        }
        return Outcome(
            title: title,
            subject: subject,
            baseline: baseline,
            measure: measure,
            value: value(\.medianSeconds),
            bestValue: value(\.minSeconds),
            atLeast: atLeast,
            atMost: atMost
        )
    }
}
