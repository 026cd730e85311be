import Foundation
import Molt

/// What it costs to be told of an upgrade: with events and report, and without, by turns in one process.
///
/// The difference is far below what two processes differ by, a minute apart.
enum MoltEventCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = [followed]

    /// What following may cost.
    static let ratios = [
        BenchmarkRatio(
            title: "\(followed.name) with events and report vs without",
            subject: followed.name,
            baseline: followed.name,
            measure: .timeInTurn,
            goal: .atMost(1.02),
            row: "progress events and the report vs none",
            // What disturbs the machine makes a run longer, by more than what is looked for.
            basis: .best,
            checkLimit: .atMost(2)
        )
    ]

    /// How often each way is gone in a round.
    private static let turns = 8

    private static let followed = BenchmarkCase(
        name: "molt-rename-followed",
        summary: "renameProperty, all events taken by a task, the report read; the best of \(turns) by turns with none",
        isAboutContents: true,
        fixture: MoltStore.fixture
    ) { context in
        let fixture = context.file(MoltStore.fileName)
        let migrations = MoltMigrations.rename
        var times = BenchmarkInTurn(.shortest)
        return BenchmarkTrial(count: context.records, inTurn: { times }) {
            for turn in 0..<turns {
                for way in BenchmarkInTurn.Way.both(inTurn: turn) {
                    let directory = context.file("turn-\(turn)-\(way)")
                    let file = directory.appendingPathComponent(MoltStore.fileName)
                    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                    try FileManager.default.copyItem(at: fixture, to: file)
                    try Platform.flush(directory)
                    let follower = MoltFollower()
                    try times.time(way) {
                        switch way {
                        case .judged: try follower.open(file, migrations).close()
                        case .other: try CodableCache(at: file, migrations: migrations).close()
                        }
                    }
                    if way == .judged { try follower.check(migrations) }
                    guard try CodableCache.schemaVersion(ofFileAt: file) == migrations.version else {
                        throw BenchmarkError("The store was not upgraded.")
                    }
                    try FileManager.default.removeItem(at: directory)
                }
            }
        }
    }
}
