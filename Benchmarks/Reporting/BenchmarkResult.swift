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
    /// For each round, the duration of the other way to do the same, where a case compares two by turns.
    package let otherSeconds: [Double]?
    /// The median of the durations.
    package let medianSeconds: Double
    /// The shortest duration.
    package let minSeconds: Double
    /// The longest duration.
    package let maxSeconds: Double
    /// The median of the processor time that the rounds used, of all cores together.
    package let processorSeconds: Double
    /// For each round, the part of the processors' time that the host of a virtual machine gave to others, from 0 to 1;
    /// nil in a file of a version that did not ask.
    package let stolenShares: [Double]?
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
        otherSeconds: [Double]? = nil,
        processorSeconds: [Double] = [],
        stolenShares: [Double]? = nil,
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
        self.otherSeconds = otherSeconds
        medianSeconds = Self.median(seconds)
        minSeconds = seconds.min() ?? 0
        maxSeconds = seconds.max() ?? 0
        self.processorSeconds = Self.median(processorSeconds)
        self.stolenShares = stolenShares
        unitsPerSecond = medianSeconds > 0 ? Double(count) / medianSeconds : 0
        self.peakMemoryBytes = Int(Self.median(peakMemoryBytes.map(Double.init)))
    }

    /// The duration as a multiple of the other way's, where a case compares two by turns.
    ///
    /// - Returns: The median of the rounds, the best of them, and the shortest duration of all rounds by the other way's
    ///   shortest, which says something where each is the shortest of turns that do all the work.
    package var timeInTurn: (median: Double, bestRound: Double, shortest: Double)? {
        guard let otherSeconds, otherSeconds.count == seconds.count, otherSeconds.allSatisfy({ $0 > 0 }) else {
            return nil
        }
        let rounds = zip(seconds, otherSeconds).map { $0 / $1 }
        return (Self.median(rounds), rounds.min() ?? 0, minSeconds / (otherSeconds.min() ?? 0))
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
            otherSeconds: runs.allSatisfy { $0.otherSeconds != nil } ? runs.compactMap(\.otherSeconds) : nil,
            processorSeconds: runs.map(\.processorSeconds),
            stolenShares: runs.map(\.stolenShare),
            peakMemoryBytes: runs.map(\.peakMemoryBytes)
        )
    }
}
