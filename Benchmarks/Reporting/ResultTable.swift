import Foundation

/// A report as text that a reader understands without help.
package struct ResultTable {
    private let report: BenchmarkReport

    /// Makes the table of a report.
    package init(_ report: BenchmarkReport) {
        self.report = report
    }

    /// The whole text.
    package var text: String {
        var parts = [head, results]
        if !report.outcomes.isEmpty { parts.append("Comparisons and rates\n\n" + outcomes) }
        if !report.goals.isEmpty { parts.append("Goals\n\n" + goals) }
        parts.append("What the cases do\n\n" + summaries)
        return parts.joined(separator: "\n\n")
    }

    private var head: String {
        let settings = report.settings
        let records = FigureText.grouped(settings.records)
        var lines = [
            "Molt benchmarks, \(report.machine.date.formatted(.iso8601))",
            report.machine.words,
            "\(records) records of about 200 bytes where the case does not say otherwise; "
                + "median of \(settings.runs) \(settings.runs == 1 ? "run" : "runs").",
            "Every case ran once per round, in shuffled order, in one stretch with those that it is compared with, each time in a "
                + "process of its own. What works on files is timed from opening them to closing them; a case that "
                + "compares two ways by turns has the best of its turns, or all of them where each does a part. A run from "
                + "which the host of this machine took more than \(FigureText.percent(BenchmarkRunner.tolerableShare)) of "
                + "the processors' time was made again, up to twice (not in quick mode); the column says how much it took "
                + "in the worst run that counts.",
        ]
        if settings.isQuick { lines.append("QUICK MODE: the counts are too small for figures to be quoted.") }
        if !report.machine.isOptimized {
            lines.append("NOT OPTIMIZED: these figures say nothing. Build with -c release.")
        }
        return lines.joined(separator: "\n")
    }

    private var results: String {
        var rows = [
            [
                "case", "count", "per second", "MB/s", "seconds", "(min - max)", "cpu seconds", "host took",
                "peak memory", "times as fast as",
            ]
        ]
        for result in report.results {
            rows.append([
                result.name,
                "\(FigureText.grouped(result.count)) \(result.unit.rawValue)",
                FigureText.rate(result.unitsPerSecond),
                result.bytes.map { FigureText.megabytes(Double($0) / 1_000_000 / result.medianSeconds) } ?? "",
                FigureText.seconds(result.medianSeconds),
                "(\(FigureText.seconds(result.minSeconds)) - \(FigureText.seconds(result.maxSeconds)))",
                FigureText.seconds(result.processorSeconds),
                result.stolenShares?.max().map(FigureText.percent) ?? "",
                String(format: "%.1f MB", Double(result.peakMemoryBytes) / 1_000_000),
                comparison(of: result),
            ])
        }
        return FigureText.columns(rows, leading: [0, 9])
    }

    private func comparison(of result: BenchmarkResult) -> String {
        guard
            let reference = result.reference, reference != result.name,
            let other = report.results.first(where: { $0.name == reference }), other.unitsPerSecond > 0
        else { return "" }
        return "\(FigureText.factor(result.unitsPerSecond / other.unitsPerSecond)) \(reference)"
    }

    private var outcomes: String {
        let head = [["", "by medians", "by best runs", "", ""]]
        let rows = report.outcomes.map { outcome in
            [
                outcome.title,
                FigureText.figure(outcome.value, outcome.quantity),
                // Memory has no best run.
                outcome.quantity == .extraMegabytes ? "" : FigureText.figure(outcome.bestValue, outcome.quantity),
                outcome.goal.map { "goal: \(FigureText.limit($0, outcome.quantity))" } ?? "",
                Self.word(outcome.isReached),
            ]
        }
        return FigureText.columns(head + rows, leading: [0, 3, 4])
    }

    private var goals: String {
        let head = [["", "goal", "", "measured"]]
        let rows = report.goals.map { row in
            let quantity = row.outcomes.first?.quantity ?? .factor
            return [
                row.title,
                FigureText.limit(row.goal, quantity),
                Self.word(row.isReached),
                measured(row),
            ]
        }
        return FigureText.columns(head + rows, leading: [0, 1, 2, 3])
    }

    /// The figure of each case; of many, the worst one alone.
    private func measured(_ row: BenchmarkGoalRow) -> String {
        let figures = row.outcomes.map { outcome in
            (outcome.subject, FigureText.figure(outcome.judgedValue, outcome.quantity))
        }
        let basis = row.outcomes.first?.basis == .best ? " (best runs)" : ""
        if figures.count <= 5 {
            return figures.map { figures.count == 1 ? $1 : "\($1) \($0)" }.joined(separator: ", ") + basis
        }
        let worst = figures.first { $0.0 == row.worst }
        return worst.map { "\($1) \($0), the worst of \(figures.count)" } ?? ""
    }

    private static func word(_ isReached: Bool?) -> String {
        isReached.map { $0 ? "reached" : "MISSED" } ?? ""
    }

    private var summaries: String {
        FigureText.columns(report.results.map { [$0.name, $0.summary] }, leading: [0, 1])
    }
}
