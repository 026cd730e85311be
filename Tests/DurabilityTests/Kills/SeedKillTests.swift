#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    /// The opening that upgrades the store and applies the seed is killed before, in and after the seed's transaction.
    @Suite struct `A seed that is killed` {
        @Test(arguments: [
            UpgradePoint(.afterCommit, "of the upgrade"), UpgradePoint(.beforeCommit, "of the seed"),
            UpgradePoint(.afterCommit, "of the seed"),
        ]) func `is applied by the next opening, whole and once`(point: UpgradePoint) async throws {
            let scratch = try ScratchDirectory()
            let url = scratch.file()
            let cache = try CodableCache(at: url)
            try cache.set(1, forKey: "mine")
            try cache.exportAndWait(to: scratch.file("presets.json"))
            try cache.removeAll()
            cache.close()
            await #expect(processExitsWith: .signal(SIGKILL), "\(point)") {
                [url = url as URL, point = point as UpgradePoint] in
                try open(url, killedAt: point)
            }
            #expect(try StoreFile.state(at: url).version == 1)
            let isDone = point.kind == .afterCommit && point.subject == "of the seed"
            #expect(try StoreFile.contents(at: url).records.count == (isDone ? 1 : 0))
            let report = try open(url)
            #expect(report.seeds.map(\.added) == (isDone ? [] : [1]))
            #expect(try StoreFile.contents(at: url).records.map(\.key) == ["mine"])
            #expect(try StoreFile.damage(at: url).isEmpty)
        }
    }

    @discardableResult
    private func open(_ url: URL, killedAt point: UpgradePoint? = nil) throws -> MigrationReport {
        let presets = url.deletingLastPathComponent().appending(path: "presets.json")
        let registry = MigrationRegistry([Migration(to: 1, "person", .run { _ in })]).seed("presets", from: presets)
        let configuration = MoltConfiguration { $0.hooks.atPoint = { if $0 == point { raise(SIGKILL) } } }
        let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return cache.report
    }
#endif
