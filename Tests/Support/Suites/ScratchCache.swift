package import Foundation
package import Molt

/// A cache file for one test, removed with this object.
package final class ScratchCache: Sendable {
    private let scratch: ScratchDirectory
    package var directory: URL { scratch.url }
    package var url: URL { scratch.file() }

    /// Creates it beside the suites, or in another directory.
    package init(in other: URL? = nil) throws {
        scratch = try ScratchDirectory(in: other ?? (try? TestHome.directory))
    }

    /// Opens the cache, which upgrades it, and closes it.
    @discardableResult
    package func upgrade(
        _ registry: MigrationRegistry,
        process: MoltConfiguration.Process = .app,
        attaching suites: [Suite] = [],
        backup: BackupPolicy? = nil,
        _ hook: UpgradeHook? = nil
    ) throws -> MigrationReport {
        let configuration = MoltConfiguration {
            $0.process = process
            $0.suites = suites
            $0.backup = backup
            $0.hooks.atPoint = hook
            $0.hooks.findsUnmatchedNames = true
        }
        let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return cache.report
    }
}
