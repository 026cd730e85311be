import Foundation

/// Runs the cases in child processes: each once per round, so that a drift of the machine hits all alike.
///
/// A run from which the host of a virtual machine took much of the processors is made again, and the one that it
/// disturbed least counts. A short case finds a calm moment sooner than a long one: ratios of the two are safe only
/// where the host takes little.
struct BenchmarkRunner {
    /// How much of the processors' time a host may take from a run that counts, if there is a calmer one.
    static let tolerableShare = 0.05

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
        let order = BenchmarkOrder(of: cases.map(\.name), comparisons: BenchmarkCatalog.comparisons)
        var measurements = Array(repeating: [BenchmarkChild.Measurement](), count: cases.count)
        for round in 1...arguments.runs {
            log("Round \(round) of \(arguments.runs): \(cases.count) cases …")
            for index in order.indices(ofRound: round) {
                let benchmark = cases[index]
                let fixture = fixtures[fixtureName(of: benchmark) ?? ""]
                measurements[index].append(try measureCalmly(benchmark, fixture: fixture, scratch: scratch))
            }
        }
        return zip(cases, measurements).map { benchmark, runs in
            BenchmarkResult(benchmark, runs: runs, meanBytes: meanBytes[benchmark.recordSize])
        }
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

    /// Measures until the host has left the processors to the case, at most ``attempts`` times.
    private func measureCalmly(
        _ benchmark: BenchmarkCase,
        fixture: URL?,
        scratch: URL
    ) throws -> BenchmarkChild.Measurement {
        var calmest = try measure(benchmark, fixture: fixture, scratch: scratch)
        for _ in 1..<attempts where calmest.stolenShare > Self.tolerableShare {
            log("\(benchmark.name): the host took \(FigureText.percent(calmest.stolenShare)) of the time; once more")
            let next = try measure(benchmark, fixture: fixture, scratch: scratch)
            if next.stolenShare < calmest.stolenShare { calmest = next }
        }
        return calmest
    }

    /// How often a case is run in a round at most; in quick mode, which must be done soon, once.
    private var attempts: Int { arguments.isQuick ? 1 : 3 }

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
