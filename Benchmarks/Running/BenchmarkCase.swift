import Foundation

/// A measured case, each run of which has its own process.
package struct BenchmarkCase: Sendable {
    /// The name in the table, in the JSON and for `--only`.
    package var name: String
    var summary: String
    /// A description of the alternative, where the case measures two ways alternately.
    var other: String?
    /// The maximum number of records.
    var limit = Int.max
    /// The limit with `--quick`.
    var quickLimit = Int.max
    var recordSize = RecordSize.small
    /// The files that the case starts with; nil for none.
    var fixture: BenchmarkFixture?
    /// The comparisons with other cases or with the alternative.
    package var ratios: [BenchmarkRatio] = []
    /// Prepares a run; not timed.
    let prepare: @Sendable (BenchmarkContext) throws -> BenchmarkTrial

    func records(for arguments: BenchmarkArguments) -> Int {
        min(arguments.records, arguments.isQuick ? quickLimit : limit)
    }

    func at(_ scale: Scale, ratios: [BenchmarkRatio] = []) -> BenchmarkCase {
        var copy = self
        copy.name += scale.suffix
        copy.summary = "the same with \(scale.words)"
        copy.limit = scale.records
        copy.quickLimit = scale.quickRecords
        copy.recordSize = scale.recordSize
        copy.ratios = ratios
        return copy
    }

    /// Another number or size of records.
    struct Scale: Sendable {
        let suffix: String
        let records: Int
        let quickRecords: Int
        var recordSize = RecordSize.small

        var words: String { "at most \(records) records of about \(recordSize.words)" }

        /// Few enough records that memory proportional to their number is still small.
        static let few = Scale(suffix: "-10000", records: 10_000, quickRecords: 2000)
        /// The scales with larger records, at which the rename is compared with the alternatives.
        static let largerRecords = [
            Scale(suffix: "-2kb", records: 100_000, quickRecords: 1000, recordSize: .medium),
            Scale(suffix: "-50kb", records: 4000, quickRecords: 40, recordSize: .large),
        ]
    }
}

/// Files that cases start with: built once per size in a separate process, and copied for each run.
struct BenchmarkFixture: Sendable {
    let name: String
    /// Writes the files into the context's directory.
    let build: @Sendable (BenchmarkContext) throws -> Void
}

/// The inputs of a case or a fixture.
struct BenchmarkContext: Codable, Sendable {
    let records: Int
    let recordSize: RecordSize
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
    /// The content of the units in bytes, where the throughput matters.
    var bytes: Int?
    /// The number of parts; two ways alternate part by part, so that a busy machine slows both equally.
    var rounds = 1
    /// Does one part; timed.
    let body: (_ round: Int) throws -> Void
    /// Does the same part in the alternative way; timed.
    var other: ((_ round: Int) throws -> Void)?
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
