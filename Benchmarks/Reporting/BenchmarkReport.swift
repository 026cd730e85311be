import CMoltSQLite
import Foundation

/// The measurements of a run, as written to JSON.
struct BenchmarkReport: Codable, Sendable {
    /// The machine, and the date of the run.
    let machine: Machine
    let settings: Settings
    /// The cases, in the order of the table.
    let results: [BenchmarkResult]
    let ratios: [BenchmarkRatio.Outcome]

    struct Settings: Codable, Sendable {
        /// The number of records in the large cases.
        let records: Int
        let runs: Int
        /// Whether the counts are the small ones of `--quick`.
        let isQuick: Bool
    }

    /// Compares the results by the ratios of their cases.
    init(machine: Machine, settings: Settings, results: [BenchmarkResult], cases: [BenchmarkCase]) {
        self.machine = machine
        self.settings = settings
        self.results = results
        ratios = results.flatMap { result in
            let benchmark = cases.first { $0.name == result.name }
            return (benchmark?.ratios ?? []).compactMap { $0.outcome(for: result, in: results) }
        }
    }

    /// Reads a file with the output of ``json()``.
    ///
    /// - Throws: ``BenchmarkArguments/UsageError`` when the file cannot be read or is not such a file.
    init(contentsOf file: String) throws {
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

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

/// The measurements of one run of a case.
struct BenchmarkRun: Codable, Sendable {
    /// The number of units.
    var count: Int
    /// The duration of the timed parts.
    var seconds: Double
    /// The duration of the alternative's timed parts.
    var otherSeconds: Double?
    /// The processor time of the timed parts on all cores, which other processes disturb less than the duration.
    var processorSeconds = 0.0
    /// The highest resident memory of the process, up to the end of the timed parts.
    var peakMemoryBytes = 0

    init(count: Int, seconds: Double) {
        self.count = count
        self.seconds = seconds
    }
}

/// The measurements of one case in all rounds.
struct BenchmarkResult: Codable, Sendable {
    let name: String
    let summary: String
    /// A description of the alternative, where the case measures two ways.
    let other: String?
    let count: Int
    /// The duration of each run, in order.
    let seconds: [Double]
    let otherSeconds: [Double]?
    /// The median processor time of the runs, on all cores.
    let processorSeconds: Double
    /// The median of the runs' highest resident memory.
    let peakMemoryBytes: Int

    /// Summarizes the runs of a case; there must be at least one.
    init(name: String, summary: String = "", other: String? = nil, runs: [BenchmarkRun]) {
        self.name = name
        self.summary = summary
        self.other = other
        count = runs.first?.count ?? 0
        seconds = runs.map(\.seconds)
        otherSeconds = other == nil ? nil : runs.compactMap(\.otherSeconds)
        processorSeconds = runs.map(\.processorSeconds).median
        peakMemoryBytes = Int(runs.map { Double($0.peakMemoryBytes) }.median)
    }

    var medianSeconds: Double { seconds.median }
    var minSeconds: Double { seconds.min() ?? 0 }

    /// Units per second, from the median duration.
    var unitsPerSecond: Double { Double(count) / medianSeconds }

    /// For each run, the duration as a multiple of the alternative's; nil without an alternative.
    var timesAsLong: [Double]? {
        guard let otherSeconds, otherSeconds.count == seconds.count else { return nil }
        return zip(seconds, otherSeconds).map { $0 / $1 }
    }
}

extension [Double] {
    /// The median, or 0 of an empty array.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// The machine, and the date of the measurement.
struct Machine: Codable, Sendable {
    /// The operating system and its version.
    var system: String
    var architecture: String
    /// The processor's name, where the system reports it.
    var processor: String?
    /// The number of active cores.
    var cores: Int
    var memoryBytes: UInt64
    var swift: String
    var sqlite: String
    var isOptimized: Bool
    /// The time when the run ended.
    var date: Date

    static func current() -> Machine {
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

    /// A one-line description of the machine, without the date.
    var words: String {
        [
            system, architecture, processor, "\(cores) \(cores == 1 ? "core" : "cores")", "Swift \(swift)",
            "SQLite \(sqlite)",
        ]
        .compactMap { $0 }.joined(separator: ", ")
    }
}
