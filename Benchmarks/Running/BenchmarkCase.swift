import Foundation

/// One thing that is measured, each time in a process of its own.
package struct BenchmarkCase: Sendable {
    /// The name in the table, in the JSON and for `--only`.
    package var name: String
    /// What the case does.
    var summary: String
    /// The other way to do the same, where the case measures two ways in turn.
    var other: String?
    /// How many records the case works on at most.
    var limit = Int.max
    /// The limit with `--quick`.
    var quickLimit = Int.max
    var recordSize = RecordSize.small
    /// Files that the case starts from; nil when it starts with nothing.
    var fixture: BenchmarkFixture?
    /// How the case compares with others, and with the other way.
    package var ratios: [BenchmarkRatio] = []
    /// Prepares a run, which is not timed.
    let prepare: @Sendable (BenchmarkContext) throws -> BenchmarkTrial

    /// The number of records for these arguments.
    func records(for arguments: BenchmarkArguments) -> Int {
        min(arguments.records, arguments.isQuick ? quickLimit : limit)
    }

    /// The same case at another scale.
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

    /// Another number or another size of records.
    struct Scale: Sendable {
        let suffix: String
        let records: Int
        let quickRecords: Int
        var recordSize = RecordSize.small

        var words: String { "at most \(records) records of about \(recordSize.words)" }

        /// At this number, memory that grows with the number is still small.
        static let few = Scale(suffix: "-10000", records: 10_000, quickRecords: 2000)
        /// The larger records whose rename is measured beside the other ways to make it.
        static let largerRecords = [
            Scale(suffix: "-2kb", records: 100_000, quickRecords: 1000, recordSize: .medium),
            Scale(suffix: "-50kb", records: 4000, quickRecords: 40, recordSize: .large),
        ]
    }
}

/// Files that cases start from: built once for each size, in a process of its own, and copied for each run.
struct BenchmarkFixture: Sendable {
    let name: String
    /// Writes the files into the context's directory.
    let build: @Sendable (BenchmarkContext) throws -> Void
}

/// What a case or a fixture works with.
struct BenchmarkContext: Codable, Sendable {
    let records: Int
    let recordSize: RecordSize
    /// A directory of its own, with a copy of the fixture; it is removed after the run.
    let directory: URL

    /// A file in the directory.
    func file(_ name: String) -> URL {
        directory.appendingPathComponent(name)
    }

    /// The records of one of several rounds, counted from 1.
    func indices(ofRound round: Int, of rounds: Int) -> Range<Int> {
        (records * round / rounds + 1)..<(records * (round + 1) / rounds + 1)
    }
}

/// One prepared run of a case.
struct BenchmarkTrial {
    /// How many units are done, such as records.
    let count: Int
    /// How many bytes of content they have, where the bytes per second matter.
    var bytes: Int?
    /// How many parts the work has.
    ///
    /// Two ways take turns part by part, so that a busy machine slows down both alike.
    var rounds = 1
    /// Does one part; it is timed.
    let body: (_ round: Int) throws -> Void
    /// Does the same part in the other way, also timed, where there is one.
    var other: ((_ round: Int) throws -> Void)?
    /// Throws unless the work was really done; it is not timed.
    var finish: () throws -> Void = {}
}

/// Why the benchmark could not go on.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
