import Foundation
import MoltCache
import MoltCore

/// A cache file of one test, removed when the test lets go of it.
final class ScratchCache: Sendable {
    let directory: URL
    var url: URL { directory.appendingPathComponent("cache.molt") }

    /// Beside the suites, or in another directory.
    init(in other: URL? = nil) throws {
        let parent = other ?? (try? TestHome.directory) ?? FileManager.default.temporaryDirectory
        directory = parent.appendingPathComponent("molt-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// Opens the cache, which upgrades it, and closes it.
    @discardableResult
    func upgrade(_ registry: MigrationRegistry, role: MigrationRole = .app) throws -> MigrationReport {
        var configuration = CodableCache.Configuration()
        configuration.role = role
        let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return cache.report
    }
}
