import Benchmarks
import Foundation
import Testing

@Suite
struct `Ratios of the benchmarks` {
    private let results = [
        Reports.result("baseline", 2, 3, 4, megabytes: 30),
        Reports.result("subject", 1, 2, 3, megabytes: 51),
        Reports.result("short", 1, 1, 1, count: 500_000, megabytes: 30),
    ]

    private func outcome(
        _ subject: Int,
        _ measure: BenchmarkRatio.Measure,
        atLeast: Double? = nil,
        atMost: Double? = nil
    ) throws -> BenchmarkRatio.Outcome {
        let ratio = BenchmarkRatio(measure, of: "baseline", atLeast: atLeast, atMost: atMost)
        return try #require(ratio.outcome(for: results[subject], in: results))
    }

    @Test
    func `A ratio compares the medians and, separately, the best runs`() throws {
        let rate = try outcome(1, .rate)
        #expect((rate.value, rate.bestValue) == (1.5, 2))
        let time = try outcome(2, .time)
        #expect((time.value, time.bestValue) == (2.0 / 3, 1))
        #expect(try outcome(1, .extraMegabytes).value == 21)
        #expect(try outcome(1, .memory).value == 1.7)
        #expect(BenchmarkRatio(.rate, of: "missing").outcome(for: results[0], in: results) == nil)
    }

    @Test
    func `Two implementations that are measured in turn are compared run by run`() throws {
        func outcome(_ others: [Double]?, _ measure: BenchmarkRatio.Measure) -> BenchmarkRatio.Outcome? {
            let runs = [1.0, 20, 3].enumerated().map { index, seconds in
                var run = BenchmarkRun(count: 1, seconds: seconds)
                run.otherSeconds = others.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                return run
            }
            let result = BenchmarkResult(name: "subject", other: others == nil ? nil : "by hand", runs: runs)
            return BenchmarkRatio(measure).outcome(for: result, in: [result])
        }
        let time = try #require(outcome([2, 10, 1], .time))
        #expect((time.value, time.bestValue, time.baseline) == (2, 0.5, "by hand"))
        let rate = try #require(outcome([2, 10, 12], .rate))
        #expect((rate.value, rate.bestValue) == (2, 4))
        // A case without an alternative, and one whose alternative was not measured in each run.
        #expect(outcome(nil, .time) == nil)
        #expect(outcome([2, 10], .time) == nil)
    }

    @Test
    func `A limit is checked against the best runs, and a violation is reported with both figures`() throws {
        #expect(try outcome(1, .rate, atLeast: 2).isWithinLimit)
        #expect(try !outcome(1, .rate, atLeast: 2.1).isWithinLimit)
        #expect(try outcome(1, .extraMegabytes, atMost: 21).isWithinLimit)
        #expect(try !outcome(1, .extraMegabytes, atMost: 20).isWithinLimit)
        #expect(try outcome(1, .rate).isWithinLimit)

        func run(_ results: [BenchmarkResult]) throws -> (failures: [String], exitCode: Int32) {
            let report = Reports.report(results, cases: BenchmarkCatalog.cases)
            return try Reports.withFile(report.json()) { json in
                (ResultTable(report).failures, BenchmarkCommand.run(["--from", json, "--check"]))
            }
        }
        let slow = try run([Reports.result("file-per-key-rename", 10), Reports.result("molt-rename", 1)])
        #expect(
            slow.failures == ["molt-rename vs file-per-key-rename, rate: 10 by best runs, but it must be at least 20"]
        )
        #expect(slow.exitCode == 1)
        let fast = try run([Reports.result("file-per-key-rename", 200), Reports.result("molt-rename", 1)])
        #expect(fast.failures == [])
        #expect(fast.exitCode == 0)
    }

    @Test
    func `A report is unchanged after it was written to a file and read back`() throws {
        let report = Reports.report(
            [Reports.result("file-per-key-rename", 10), Reports.result("molt-rename", 1)],
            cases: BenchmarkCatalog.cases
        )
        let again = try Reports.withFile(report.json()) { try BenchmarkReport(contentsOf: $0) }
        #expect(again.ratios.count == 1)
        #expect(again.ratios.first?.limit == report.ratios.first?.limit)
        #expect(try again.json() == report.json())
        #expect(ResultTable(again).text == ResultTable(report).text)
    }
}
