import Foundation

/// One thing that is measured.
package struct BenchmarkCase: Sendable {
    /// The name in the table, in the JSON and for `--only`.
    var name: String
    /// What the case does, for the reader of the table.
    var summary: String
    /// What is counted per second.
    var unit = Unit.records
    /// How many records the case works on.
    var size = Size.all
    /// How large they are.
    var recordSize = RecordSize.small
    /// Whether it works on the whole content of each record, so that bytes per second say something.
    var isAboutContents = false
    /// Whether `--quick` measures the case, too.
    var isInQuickMode = true
    /// Whether the process may use one core only.
    var isOnOneCore = false
    /// What must be on disk before, copied for each run; nil when the case starts with nothing.
    var fixture: BenchmarkFixture?
    /// The case that this one's rate is compared with in the table.
    var reference: String?
    /// Makes everything ready, untimed, and gives what is to be timed.
    let prepare: @Sendable (BenchmarkContext) throws -> BenchmarkTrial

    /// What a case counts.
    package enum Unit: String, Codable, Sendable {
        /// Records read or written.
        case records
        /// Stores opened and closed.
        case opens
    }

    /// How many records a case works on.
    enum Size: Sendable {
        /// As many as `--records` says.
        case all
        /// At most so many, and fewer with `--quick`.
        case atMost(Int, quick: Int)
        /// So many whatever `--records` says, and fewer with `--quick`.
        case always(Int, quick: Int)

        /// Enough for a rate where each value is a commit.
        static let oneByOne = Size.atMost(50_000, quick: 2000)

        /// The number of records for these arguments.
        func records(for arguments: BenchmarkArguments) -> Int {
            switch self {
            case .all: arguments.records
            case .atMost(let limit, let quick): min(arguments.records, arguments.isQuick ? quick : limit)
            case .always(let count, let quick): arguments.isQuick ? quick : count
            }
        }
    }
}

extension BenchmarkCase {
    /// The same case with fewer records.
    func at(_ records: Int, isInQuickMode: Bool = true) -> BenchmarkCase {
        variant("-\(records)", "the same with \(records) records") {
            $0.size = .atMost(records, quick: records / 5)
            $0.isInQuickMode = isInQuickMode
        }
    }

    /// The same case with larger records, and with fewer of them.
    func with(_ recordSize: RecordSize) -> BenchmarkCase {
        variant(recordSize.suffix, "the same with records of about \(recordSize.words)") {
            $0.recordSize = recordSize
            $0.size = recordSize.count
        }
    }

    /// This case, and it with the other counts and the other sizes that a change is measured at.
    var atAllSizes: [BenchmarkCase] {
        [self, at(10_000), at(100_000, isInQuickMode: false), with(.medium), with(.large)]
    }

    /// What ``atAllSizes`` puts behind the name.
    static let sizeSuffixes = ["", "-10000", "-100000", RecordSize.medium.suffix, RecordSize.large.suffix]

    private func variant(
        _ suffix: String,
        _ summary: String,
        _ change: (inout BenchmarkCase) -> Void
    ) -> BenchmarkCase {
        var copy = self
        copy.name += suffix
        copy.summary = summary
        copy.reference = reference.map { $0 + suffix }
        change(&copy)
        return copy
    }
}

/// What a case or a fixture is told.
package struct BenchmarkContext: Sendable {
    /// How many records there are.
    let records: Int
    /// A directory of its own: a copy of the fixture, removed after the run.
    let directory: URL
    /// How large the records are.
    var recordSize = RecordSize.small

    /// A file in the directory.
    func file(_ name: String) -> URL {
        directory.appendingPathComponent(name)
    }
}

/// One prepared run of a case.
struct BenchmarkTrial {
    /// How many units the body does.
    let count: Int
    /// How many bytes of content the body works on; nil for as many as its units have on average.
    var bytes: Int?
    /// What the body has timed itself; nil where all of it is timed.
    var inTurn: (() -> BenchmarkInTurn)?
    /// What is timed.
    let body: () throws -> Void
    /// Checks that the work was really done and cleans up, untimed; throws when it was not.
    var finish: () throws -> Void = {}
}
