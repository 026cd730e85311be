import Dispatch
import Foundation
import Molt
import Synchronization

/// Follows an upgrade as an app does that shows its progress: takes each event, and reads the report.
final class MoltFollower: Sendable {
    private let seen = Mutex(Seen())

    private struct Seen {
        var planned = 0
        var progressed = 0
        var finished = 0
        var fraction = 0.0
        var report = ""
    }

    /// Opens a cache, and waits until the last event was taken.
    ///
    /// - Throws: What opening throws.
    func open(_ file: URL, _ migrations: MigrationRegistry) throws -> CodableCache {
        let monitor = MigrationMonitor()
        let events = monitor.events
        let isOver = DispatchSemaphore(value: 0)
        Task.detached { [self] in
            for await event in events { take(event) }
            isOver.signal()
        }
        var configuration = CodableCache.Configuration()
        configuration.monitor = monitor
        let cache = try CodableCache(at: file, migrations: migrations, configuration: configuration)
        let report = "\(cache.report)"
        seen.withLock { $0.report = report }
        isOver.wait()
        return cache
    }

    private func take(_ event: MigrationEvent) {
        seen.withLock { seen in
            switch event {
            case .planned: seen.planned += 1
            case .progressed(let progress):
                seen.progressed += 1
                seen.fraction = progress.fraction
            case .finished: seen.finished += 1
            default: break
            }
        }
    }

    /// Fails unless the whole upgrade was followed.
    ///
    /// - Throws: ``BenchmarkError``.
    func check(_ migrations: MigrationRegistry) throws {
        let isWhole = seen.withLock { seen in
            seen.planned == 1 && seen.progressed > 0 && seen.fraction == 1 && seen.finished == 1
                && migrations.migrations.allSatisfy { seen.report.contains($0.name) }
        }
        guard isWhole else { throw BenchmarkError("The upgrade was not followed to its end.") }
    }
}
