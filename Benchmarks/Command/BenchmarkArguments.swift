import Foundation

/// The arguments of a run of `swift run -c release Benchmarks` that measures.
package struct BenchmarkArguments: Sendable {
    /// How many records the large cases work on.
    package var records = 1_000_000
    /// How many times each case is run; its figure is the median.
    package var runs = 5
    /// Whether to be done in less than a minute, for CI.
    package var isQuick = false
    /// Whether to fail when a ratio that is safe on a busy machine is not reached.
    package var isChecked = false
    /// The file that the JSON is written to; `-` is standard output; nil is no JSON.
    package var json: String?
    /// The file that the chart is written to; nil is no chart.
    package var svg: String?
    /// The cases whose name contains one of these; all cases when empty.
    package var only: [String] = []

    /// An argument that is wrong, in a sentence.
    package struct UsageError: Error {
        /// The sentence.
        package let message: String
    }

    /// The text of `--help`.
    package static let help = """
        Measures Molt's migrations and cache beside the other ways to do the same work, in one run.

        USAGE: swift run -c release Benchmarks [options]
               swift run -c release Benchmarks --chart FILE --svg FILE
               swift run -c release Benchmarks --compare OLD NEW [--tolerance RATIO]

          --records N        records in the large cases (1000000; 10000 with --quick)
          --runs N           runs of each case; the figure is the median (5; 3 with --quick)
          --quick            small counts, done in less than a minute
          --check            exit with 1 when a ratio is far from what it should be, also for a busy machine
          --only NAME        only the cases whose name contains NAME; may be given several times
          --json FILE        also write the results as JSON; - writes it to standard output
          --svg FILE         also draw the comparison of the ways to upgrade every record
          --chart FILE       measure nothing; draw the results in FILE, made by --json
          --compare OLD NEW  measure nothing; tell which cases are slower in NEW, and exit with 1 when some are
          --tolerance RATIO  how much longer a case may take by its median and by its best run (1.15)
          --help             this text

        CASES
        \(BenchmarkCatalog.cases.map { "  \($0.name)" }.joined(separator: "\n"))
        """

    /// The cases that `--only` and `--quick` leave, in their order.
    ///
    /// - Throws: ``UsageError`` when a name fits no case.
    func selectedCases(from cases: [BenchmarkCase]) throws -> [BenchmarkCase] {
        let cases = isQuick ? cases.filter(\.isInQuickMode) : cases
        for name in only where !cases.contains(where: { $0.name.contains(name) }) {
            throw UsageError(message: "No case's name contains \"\(name)\".")
        }
        return only.isEmpty ? cases : cases.filter { each in only.contains { each.name.contains($0) } }
    }
}
