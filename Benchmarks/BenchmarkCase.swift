import Foundation

/// One thing that is measured.
struct BenchmarkCase: Sendable {
    /// The name in the table, in the JSON and for `--only`.
    let name: String
    /// What the case does, for the reader of the table.
    let summary: String
    /// What is counted per second.
    var unit = Unit.records
    /// How many records the case works on.
    var size = Size.all
    /// What must be on disk before, copied for each run; nil when the case starts with nothing.
    var fixture: BenchmarkFixture?
    /// The case that this one's rate is compared with in the table.
    var reference: String?
    /// Makes everything ready, untimed, and gives what is to be timed.
    let prepare: @Sendable (BenchmarkContext) throws -> BenchmarkTrial

    /// What a case counts.
    enum Unit: String, Codable, Sendable {
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

        /// Enough for a rate where each value is a commit.
        static let oneByOne = Size.atMost(50_000, quick: 2000)

        /// The number of records for these arguments.
        func records(for arguments: BenchmarkArguments) -> Int {
            switch self {
            case .all: arguments.records
            case .atMost(let limit, let quick): min(arguments.records, arguments.isQuick ? quick : limit)
            }
        }
    }
}

/// What a case or a fixture is told.
struct BenchmarkContext: Sendable {
    /// How many records there are.
    let records: Int
    /// A directory of its own: a copy of the fixture, removed after the run.
    let directory: URL

    /// A file in the directory.
    func file(_ name: String) -> URL {
        directory.appendingPathComponent(name)
    }
}

/// One prepared run of a case.
struct BenchmarkTrial {
    /// How many units the body does.
    let count: Int
    /// What is timed.
    let body: () throws -> Void
    /// Checks that the work was really done and cleans up, untimed; throws when it was not.
    let finish: () throws -> Void
}
