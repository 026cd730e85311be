import Foundation
import Molt
import TestSupport

/// A cache file for one test, removed with this object.
final class ScratchCache: Sendable {
    private let scratch: ScratchDirectory
    var directory: URL { scratch.url }
    var url: URL { scratch.file() }

    /// Creates it beside the suites, or in another directory.
    init(in other: URL? = nil) throws {
        scratch = try ScratchDirectory(in: other ?? (try? TestHome.directory))
    }

    /// Opens the cache, which upgrades it, and closes it.
    @discardableResult
    func upgrade(
        _ registry: MigrationRegistry,
        role: MoltConfiguration.Role = .app,
        attaching suites: [Suite] = [],
        backup: BackupPolicy? = nil,
        _ hook: UpgradeHook? = nil
    ) throws -> MigrationReport {
        let configuration = MoltConfiguration {
            $0.role = role
            $0.attached = suites
            $0.backup = backup
            $0.hooks.atPoint = hook
            $0.hooks.findsUnmatchedNames = true
        }
        let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return cache.report
    }
}

extension MigrationReport {
    /// The migrations in order, such as "rename ran"; one that waits is listed when that is recorded.
    var outline: [String] {
        entries.map { "\($0.migration.name) \($0.outcome)" }
    }

    /// The outcome of each key.
    var outcomes: [String: MigrationReport.KeyOutcome.Outcome] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0.key, $0.outcome) })
    }
}
