import Foundation
import TestSupport

@testable import Molt

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
        var configuration = CodableCache.Configuration()
        configuration.role = role
        configuration.attached = suites
        configuration.backup = backup
        configuration.hooks.atPoint = hook
        configuration.hooks.findsUnmatchedNames = true
        let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return cache.report
    }
}

extension MigrationReport {
    /// The outcome of each key.
    var outcomes: [String: MigrationReport.KeyOutcome.Outcome] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0.key, $0.outcome) })
    }
}
