import CMoltSQLite
package import Foundation

/// Everything that a run measured, as it is written to JSON.
package struct BenchmarkReport: Codable, Sendable {
    /// Where and when it was measured.
    package let machine: Machine
    /// On how many records, and how often.
    package let settings: Settings
    /// The cases, in the order of the table.
    package let results: [BenchmarkResult]
    /// The comparisons.
    package let ratios: [BenchmarkRatio.Outcome]

    /// On how many records it was measured, and how often.
    package struct Settings: Codable, Sendable {
        /// Records in the large cases.
        package let records: Int
        /// Runs of each case.
        package let runs: Int
        /// Whether the counts are the small ones of `--quick`.
        package let isQuick: Bool

        /// Creates the settings of a run.
        package init(records: Int, runs: Int, isQuick: Bool = false) {
            self.records = records
            self.runs = runs
            self.isQuick = isQuick
        }
    }

    /// Compares the results as their cases say.
    package init(machine: Machine, settings: Settings, results: [BenchmarkResult], cases: [BenchmarkCase]) {
        self.machine = machine
        self.settings = settings
        self.results = results
        ratios = results.flatMap { result in
            let benchmark = cases.first { $0.name == result.name }
            return (benchmark?.ratios ?? []).compactMap { $0.outcome(for: result, in: results) }
        }
    }

    /// Reads a file that ``json()`` was written to.
    ///
    /// - Throws: ``BenchmarkArguments/UsageError`` when the file cannot be read, or is another one.
    package init(contentsOf file: String) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            self = try decoder.decode(BenchmarkReport.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        } catch is DecodingError {
            throw BenchmarkArguments.UsageError(message: "\"\(file)\" was not written by --json of this benchmark.")
        } catch {
            throw BenchmarkArguments.UsageError(message: "Cannot read \"\(file)\".")
        }
    }

    /// The report as JSON.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

/// What one run of a case measured.
package struct BenchmarkRun: Codable, Sendable {
    /// How many units were done.
    package var count: Int
    /// How many bytes of content they had, where that matters.
    package var bytes: Int?
    /// How long the timed parts took.
    package var seconds: Double
    /// How long they took in the other way.
    package var otherSeconds: Double?
    /// The processor time of the timed parts, of all cores together: less disturbed by others than the duration.
    package var processorSeconds = 0.0
    /// That of the other way.
    package var otherProcessorSeconds: Double?
    /// The share of the processors' time that the host of a virtual machine gave to others, from 0 to 1.
    package var stolenShare = 0.0
    /// The highest resident memory of the process, up to the end of the timed parts.
    package var peakMemoryBytes = 0

    /// Creates a run.
    package init(count: Int, seconds: Double) {
        self.count = count
        self.seconds = seconds
    }
}

/// What was measured for one case in all rounds.
package struct BenchmarkResult: Codable, Sendable {
    /// The case.
    package let name: String
    /// What the case does.
    package let summary: String
    /// The other way to do the same, where the case measures two.
    package let other: String?
    /// How many units one run does.
    package let count: Int
    /// How large the records are.
    package let recordSize: RecordSize
    /// How many bytes of content one run works on, where that matters.
    package let bytes: Int?
    /// The duration of each run, in the order in which they were made.
    package let seconds: [Double]
    /// The duration of each run of the other way.
    package let otherSeconds: [Double]?
    /// The median of the durations.
    package let medianSeconds: Double
    /// The shortest duration.
    package let minSeconds: Double
    /// The longest duration.
    package let maxSeconds: Double
    /// The median of the runs' processor time, of all cores together.
    package let processorSeconds: Double
    /// The median of the other way's processor time.
    package let otherProcessorSeconds: Double?
    /// For each run, the share of the processors' time that the host of a virtual machine gave to others, from 0 to 1.
    package let stolenShares: [Double]?
    /// Units per second, by the median.
    package let unitsPerSecond: Double
    /// The median of the runs' highest resident memory.
    package let peakMemoryBytes: Int

    /// Sums up the runs of a case; there must be at least one.
    package init(
        name: String,
        summary: String = "",
        other: String? = nil,
        recordSize: RecordSize = .small,
        runs: [BenchmarkRun]
    ) {
        func ofOther<Value>(_ value: KeyPath<BenchmarkRun, Value?>) -> [Value]? {
            other == nil ? nil : runs.compactMap { $0[keyPath: value] }
        }
        self.name = name
        self.summary = summary
        self.other = other
        self.recordSize = recordSize
        count = runs.first?.count ?? 0
        bytes = runs.first?.bytes
        seconds = runs.map(\.seconds)
        otherSeconds = ofOther(\.otherSeconds)
        medianSeconds = seconds.median
        minSeconds = seconds.min() ?? 0
        maxSeconds = seconds.max() ?? 0
        processorSeconds = runs.map(\.processorSeconds).median
        otherProcessorSeconds = ofOther(\.otherProcessorSeconds)?.median
        stolenShares = runs.map(\.stolenShare)
        unitsPerSecond = Double(count) / medianSeconds
        peakMemoryBytes = Int(runs.map { Double($0.peakMemoryBytes) }.median)
    }

    /// For each run, the duration as a multiple of the other way's; nil when there is no other way.
    package var timesAsLong: [Double]? {
        guard let otherSeconds, otherSeconds.count == seconds.count else { return nil }
        return zip(seconds, otherSeconds).map { $0 / $1 }
    }
}

extension [Double] {
    /// The value in the middle, or 0 when there is none.
    package var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// Where and when something was measured.
package struct Machine: Codable, Sendable {
    /// The operating system and its version.
    package var system: String
    /// The processor's architecture.
    package var architecture: String
    /// The processor's name, where the system has it.
    package var processor: String?
    /// The number of cores that may be used.
    package var cores: Int
    /// The physical memory.
    package var memoryBytes: UInt64
    /// The version of the compiler.
    package var swift: String
    /// The version of the SQLite library.
    package var sqlite: String
    /// Whether the benchmark was built with optimization.
    package var isOptimized: Bool
    /// When the run ended.
    package var date: Date

    /// This machine, now.
    package static func current() -> Machine {
        let process = ProcessInfo.processInfo
        return Machine(
            system: process.operatingSystemVersionString,
            architecture: Platform.architecture,
            processor: Platform.processorName(),
            cores: process.activeProcessorCount,
            memoryBytes: process.physicalMemory,
            swift: Platform.swiftVersion,
            sqlite: String(cString: sqlite3_libversion()),
            isOptimized: Platform.isOptimized,
            date: Date()
        )
    }

    /// The machine in one line, without the date.
    var words: String {
        [
            system, architecture, processor, "\(cores) \(cores == 1 ? "core" : "cores")", "Swift \(swift)",
            "SQLite \(sqlite)",
        ]
        .compactMap { $0 }.joined(separator: ", ")
    }
}
