import Benchmarks
import Foundation
import Testing

@Suite
struct GoalTests {
    private let results = [
        Reports.result("baseline", 2, 3, 4, megabytes: 30),
        Reports.result("subject", 1, 2, 3, bytes: 200_000_000, megabytes: 51),
        Reports.result("short", 1, 1, 1, count: 500_000),
    ]

    private func ratio(
        _ subject: String,
        _ measure: BenchmarkRatio.Measure,
        _ goal: BenchmarkGoal? = nil,
        basis: BenchmarkOutcome.Basis = .median
    ) -> BenchmarkOutcome? {
        BenchmarkRatio(
            title: "title",
            subject: subject,
            baseline: "baseline",
            measure: measure,
            goal: goal,
            basis: basis
        ).outcome(in: results)
    }

    @Test
    func `A ratio is made of the medians, and of the best runs beside them`() throws {
        let rate = try #require(ratio("subject", .rate))
        #expect((rate.value, rate.bestValue) == (1.5, 2))
        let time = try #require(ratio("short", .time))
        #expect((time.value, time.bestValue) == (1.0 / 3, 0.5))
        let timePerUnit = try #require(ratio("short", .timePerUnit))
        #expect((timePerUnit.value, timePerUnit.bestValue) == (2.0 / 3, 1))
        #expect(try #require(ratio("subject", .extraMemory)).value == 21)
        #expect(ratio("missing", .rate) == nil)
    }

    @Test
    func `What was measured by turns is compared round by round`() throws {
        func outcome(
            _ others: [Double]?,
            _ measure: BenchmarkRatio.Measure = .timeInTurn
        ) -> BenchmarkOutcome? {
            let result = BenchmarkResult(name: "subject", count: 1, seconds: [1, 20, 3], otherSeconds: others)
            return BenchmarkRatio(
                title: "title",
                subject: "subject",
                baseline: "subject",
                measure: measure,
                goal: .atMost(2)
            ).outcome(in: [result])
        }
        let found = try #require(outcome([2, 10, 1]))
        #expect((found.value, found.bestValue) == (2, 1))
        #expect(found.isReached == true)
        let rate = try #require(outcome([2, 10, 12], .rateInTurn))
        #expect((rate.value, rate.bestValue) == (2, 4))
        // A case that has not done so, or not in each round.
        #expect(outcome(nil) == nil)
        #expect(outcome([2, 10]) == nil)
        #expect(outcome([2, 10, 0]) == nil)
    }

    @Test
    func `A goal is judged by the medians, or by the best runs where it says so`() throws {
        #expect(ratio("subject", .rate, .atLeast(1.6))?.isReached == false)
        #expect(ratio("subject", .rate, .atLeast(1.6), basis: .best)?.isReached == true)
        #expect(ratio("subject", .extraMemory, .atMost(20))?.isReached == false)
        #expect(ratio("short", .time, .atMost(0.34))?.isReached == true)
        #expect(ratio("subject", .rate)?.isReached == nil)
    }

    @Test
    func `A rate is what a case does in a second, in units or in bytes`() throws {
        func rate(_ measure: BenchmarkRate.Measure, _ subject: String = "subject") -> BenchmarkOutcome? {
            BenchmarkRate(title: "t", subject: subject, measure: measure, goal: .atLeast(100)).outcome(in: results)
        }
        #expect(rate(.units)?.value == 500_000)
        #expect(rate(.units)?.isReached == true)
        #expect(rate(.megabytes)?.value == 100)
        #expect(rate(.megabytes)?.bestValue == 200)
        #expect(rate(.megabytes)?.isReached == true)
        #expect(rate(.megabytes, "short") == nil)
        #expect(rate(.units, "missing") == nil)
    }

    @Test
    func `A row of the goals is reached when all of its figures are, and names the worst`() throws {
        let rows = BenchmarkGoalRow.rows(of: [
            outcome("a", 2.5, .atLeast(2), row: "steps"), outcome("b", 1.9, .atLeast(2), row: "steps"),
            outcome("c", 1.1, .atMost(1.2)), outcome("d", 7, nil, row: "told"),
            outcome("e", 3, .atLeast(2), row: "steps"),
        ])

        #expect(rows.map(\.title) == ["steps", "title of c"])
        #expect(rows.map(\.isReached) == [false, true])
        #expect(rows.map(\.worst) == ["b", "c"])
        #expect(rows[0].outcomes.map(\.subject) == ["a", "b", "e"])

        let report = Reports.report(results, outcomes: rows.flatMap(\.outcomes))
        let lines = ResultTable(report).text.split(separator: "\n").map(String.init)
        #expect(
            lines.contains { $0.hasPrefix("steps ") && $0.contains("at least 2.00  MISSED   2.50 a, 1.90 b, 3.00 e") }
        )
        #expect(lines.contains { $0.hasPrefix("title of c ") && $0.contains("at most 1.20   reached  1.10") })
    }

    @Test
    func `The check ends with 1 when a best run is beyond its limit, and names ratio, value and limit`() {
        let right = outcome("a", 0.1, .atLeast(2), best: 0.9, checkLimit: .atLeast(0.8))
        let wrong = outcome("b", 9, .atLeast(2), best: 0.7, checkLimit: .atLeast(0.8))
        let unchecked = outcome("c", 0.1, .atLeast(2))

        let passed = BenchmarkCheck(Reports.report(results, outcomes: [right, unchecked]))
        #expect(passed.exitCode == 0)
        #expect(passed.text == "Checked 1 ratios: all are within their limits.")

        let failed = BenchmarkCheck(Reports.report(results, outcomes: [right, wrong, unchecked]))
        #expect(failed.exitCode == 1)
        #expect(failed.failures.map(\.subject) == ["b"])
        #expect(failed.text.contains("title of b: 0.70 by best runs, but it must be at least 0.80"))
    }

    @Test
    func `A report is the same after it was written and read`() throws {
        let report = Reports.report(
            results,
            outcomes: [
                outcome("a", 2.5, .atLeast(2), checkLimit: .atMost(7)), outcome("b", 1, nil),
            ]
        )
        let again = try Reports.withFile(report.json()) { try BenchmarkReport(contentsOf: $0) }
        #expect(try again.json() == report.json())
        #expect(again.outcomes.map(\.goal) == [.atLeast(2), nil])
        #expect(again.outcomes[0].checkLimit == .atMost(7))
        #expect(again.goals.count == 1)
        #expect(ResultTable(again).text == ResultTable(report).text)
    }

    private func outcome(
        _ subject: String,
        _ value: Double,
        _ goal: BenchmarkGoal?,
        row: String? = nil,
        best: Double? = nil,
        checkLimit: BenchmarkGoal? = nil
    ) -> BenchmarkOutcome {
        BenchmarkOutcome(
            title: "title of \(subject)",
            row: row,
            subject: subject,
            baseline: "baseline",
            value: value,
            bestValue: best ?? value,
            goal: goal,
            checkLimit: checkLimit
        )
    }
}
