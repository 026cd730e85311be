package import Foundation

/// Everything that a run measured, as it is written to JSON.
package struct BenchmarkReport: Codable, Sendable {
    /// Where and when it was measured.
    package let machine: Machine
    /// On how much.
    package let settings: Settings
    /// The cases, in the order of the table.
    package let results: [BenchmarkResult]
    /// The comparisons and rates.
    package let outcomes: [BenchmarkOutcome]
    /// The goals, with what has been reached.
    package let goals: [BenchmarkGoalRow]

    /// On how much it was measured, and how often.
    package struct Settings: Codable, Sendable {
        /// Records in the large cases.
        package let records: Int
        /// Runs of each case.
        package let runs: Int
        /// Whether the counts are the small ones of `--quick`.
        package let isQuick: Bool

        /// Makes the settings of a run.
        package init(records: Int, runs: Int, isQuick: Bool = false) {
            self.records = records
            self.runs = runs
            self.isQuick = isQuick
        }
    }

    /// Adds the comparisons, the rates and the goals to the results.
    package init(machine: Machine, settings: Settings, results: [BenchmarkResult]) {
        let outcomes =
            BenchmarkCatalog.ratios.compactMap { $0.outcome(in: results) }
            + BenchmarkCatalog.rates.compactMap { $0.outcome(in: results) }
        self.init(machine: machine, settings: settings, results: results, outcomes: outcomes)
    }

    /// Adds the goals to the results and to what was made of them.
    package init(machine: Machine, settings: Settings, results: [BenchmarkResult], outcomes: [BenchmarkOutcome]) {
        self.machine = machine
        self.settings = settings
        self.results = results
        self.outcomes = outcomes
        goals = BenchmarkGoalRow.rows(of: outcomes)
    }

    /// Reads a file that ``json()`` was written to.
    ///
    /// - Throws: ``BenchmarkArguments/UsageError`` when it is another file, or none.
    package init(contentsOf file: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw BenchmarkArguments.UsageError(message: "Cannot read \"\(file)\".")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            self = try decoder.decode(BenchmarkReport.self, from: data)
        } catch {
            throw BenchmarkArguments.UsageError(message: "\"\(file)\" was not written by --json of this benchmark.")
        }
    }

    /// The report as JSON that people can read too.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self)
    }
}
