import Foundation

/// Two runs of the benchmark side by side: which cases have become slower.
package struct ResultComparison {
    /// The cases that are in both, in the order of the newer run.
    package let changes: [Change]
    /// The cases that only the older run has.
    package let onlyInOld: [String]
    /// The cases that only the newer run has.
    package let onlyInNew: [String]
    /// How much longer a case may take.
    package let tolerance: Double
    private let old: Machine
    private let new: Machine

    /// What has become of one case.
    package struct Change: Sendable {
        /// The case.
        package let name: String
        /// How long one unit takes by the median, in seconds, before and now.
        package let medians: (old: Double, new: Double)
        /// How long one unit takes in the best run, in seconds, before and now.
        package let bests: (old: Double, new: Double)

        /// How many times as long it takes now, by the median.
        package var medianRatio: Double { medians.new / medians.old }
        /// How many times as long it takes now, by the best runs.
        package var bestRatio: Double { bests.new / bests.old }
    }

    /// Compares two runs.
    ///
    /// - Parameter tolerance: How many times as long a case may take; at least 1.
    /// - Throws: ``BenchmarkArguments/UsageError`` when the two have not measured the same.
    package init(_ old: BenchmarkReport, _ new: BenchmarkReport, tolerance: Double) throws {
        func refuse(_ why: String) -> BenchmarkArguments.UsageError {
            BenchmarkArguments.UsageError(message: "The two files cannot be compared: \(why)")
        }
        for (report, which) in [(old, "old"), (new, "new")] where !report.machine.isOptimized {
            throw refuse("the \(which) one was measured without optimization.")
        }
        guard old.settings.isQuick == new.settings.isQuick else {
            throw refuse("only the \(old.settings.isQuick ? "old" : "new") one was measured with --quick.")
        }
        var changes: [Change] = []
        for now in new.results {
            guard let before = old.results.first(where: { $0.name == now.name }) else { continue }
            guard before.count == now.count, before.recordSize == now.recordSize, before.unit == now.unit else {
                throw refuse(
                    "\(now.name) is of \(Self.amount(before)) in the old one, of \(Self.amount(now)) in the new one."
                )
            }
            guard before.count > 0, before.minSeconds > 0 else {
                throw refuse("the old one has no duration for \(now.name).")
            }
            let count = Double(now.count)
            changes.append(
                Change(
                    name: now.name,
                    medians: (before.medianSeconds / count, now.medianSeconds / count),
                    bests: (before.minSeconds / count, now.minSeconds / count)
                )
            )
        }
        guard !changes.isEmpty else { throw refuse("no case is in both.") }
        self.changes = changes
        self.tolerance = tolerance
        self.old = old.machine
        self.new = new.machine
        onlyInOld = old.results.map(\.name).filter { name in !new.results.contains { $0.name == name } }
        onlyInNew = new.results.map(\.name).filter { name in !old.results.contains { $0.name == name } }
    }

    /// The cases that take longer than is tolerated both by the median and by the best runs: one alone may be noise.
    package var slower: [Change] {
        changes.filter { $0.medianRatio > tolerance && $0.bestRatio > tolerance }
    }

    /// The cases that take so much less time, by both.
    package var faster: [Change] {
        changes.filter { $0.medianRatio < 1 / tolerance && $0.bestRatio < 1 / tolerance }
    }

    /// What the process ends with: 1 when a case is slower.
    package var exitCode: Int32 {
        slower.isEmpty ? 0 : 1
    }

    /// What to tell.
    package var text: String {
        var lines: [String] = []
        if !new.isLike(old) {
            lines.append("Measured on different machines: \(old.words) before, \(new.words) now.")
        }
        let limit = FigureText.factor(tolerance)
        lines.append(
            "\(changes.count) cases compared: \(slower.count) slower and \(faster.count) faster by more than \(limit) times, "
                + "by the median and by the best runs."
        )
        if !slower.isEmpty { lines += ["", "Slower", "", table(slower)] }
        if !faster.isEmpty { lines += ["", "Faster", "", table(faster)] }
        if !onlyInOld.isEmpty { lines += ["", "Only in the old file: \(onlyInOld.joined(separator: ", "))"] }
        if !onlyInNew.isEmpty { lines += ["", "Only in the new file: \(onlyInNew.joined(separator: ", "))"] }
        return lines.joined(separator: "\n")
    }

    private func table(_ changes: [Change]) -> String {
        let head = [["case", "median before", "now", "times as long", "best before", "now", "times as long"]]
        let rows = changes.map { change in
            [
                change.name,
                Self.microseconds(change.medians.old), Self.microseconds(change.medians.new),
                FigureText.factor(change.medianRatio),
                Self.microseconds(change.bests.old), Self.microseconds(change.bests.new),
                FigureText.factor(change.bestRatio),
            ]
        }
        return FigureText.columns(head + rows, leading: [0])
    }

    private static func microseconds(_ seconds: Double) -> String {
        String(format: "%.3f µs", seconds * 1_000_000)
    }

    private static func amount(_ result: BenchmarkResult) -> String {
        let count = "\(FigureText.grouped(result.count)) \(result.unit.rawValue)"
        return result.unit == .records ? "\(count) of \(result.recordSize.words)" : count
    }
}
