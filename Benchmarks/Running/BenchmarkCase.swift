import Foundation

/// A measured case, each run of which has its own process.
struct BenchmarkCase: Sendable {
    /// The name in the table, in the JSON and for `--only`.
    var name: String
    var summary: String
    /// A description of the alternative, where the case measures two ways alternately.
    var other: String?
    /// The maximum number of records.
    var limit = Int.max
    /// The limit with `--quick`.
    var quickLimit = Int.max
    /// The files that the case starts with; nil for none.
    var fixture: BenchmarkFixture?
    /// The comparisons with other cases or with the alternative.
    var ratios: [BenchmarkRatio] = []
    /// Prepares a run; not timed.
    let prepare: @Sendable (BenchmarkContext) throws -> BenchmarkTrial

    func records(for arguments: BenchmarkArguments) -> Int {
        min(arguments.records, arguments.isQuick ? quickLimit : limit)
    }

    /// The same with so few records that memory proportional to their number is still small.
    var withFewRecords: BenchmarkCase {
        var copy = self
        copy.name = Self.nameWithFewRecords(name)
        copy.summary = "the same with at most 10000 records"
        copy.limit = 10_000
        copy.quickLimit = 2000
        copy.ratios = []
        return copy
    }

    static func nameWithFewRecords(_ name: String) -> String {
        "\(name)-10000"
    }
}

/// Files that cases start with: built once per number of records in a separate process, and copied for each run.
struct BenchmarkFixture: Sendable {
    let name: String
    /// Writes the files into the context's directory.
    let build: @Sendable (BenchmarkContext) throws -> Void
}

/// The inputs of a case or a fixture.
struct BenchmarkContext: Codable, Sendable {
    let records: Int
    /// A separate directory with a copy of the fixture; it is removed after the run.
    let directory: URL

    func file(_ name: String) -> URL {
        directory.appendingPathComponent(name)
    }

    /// Returns the one-based indices of the records of one round.
    func indices(ofRound round: Int, of rounds: Int) -> Range<Int> {
        (records * round / rounds + 1)..<(records * (round + 1) / rounds + 1)
    }
}

/// One prepared run of a case.
struct BenchmarkTrial {
    /// The number of units, such as records.
    let count: Int
    /// The number of parts; two ways alternate part by part, so that a busy machine slows both equally.
    var rounds = 1
    /// Whether each part counts with the median time of all parts, so that a few slow ones do not matter.
    var countsMedians = false
    /// Does one part; timed.
    let body: (_ round: Int) throws -> Void
    /// Does the same part in the alternative way; timed.
    var other: ((_ round: Int) throws -> Void)?
    /// Tidies up after each part of either way; not timed.
    var afterPart: () throws -> Void = {}
    /// Throws unless the work was really done; not timed.
    var finish: () throws -> Void = {}
}

/// An error that ends the benchmark.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
