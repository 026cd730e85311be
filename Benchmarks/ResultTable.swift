import Foundation

/// A report as text that a reader understands without help.
struct ResultTable {
    private let report: BenchmarkReport

    /// Makes the table of a report.
    init(_ report: BenchmarkReport) {
        self.report = report
    }

    /// The whole text.
    var text: String {
        var parts = [head, results]
        if !report.ratios.isEmpty { parts.append("Ratios\n\n" + ratios) }
        parts.append("What the cases do\n\n" + summaries)
        return parts.joined(separator: "\n\n")
    }

    private var head: String {
        let machine = report.machine
        let settings = report.settings
        let day = machine.date.formatted(.iso8601)
        var lines = [
            "Molt benchmarks, \(day)",
            [
                machine.system, machine.architecture, machine.processor, "\(machine.cores) cores",
                "Swift \(machine.swift)", "SQLite \(machine.sqlite)",
            ]
            .compactMap { $0 }.joined(separator: ", "),
            "\(Self.grouped(settings.records)) records of \(Int(settings.meanRecordBytes.rounded())) bytes; "
                + "median of \(settings.runs) \(settings.runs == 1 ? "run" : "runs"). "
                + "Every case ran once per round, in shuffled order,",
            "each time in a process of its own, and is timed from opening its files to closing them.",
        ]
        if !machine.isOptimized {
            lines.append("NOT OPTIMIZED: these figures say nothing. Build with -c release.")
        }
        return lines.joined(separator: "\n")
    }

    private var results: String {
        var rows = [
            [
                "case", "count", "per second", "seconds", "(min - max)", "cpu seconds", "peak memory",
                "times as fast as",
            ]
        ]
        for result in report.results {
            rows.append([
                result.name,
                "\(Self.grouped(result.count)) \(result.unit.rawValue)",
                Self.grouped(Self.rounded(result.unitsPerSecond)),
                Self.seconds(result.medianSeconds),
                "(\(Self.seconds(result.minSeconds)) - \(Self.seconds(result.maxSeconds)))",
                Self.seconds(result.processorSeconds),
                String(format: "%.1f MB", Double(result.peakMemoryBytes) / 1_000_000),
                comparison(of: result),
            ])
        }
        return Self.columns(rows, leading: [0, 7])
    }

    private func comparison(of result: BenchmarkResult) -> String {
        guard
            let reference = result.reference, reference != result.name,
            let other = report.results.first(where: { $0.name == reference }), other.unitsPerSecond > 0
        else { return "" }
        return "\(Self.factor(result.unitsPerSecond / other.unitsPerSecond)) \(reference)"
    }

    private var ratios: String {
        let head = [["", "by medians", "by best runs", "", ""]]
        let rows = report.ratios.map { ratio in
            let limit = ratio.atLeast ?? ratio.atMost
            let sign = ratio.atLeast == nil ? "at most" : "at least"
            let isMemory = ratio.measure == .extraMemory
            func shown(_ value: Double) -> String {
                isMemory ? String(format: "%+.1f MB", value) : Self.factor(value)
            }
            return [
                ratio.title,
                shown(ratio.value),
                shown(ratio.bestValue),
                limit.map { "goal: \(sign) \(shown($0))" } ?? "",
                ratio.isReached.map { $0 ? "reached" : "MISSED" } ?? "",
            ]
        }
        return Self.columns(head + rows, leading: [0, 3, 4])
    }

    private var summaries: String {
        Self.columns(report.results.map { [$0.name, $0.summary] }, leading: [0, 1])
    }

    // MARK: Layout

    /// Aligns cells in columns; the columns that are not leading are aligned to the right.
    private static func columns(_ rows: [[String]], leading: Set<Int>) -> String {
        var widths: [Int: Int] = [:]
        for row in rows {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index] ?? 0, cell.count) }
        }
        let lines = rows.map { row in
            let cells = row.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: (widths[index] ?? 0) - cell.count)
                return leading.contains(index) ? cell + padding : padding + cell
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
        return lines.joined(separator: "\n")
    }

    /// 1234567 as "1 234 567".
    private static func grouped(_ value: Int) -> String {
        var groups: [Substring] = []
        var digits = String(value)[...]
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        return ([digits] + groups.reversed()).joined(separator: " ")
    }

    /// Three figures that count; more would be noise.
    private static func rounded(_ value: Double) -> Int {
        guard value >= 1000 else { return Int(value.rounded()) }
        let unit = pow(10, (log10(value)).rounded(.down) - 2)
        return Int((value / unit).rounded() * unit)
    }

    private static func seconds(_ value: Double) -> String {
        String(format: value < 1 ? "%.4f" : "%.3f", value)
    }

    private static func factor(_ value: Double) -> String {
        if value > 0, value < 0.1 { return String(format: "1/%.0f", 1 / value) }
        return String(format: value < 10 ? "%.2f" : "%.0f", value)
    }
}
