/// How a case compares with another one, or with the other way that it measures itself.
package struct BenchmarkRatio: Sendable {
    /// What is compared.
    package let measure: Measure
    /// The other case; nil for the other way that the case measures in turn with the first.
    package let baseline: String?
    /// What must hold even on a busy machine and with few records, for `--check`; nil when nothing is checked.
    package let limit: Limit?

    /// What is compared.
    package enum Measure: String, Codable, Sendable {
        /// Units per second, as a multiple of the baseline's.
        case rate
        /// Seconds a unit, as a multiple of the baseline's.
        case time
        /// Processor time a unit, of all cores together, as a multiple of the baseline's.
        case processorTime
        /// Peak memory, as a multiple of the baseline's.
        case memory
        /// Peak memory beyond the baseline's, in megabytes.
        case extraMegabytes
    }

    /// A limit for a figure.
    package struct Limit: Codable, Hashable, Sendable {
        package var atLeast: Double?
        package var atMost: Double?

        /// Whether a figure is within the limit.
        package func holds(for value: Double) -> Bool {
            value >= atLeast ?? -.infinity && value <= atMost ?? .infinity
        }
    }

    /// What came out in one run of the benchmark.
    package struct Outcome: Codable, Sendable {
        /// The case.
        package let subject: String
        /// The case that it is compared with, or the other way in words.
        package let baseline: String
        /// What is compared.
        package let measure: Measure
        /// The ratio of the medians.
        package let value: Double
        /// The ratio of the best runs, which others on the machine have disturbed least.
        package let bestValue: Double
        /// What the ratio of the best runs must be.
        package let limit: Limit?

        /// Whether the limit holds.
        package var isWithinLimit: Bool {
            limit?.holds(for: bestValue) ?? true
        }
    }

    /// Compares a case.
    package init(_ measure: Measure, of baseline: String? = nil, atLeast: Double? = nil, atMost: Double? = nil) {
        self.measure = measure
        self.baseline = baseline
        limit = atLeast == nil && atMost == nil ? nil : Limit(atLeast: atLeast, atMost: atMost)
    }

    /// The ratio; nil when the baseline was not measured.
    package func outcome(for subject: BenchmarkResult, in results: [BenchmarkResult]) -> Outcome? {
        let figures: (value: Double, best: Double)
        if let baseline {
            guard let other = results.first(where: { $0.name == baseline }) else { return nil }
            figures = (ratio(subject, other, \.medianSeconds), ratio(subject, other, \.minSeconds))
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

    /// The ratio of the two ways that a case measures: of the runs' ratios, the median and the best.
    private func ratioOfWays(_ result: BenchmarkResult) -> (value: Double, best: Double)? {
        guard let times = result.timesAsLong, let shortest = times.min() else { return nil }
        switch measure {
        case .rate: return (1 / times.median, 1 / shortest)
        case .time: return (times.median, shortest)
        case .processorTime:
            let ratio = result.otherProcessorSeconds.map { result.processorSeconds / $0 }
            return ratio.map { ($0, $0) }
        case .memory, .extraMegabytes: return nil
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
        case .time: subject[keyPath: seconds] / other[keyPath: seconds] * counts
        case .processorTime: subject.processorSeconds / other.processorSeconds * counts
        case .memory: Double(subject.peakMemoryBytes) / Double(other.peakMemoryBytes)
        case .extraMegabytes: Double(subject.peakMemoryBytes - other.peakMemoryBytes) / 1_000_000
        }
    }
}
