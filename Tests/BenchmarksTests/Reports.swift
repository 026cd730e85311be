import Benchmarks
import Foundation

/// Reports made up for tests, without running a benchmark.
enum Reports {
    /// A machine whose processor has a name that needs escaping in XML.
    static let machine = {
        var machine = Machine.current()
        machine.system = "Testix 7"
        machine.processor = "Fast & Cheap <8> \"CPU\""
        machine.cores = 2
        machine.swift = "6.3"
        machine.sqlite = "3.40.1"
        machine.isOptimized = true
        machine.date = Date(timeIntervalSince1970: 1_795_000_000)
        return machine
    }()

    static func report(
        _ results: [BenchmarkResult],
        isQuick: Bool = false,
        cases: [BenchmarkCase] = []
    ) -> BenchmarkReport {
        BenchmarkReport(
            machine: machine,
            settings: BenchmarkReport.Settings(records: 1_000_000, runs: 3, isQuick: isQuick),
            results: results,
            cases: cases
        )
    }

    /// A result with one run per duration in seconds.
    static func result(
        _ name: String,
        _ seconds: Double...,
        count: Int = 1_000_000,
        megabytes: Int = 30
    ) -> BenchmarkResult {
        let runs = seconds.map { seconds in
            var run = BenchmarkRun(count: count, seconds: seconds)
            run.processorSeconds = 3
            run.peakMemoryBytes = megabytes * 1_000_000
            return run
        }
        return BenchmarkResult(name: name, runs: runs)
    }

    /// Calls a closure with the path of a temporary file that holds the data.
    static func withFile<R>(_ data: Data, _ body: (String) throws -> R) throws -> R {
        let file = FileManager.default.temporaryDirectory.appending(path: "molt-benchmarks-\(UUID().uuidString).json")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }
}
