import Foundation

/// Runs the cases in child processes.
struct BenchmarkRunner {
    let cases: [BenchmarkCase]
    let arguments: BenchmarkArguments
    /// Receives progress messages.
    let log: (String) -> Void

    /// Runs each case once per round.
    ///
    /// Every second round runs in reverse, so that a machine that slows down does not favor the first cases.
    func run() throws -> [BenchmarkResult] {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("molt-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }

        let fixtures = try buildFixtures(in: scratch)
        var runs = Array(repeating: [BenchmarkRun](), count: cases.count)
        for round in 1...arguments.runs {
            log("Round \(round) of \(arguments.runs): \(cases.count) cases …")
            let order = Array(cases.indices)
            for index in round.isMultiple(of: 2) ? order.reversed() : order {
                runs[index].append(try measure(cases[index], fixtures, scratch))
            }
        }
        return zip(cases, runs).map { benchmark, runs in
            BenchmarkResult(
                name: benchmark.name,
                summary: benchmark.summary,
                other: benchmark.other,
                runs: runs
            )
        }
    }

    /// - Returns: The fixtures' directories by name.
    private func buildFixtures(in scratch: URL) throws -> [String: URL] {
        var directories: [String: URL] = [:]
        for benchmark in cases {
            guard let name = fixtureName(of: benchmark), directories[name] == nil else { continue }
            log("Preparing \(name) …")
            let directory = scratch.appendingPathComponent(name)
            let context = context(of: benchmark, in: directory)
            _ = try spawn(BenchmarkChild(kind: .buildFixture, name: benchmark.name, context: context))
            directories[name] = directory
        }
        return directories
    }

    private func measure(
        _ benchmark: BenchmarkCase,
        _ fixtures: [String: URL],
        _ scratch: URL
    ) throws -> BenchmarkRun {
        let child = BenchmarkChild(
            kind: .run,
            name: benchmark.name,
            context: context(of: benchmark, in: scratch.appendingPathComponent("run")),
            fixture: fixtureName(of: benchmark).flatMap { fixtures[$0] }
        )
        let output = try spawn(child)
        do {
            return try JSONDecoder().decode(BenchmarkRun.self, from: output)
        } catch {
            throw BenchmarkError("The case \"\(benchmark.name)\" did not print a measurement.")
        }
    }

    private func context(of benchmark: BenchmarkCase, in directory: URL) -> BenchmarkContext {
        BenchmarkContext(records: benchmark.records(for: arguments), directory: directory)
    }

    private func fixtureName(of benchmark: BenchmarkCase) -> String? {
        benchmark.fixture.map { "\($0.name)-\(benchmark.records(for: arguments))" }
    }

    private func spawn(_ child: BenchmarkChild) throws -> Data {
        let task = String(decoding: try JSONEncoder().encode(child), as: UTF8.self)
        return try Platform.runSelf([BenchmarkArguments.childOption, task], settings: child.context.directory)
    }
}
