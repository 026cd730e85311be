import Benchmarks
import Foundation

/// Reports that no run has made.
enum Reports {
    /// A machine whose name needs escaping.
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

    /// A report of some results.
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

    /// A case with the duration and the processor time of each run.
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

    /// Calls a closure with the path of a temporary file.
    static func withFile<R>(_ data: Data, _ body: (String) throws -> R) throws -> R {
        let file = FileManager.default.temporaryDirectory.appending(path: "molt-benchmarks-\(UUID().uuidString).json")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }
}
