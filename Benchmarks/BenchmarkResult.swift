/// What was measured for one case in all rounds.
struct BenchmarkResult: Codable, Sendable {
    /// The case's name.
    let name: String
    /// What the case does.
    let summary: String
    /// What is counted.
    let unit: BenchmarkCase.Unit
    /// How many of them one run does.
    let count: Int
    /// The case that the rate is compared with.
    let reference: String?
    /// The duration of each round, in the order in which they were run.
    let seconds: [Double]
    /// The median of the durations.
    let medianSeconds: Double
    /// The shortest duration.
    let minSeconds: Double
    /// The longest duration.
    let maxSeconds: Double
    /// The median of the processor time that the rounds used, of all cores together.
    let processorSeconds: Double
    /// Units per second, by the median.
    let unitsPerSecond: Double
    /// The median of the runs' highest resident memory.
    let peakMemoryBytes: Int

    /// Sums up the rounds of a case; there must be at least one.
    init(_ benchmark: BenchmarkCase, runs: [BenchmarkChild.Measurement]) {
        name = benchmark.name
        summary = benchmark.summary
        unit = benchmark.unit
        count = runs.first?.count ?? 0
        reference = benchmark.reference
        seconds = runs.map(\.seconds)
        medianSeconds = Self.median(seconds)
        minSeconds = seconds.min() ?? 0
        maxSeconds = seconds.max() ?? 0
        processorSeconds = Self.median(runs.map(\.processorSeconds))
        unitsPerSecond = medianSeconds > 0 ? Double(count) / medianSeconds : 0
        peakMemoryBytes = Int(Self.median(runs.map { Double($0.peakMemoryBytes) }))
    }

    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
