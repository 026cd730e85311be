/// Whether the ratios of a run are where they are on any machine, be it a busy one.
package struct BenchmarkCheck: Sendable {
    /// Those that are not.
    package let failures: [BenchmarkOutcome]
    private let count: Int

    /// Checks the ratios that have a limit for it, by the best runs.
    package init(_ report: BenchmarkReport) {
        let checked = report.outcomes.filter { $0.checkLimit != nil }
        count = checked.count
        failures = checked.filter { outcome in
            outcome.checkLimit.map { !$0.isReached(by: outcome.bestValue) } ?? false
        }
    }

    /// What the process ends with: 1 when a ratio is beyond its limit.
    package var exitCode: Int32 {
        failures.isEmpty ? 0 : 1
    }

    /// What to tell, with each ratio that is beyond its limit.
    package var text: String {
        guard !failures.isEmpty else { return "Checked \(count) ratios: all are within their limits." }
        let lines = failures.map { outcome in
            let limit = outcome.checkLimit.map { FigureText.limit($0, outcome.quantity) } ?? ""
            return "  \(outcome.title): \(FigureText.figure(outcome.bestValue, outcome.quantity)) by best runs, "
                + "but it must be \(limit)"
        }
        return
            "Checked \(count) ratios; \(failures.count) beyond \(failures.count == 1 ? "its limit" : "their limits"):\n"
            + lines.joined(separator: "\n")
    }
}
