import Foundation
import Molt

/// A report as text.
struct ResultTable {
    private let report: BenchmarkReport

    init(_ report: BenchmarkReport) {
        self.report = report
    }

    var text: String {
        var tables = [TextTable(rows: results, leftAlignedColumns: [0])]
        if !report.ratios.isEmpty { tables.append(TextTable(rows: ratios, leftAlignedColumns: [0])) }
        let summaries = report.results.map { [$0.name, $0.summary] }
        tables.append(TextTable(rows: [["case", "what it does"]] + summaries, leftAlignedColumns: [0, 1]))
        return ([head] + tables.map(\.description)).joined(separator: "\n\n")
    }

    /// The ratios outside their limits, one line each.
    var failures: [String] {
        report.ratios.filter { !$0.isWithinLimit }.map { ratio in
            "\(Self.title(ratio)): \(Figures.figure(ratio.bestValue, ratio.measure)) by best runs, but it must be "
                + Self.limit(ratio)
        }
    }

    private var head: String {
        let settings = report.settings
        var lines = [
            "Molt benchmarks, \(report.machine.date.formatted(.iso8601))",
            report.machine.words,
            "\(Figures.grouped(settings.records)) records of about 200 bytes, fewer in some cases; "
                + "median of \(settings.runs) \(settings.runs == 1 ? "run" : "runs"), each in a process of its own.",
        ]
        if settings.isQuick { lines.append("QUICK MODE: the counts are too small for figures to be quoted.") }
        if !report.machine.isOptimized { lines.append("NOT OPTIMIZED: these figures are worthless.") }
        return lines.joined(separator: "\n")
    }

    private var results: [[String]] {
        let head = ["case", "count", "per second", "seconds", "(min - max)", "cpu seconds", "peak"]
        let rows = report.results.map { result in
            [
                result.name,
                Figures.grouped(result.count),
                Figures.rate(result.unitsPerSecond),
                Figures.seconds(result.medianSeconds),
                "(\(Figures.seconds(result.minSeconds)) - \(Figures.seconds(result.seconds.max() ?? 0)))",
                Figures.seconds(result.processorSeconds),
                String(format: "%.1f MB", Double(result.peakMemoryBytes) / 1_000_000),
            ]
        }
        return [head] + rows
    }

    private var ratios: [[String]] {
        [["ratio", "by medians", "by best runs", "limit"]]
            + report.ratios.map { ratio in
                [
                    Self.title(ratio),
                    Figures.figure(ratio.value, ratio.measure),
                    Figures.figure(ratio.bestValue, ratio.measure),
                    ratio.limit == nil ? "" : Self.limit(ratio),
                ]
            }
    }

    private static func title(_ ratio: BenchmarkRatio.Outcome) -> String {
        let measure =
            switch ratio.measure {
            case .rate: "rate"
            case .time: "time"
            case .processorTime: "processor time"
            case .memory, .extraMegabytes: "peak memory"
            }
        return "\(ratio.subject) vs \(ratio.baseline), \(measure)"
    }

    private static func limit(_ ratio: BenchmarkRatio.Outcome) -> String {
        let limits = [("at least", ratio.limit?.atLeast), ("at most", ratio.limit?.atMost)]
        return limits.compactMap { words, value in value.map { "\(words) \(Figures.figure($0, ratio.measure))" } }
            .joined(separator: ", ")
    }
}

/// Formats figures with a sensible number of digits.
enum Figures {
    /// Formats 1234567 as "1 234 567".
    static func grouped(_ value: Int) -> String {
        var groups: [Substring] = []
        var digits = String(value)[...]
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        return ([digits] + groups.reversed()).joined(separator: " ")
    }

    /// Formats a rate with three significant digits.
    static func rate(_ value: Double) -> String {
        guard value >= 1000 else { return value < 10 ? String(format: "%.1f", value) : grouped(Int(value.rounded())) }
        let unit = pow(10, log10(value).rounded(.down) - 2)
        return grouped(Int((value / unit).rounded() * unit))
    }

    static func seconds(_ value: Double) -> String {
        String(format: value < 1 ? "%.4f" : "%.3f", value)
    }

    /// Formats the value of a ratio.
    static func figure(_ value: Double, _ measure: BenchmarkRatio.Measure) -> String {
        if measure == .extraMegabytes { return String(format: "%+.1f MB", value) }
        return String(format: value < 0.1 ? "%.3f" : value < 10 ? "%.2f" : "%.0f", value)
    }
}
