import CMoltSQLite
import Foundation

/// Everything that a run measured, as it is written to JSON.
struct BenchmarkReport: Codable, Sendable {
    /// Where and when it was measured.
    let machine: Machine
    /// On how much.
    let settings: Settings
    /// The cases, in the order of the table.
    let results: [BenchmarkResult]
    /// The comparisons.
    let ratios: [BenchmarkRatio.Outcome]

    /// On how much it was measured, and how often.
    struct Settings: Codable, Sendable {
        /// Records in the large cases.
        let records: Int
        /// Runs of each case.
        let runs: Int
        /// Whether the counts are the small ones of `--quick`.
        let isQuick: Bool
        /// The size of a record's content on average.
        let meanRecordBytes: Double
    }

    /// Adds the comparisons to the results.
    init(machine: Machine, settings: Settings, results: [BenchmarkResult]) {
        self.machine = machine
        self.settings = settings
        self.results = results
        ratios = BenchmarkCatalog.ratios.compactMap { $0.outcome(in: results) }
    }

    /// The report as JSON that people can read too.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self)
    }
}

/// Where and when something was measured.
struct Machine: Codable, Sendable {
    /// The operating system and its version.
    let system: String
    /// The processor's architecture.
    let architecture: String
    /// The processor's name, where the system tells it.
    let processor: String?
    /// The number of cores that may be used.
    let cores: Int
    /// The physical memory.
    let memoryBytes: UInt64
    /// The version of the compiler.
    let swift: String
    /// The version of the SQLite library.
    let sqlite: String
    /// Whether the benchmark was built with optimization.
    let isOptimized: Bool
    /// When the run ended.
    let date: Date

    /// This machine, now.
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
}
