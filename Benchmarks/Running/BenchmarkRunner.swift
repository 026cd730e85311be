import Foundation

/// Runs the cases in child processes: each once per round, so that a drift of the machine hits all alike.
struct BenchmarkRunner {
    /// What is run.
    let cases: [BenchmarkCase]
    /// How often, and on how much.
    let arguments: BenchmarkArguments
    /// How many bytes the contents of records have on average.
    let meanBytes: [RecordSize: Double]
    /// Is told what is going on, line by line.
    let log: (String) -> Void

    /// Runs everything.
    ///
    /// The scratch directory, in the temporary directory, is removed at the end.
    ///
    /// - Throws: ``BenchmarkError`` when a child process fails.
    func run() throws -> [BenchmarkResult] {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("molt-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }

        let fixtures = try buildFixtures(in: scratch)
        var measurements = Array(repeating: [BenchmarkChild.Measurement](), count: cases.count)
        for round in 1...arguments.runs {
            log("Round \(round) of \(arguments.runs): \(cases.count) cases …")
            for index in order(ofRound: round) {
                let benchmark = cases[index]
                let fixture = fixtures[fixtureName(of: benchmark) ?? ""]
                measurements[index].append(try measure(benchmark, fixture: fixture, scratch: scratch))
            }
        }
        return zip(cases, measurements).map { benchmark, runs in
            BenchmarkResult(benchmark, runs: runs, meanBytes: meanBytes[benchmark.recordSize])
        }
    }

    /// - Returns: All cases' indices, in an order that differs from round to round: otherwise what disturbs the
    ///   machine for some seconds could hit the same cases each time.
    private func order(ofRound round: Int) -> [Int] {
        var random = SeededGenerator(seed: UInt64(round))
        var order = Array(cases.indices)
        for last in order.indices.reversed() { order.swapAt(last, random.below(last + 1)) }
        return order
    }

    /// - Returns: The fixtures' directories, by fixture and size.
    private func buildFixtures(in scratch: URL) throws -> [String: URL] {
        var directories: [String: URL] = [:]
        for benchmark in cases {
            guard let fixture = benchmark.fixture, let name = fixtureName(of: benchmark) else { continue }
            guard directories[name] == nil else { continue }
            let records = benchmark.size.records(for: arguments)
            let directory = scratch.appendingPathComponent(name)
            log("Preparing \(fixture.name) with \(records) records of \(benchmark.recordSize.words) …")
            _ = try Platform.runSelf([
                "--child-fixture", fixture.name,
                "--records", "\(records)",
                "--record-size", benchmark.recordSize.rawValue,
                "--directory", directory.path,
            ])
            directories[name] = directory
        }
        return directories
    }

    private func fixtureName(of benchmark: BenchmarkCase) -> String? {
        benchmark.fixture.map {
            "\($0.name)-\(benchmark.size.records(for: arguments))\(benchmark.recordSize.suffix)"
        }
    }

    private func measure(
        _ benchmark: BenchmarkCase,
        fixture: URL?,
        scratch: URL
    ) throws -> BenchmarkChild.Measurement {
        var words = [
            "--child-case", benchmark.name,
            "--records", "\(benchmark.size.records(for: arguments))",
            "--record-size", benchmark.recordSize.rawValue,
            "--directory", scratch.appendingPathComponent("run").path,
        ]
        if let fixture { words += ["--fixture", fixture.path] }
        let output = try Platform.runSelf(words)
        do {
            return try JSONDecoder().decode(BenchmarkChild.Measurement.self, from: output)
        } catch {
            throw BenchmarkError("The case \"\(benchmark.name)\" did not print a measurement.")
        }
    }
}
