import Foundation
import Molt
import Synchronization

/// The cost of progress events and the report: an upgrade with and without them, alternating in one process.
enum EventCases {
    static let all: [BenchmarkCase] = [followed]

    private static let followed = BenchmarkCase(
        name: "molt-rename-followed",
        summary: "renameProperty with all events taken by a task, and the report read",
        other: "no events",
        limit: 100_000,
        fixture: CacheCases.fixture,
        ratios: [BenchmarkRatio(.time, atMost: 3)]
    ) { context in
        let rounds = 8
        let migrations = UpgradeCases.rename.migrations
        func file(_ round: Int, _ way: String) -> URL { context.file("\(round)-\(way).molt") }
        for round in 0..<rounds {
            for way in ["followed", "alone"] {
                try FileManager.default.copyItem(at: context.file(CacheCases.fileName), to: file(round, way))
            }
        }
        return BenchmarkTrial(count: context.records * rounds, rounds: rounds) { round in
            try open(file(round, "followed"), migrations)
        } other: { round in
            try CodableCache(at: file(round, "alone"), migrations: migrations).close()
        } finish: {
            for round in 0..<rounds {
                for way in ["followed", "alone"] {
                    let version = try CodableCache.schemaVersion(ofFileAt: file(round, way))
                    guard version == migrations.version else { throw BenchmarkError("A store was not upgraded.") }
                }
            }
        }
    }

    /// Upgrades a store while following the progress, as an app does, and fails unless the last event arrives.
    private static func open(_ file: URL, _ migrations: MigrationRegistry) throws {
        let monitor = MigrationMonitor()
        let events = monitor.events
        let isFinished = Atomic(false)
        let isOver = DispatchSemaphore(value: 0)
        Task.detached {
            var fraction = 0.0
            for await event in events {
                if case .progressed(let progress) = event { fraction = progress.fraction }
                if case .finished = event { isFinished.store(fraction == 1, ordering: .relaxed) }
            }
            isOver.signal()
        }
        var configuration = CodableCache.Configuration()
        configuration.monitor = monitor
        let cache = try CodableCache(at: file, migrations: migrations, configuration: configuration)
        defer { cache.close() }
        let report = "\(cache.report)"
        isOver.wait()
        guard isFinished.load(ordering: .relaxed), report.contains("change-1") else {
            throw BenchmarkError("The upgrade was not followed to its end.")
        }
    }
}
