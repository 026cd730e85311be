/// A comparison of a case with another case or with its own alternative.
struct BenchmarkRatio: Sendable {
    let measure: Measure
    /// The name of the other case; nil for the case's own alternative.
    let baseline: String?
    /// The limit for `--check`, which holds even on a busy machine and with few records; nil for none.
    let limit: Limit?

    enum Measure: String, Codable, Sendable {
        /// Units per second, as a multiple of the baseline's.
        case rate
        /// Seconds per unit, as a multiple of the baseline's.
        case time
        /// Seconds of processor time per unit, as a multiple of the baseline's.
        case processorTime
        /// Peak memory, as a multiple of the baseline's.
        case memory
        /// Peak memory beyond the baseline's, in megabytes.
        case extraMegabytes
    }

    struct Limit: Codable, Hashable, Sendable {
        var atLeast: Double?
        var atMost: Double?

        func holds(for value: Double) -> Bool {
            value >= atLeast ?? -.infinity && value <= atMost ?? .infinity
        }
    }

    /// The outcome of a comparison in one run of the benchmark.
    struct Outcome: Codable, Sendable {
        /// The name of the case.
        let subject: String
        /// The name of the other case, or the description of the alternative.
        let baseline: String
        let measure: Measure
        /// The ratio of the medians.
        let value: Double
        /// The ratio of the best runs, which other processes have disturbed least.
        let bestValue: Double
        /// The limit for the ratio of the best runs.
        let limit: Limit?

        var isWithinLimit: Bool {
            limit?.holds(for: bestValue) ?? true
        }
    }

    init(_ measure: Measure, of baseline: String? = nil, atLeast: Double? = nil, atMost: Double? = nil) {
        self.measure = measure
        self.baseline = baseline
        limit = atLeast == nil && atMost == nil ? nil : Limit(atLeast: atLeast, atMost: atMost)
    }

    /// The memory of a case beyond that with few records; at the full count, it must be about the same.
    static func extraMemory(of name: String) -> BenchmarkRatio {
        BenchmarkRatio(.extraMegabytes, of: BenchmarkCase.nameWithFewRecords(name), atMost: 20)
    }

    /// Computes the outcome; nil when the baseline was not measured.
    func outcome(for subject: BenchmarkResult, in results: [BenchmarkResult]) -> Outcome? {
        let figures: (value: Double, best: Double)
        if let baseline {
            guard let other = results.first(where: { $0.name == baseline }) else { return nil }
            figures =
                measure == .processorTime
                ? (ratio(subject, other, \.processorSeconds), ratio(subject, other, \.processorSeconds))
                : (ratio(subject, other, \.medianSeconds), ratio(subject, other, \.minSeconds))
        } else {
            guard let figure = ratioOfWays(subject) else { return nil }
            figures = figure
        }
        return Outcome(
            subject: subject.name,
            baseline: baseline ?? subject.other ?? "the other way",
            measure: measure,
            value: figures.value,
            bestValue: figures.best,
            limit: limit
        )
    }

    /// The median and the best of the runs' ratios between the two ways of a case.
    private func ratioOfWays(_ result: BenchmarkResult) -> (value: Double, best: Double)? {
        guard let times = result.timesAsLong, let shortest = times.min() else { return nil }
        switch measure {
        case .rate: return (1 / times.median, 1 / shortest)
        case .time: return (times.median, shortest)
        case .processorTime, .memory, .extraMegabytes: return nil
        }
    }

    private func ratio(
        _ subject: BenchmarkResult,
        _ other: BenchmarkResult,
        _ seconds: KeyPath<BenchmarkResult, Double>
    ) -> Double {
        let counts = Double(other.count) / Double(subject.count)
        return switch measure {
        case .rate: other[keyPath: seconds] / subject[keyPath: seconds] / counts
        case .time, .processorTime: subject[keyPath: seconds] / other[keyPath: seconds] * counts
        case .memory: Double(subject.peakMemoryBytes) / Double(other.peakMemoryBytes)
        case .extraMegabytes: Double(subject.peakMemoryBytes - other.peakMemoryBytes) / 1_000_000
        }
    }
}
