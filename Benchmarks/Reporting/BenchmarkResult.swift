/// What was measured for one case in all rounds.
package struct BenchmarkResult: Codable, Sendable {
    /// The case's name.
    package let name: String
    /// What the case does.
    package let summary: String
    /// What is counted.
    package let unit: BenchmarkCase.Unit
    /// How many of them one run does.
    package let count: Int
    /// How large the records are.
    package let recordSize: RecordSize
    /// How many bytes of content one run works on; nil when it is no matter of content.
    package let bytes: Int?
    /// The case that the rate is compared with.
    package let reference: String?
    /// The duration of each round, in the order in which they were run.
    package let seconds: [Double]
    /// The median of the durations.
    package let medianSeconds: Double
    /// The shortest duration.
    package let minSeconds: Double
    /// The longest duration.
    package let maxSeconds: Double
    /// The median of the processor time that the rounds used, of all cores together.
    package let processorSeconds: Double
    /// Units per second, by the median.
    package let unitsPerSecond: Double
    /// The median of the runs' highest resident memory.
    package let peakMemoryBytes: Int

    /// Sums up the rounds of a case; there must be at least one.
    package init(
        name: String,
        summary: String = "",
        unit: BenchmarkCase.Unit = .records,
        count: Int,
        recordSize: RecordSize = .small,
        bytes: Int? = nil,
        reference: String? = nil,
        seconds: [Double],
        processorSeconds: [Double] = [],
        peakMemoryBytes: [Int] = []
    ) {
        self.name = name
        self.summary = summary
        self.unit = unit
        self.count = count
        self.recordSize = recordSize
        self.bytes = bytes
        self.reference = reference
        self.seconds = seconds
        medianSeconds = Self.median(seconds)
        minSeconds = seconds.min() ?? 0
        maxSeconds = seconds.max() ?? 0
        self.processorSeconds = Self.median(processorSeconds)
        unitsPerSecond = medianSeconds > 0 ? Double(count) / medianSeconds : 0
        self.peakMemoryBytes = Int(Self.median(peakMemoryBytes.map(Double.init)))
    }

    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension BenchmarkResult {
    /// Sums up the runs of a case.
    ///
    /// - Parameter meanBytes: How many bytes the content of a record of the case has on average.
    init(_ benchmark: BenchmarkCase, runs: [BenchmarkChild.Measurement], meanBytes: Double?) {
        let count = runs.first?.count ?? 0
        let estimate = benchmark.isAboutContents ? meanBytes.map { Int($0 * Double(count)) } : nil
        self.init(
            name: benchmark.name,
            summary: benchmark.summary,
            unit: benchmark.unit,
            count: count,
            recordSize: benchmark.recordSize,
            bytes: runs.first?.bytes ?? estimate,
            reference: benchmark.reference,
            seconds: runs.map(\.seconds),
            processorSeconds: runs.map(\.processorSeconds),
            peakMemoryBytes: runs.map(\.peakMemoryBytes)
        )
    }
}
