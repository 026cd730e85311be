/// All that can be measured, in the order of the table.
package enum BenchmarkCatalog {
    /// The cases: first the other ways to do the work, then Molt.
    static let cases: [BenchmarkCase] =
        FilePerKeyCases.all + PeerCases.all + PeerCacheCases.all
        + MoltUpgradeCases.all + MoltEventCases.all + MoltCacheCases.all + MoltStatementCases.all
        + MoltThreadCases.all + RecordCases.all
        + CoderCases.all
        + SettingsCases.all

    /// The comparisons that are printed below the table, where both of their cases were run; those with a goal are
    /// also printed as goals, in this order.
    static let ratios: [BenchmarkRatio] =
        MoltUpgradeCases.ratios + MoltEventCases.ratios + MoltCacheCases.ratios + MoltStatementCases.ratios
        + MoltThreadCases.ratios
        + PeerCases.ratios + CoderCases.ratios
        + SettingsCases.ratios

    /// The cases whose durations are compared, in pairs.
    static var comparisons: [(String, String)] {
        ratios.filter { $0.measure != .extraMemory && $0.measure != .memory }.map { ($0.subject, $0.baseline) }
            + cases.compactMap { benchmark in benchmark.reference.map { (benchmark.name, $0) } }
    }

    /// The rates that have a goal of their own.
    static let rates: [BenchmarkRate] = RecordCases.rates + MoltCacheCases.rates

    /// The names in comparisons, rates and references that no case has; on a system without all cases, theirs too.
    package static var unknownNames: [String] {
        let names =
            ratios.flatMap { [$0.subject, $0.baseline] } + rates.map(\.subject) + ComparisonChart.bars.map(\.name)
        return names.filter { name in !cases.contains { $0.name == name } }
    }

    /// The names that more than one case has.
    package static var repeatedNames: [String] {
        cases.map(\.name).filter { name in cases.count { $0.name == name } > 1 }
    }
}
