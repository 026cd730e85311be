import Foundation

/// The task of a child process: one run of one case, for an isolated peak memory, or one fixture.
struct BenchmarkChild: Codable {
    enum Kind: String, Codable {
        case run
        case buildFixture
    }

    let kind: Kind
    /// The name of the case; also used to find its fixture.
    let name: String
    let context: BenchmarkContext
    /// The directory with the fixture; the run works on a copy.
    var fixture: URL?

    func perform() throws {
        guard let benchmark = BenchmarkCatalog.cases.first(where: { $0.name == name }) else {
            throw BenchmarkError("There is no case \"\(name)\".")
        }
        switch kind {
        case .run:
            let measurement = try run(benchmark)
            print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
        case .buildFixture:
            try FileManager.default.createDirectory(at: context.directory, withIntermediateDirectories: true)
            try benchmark.fixture?.build(context)
        }
    }

    private func run(_ benchmark: BenchmarkCase) throws -> BenchmarkRun {
        if let fixture {
            try FileManager.default.copyItem(at: fixture, to: context.directory)
        } else {
            try FileManager.default.createDirectory(at: context.directory, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(at: context.directory) }
        let trial = try benchmark.prepare(context)
        // Otherwise the first fsync of the timed part would include the copy.
        try Platform.flush(context.directory)

        var (subject, other) = (Stopwatch(), Stopwatch())
        for round in 0..<trial.rounds {
            func timeBody() throws {
                try subject.time { try trial.body(round) }
                try trial.afterPart()
            }
            // Each way goes first in every second round.
            if round.isMultiple(of: 2) { try timeBody() }
            if let body = trial.other {
                try other.time { try body(round) }
                try trial.afterPart()
            }
            if !round.isMultiple(of: 2) { try timeBody() }
        }
        let peak = Platform.peakMemoryBytes()
        try trial.finish()
        var run = BenchmarkRun(count: trial.count, seconds: subject.seconds(countsMedians: trial.countsMedians))
        run.processorSeconds = subject.processorSeconds
        if trial.other != nil { run.otherSeconds = other.seconds(countsMedians: trial.countsMedians) }
        run.peakMemoryBytes = peak
        return run
    }
}

/// Adds up the time of several parts.
private struct Stopwatch {
    private var parts: [Double] = []
    private(set) var processorSeconds = 0.0

    mutating func time(_ body: () throws -> Void) rethrows {
        let processorStart = Platform.processorSeconds()
        parts.append(try ContinuousClock().measure(body) / .seconds(1))
        processorSeconds += Platform.processorSeconds() - processorStart
    }

    func seconds(countsMedians: Bool) -> Double {
        countsMedians ? parts.median * Double(parts.count) : parts.reduce(0, +)
    }
}
