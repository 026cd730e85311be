import Foundation
import Molt

/// Exports and imports of a store.
enum ExportCases {
    static let all: [BenchmarkCase] = {
        let cases = [export, importing]
        return cases + cases.map(\.withFewRecords)
    }()

    private static let exportName = "people.json"

    private static let export = BenchmarkCase(
        name: "molt-export",
        summary: "export of all records",
        fixture: CacheCases.fixture,
        ratios: [.extraMemory(of: "molt-export")]
    ) { context in
        let cache = try CodableCache(at: context.file(CacheCases.fileName), configuration: CacheCases.withoutMemory)
        return BenchmarkTrial(count: context.records) { _ in
            guard try cache.exportAndWait(to: context.file(exportName)).records == context.records else {
                throw BenchmarkError("Records are missing in the export.")
            }
            cache.close()
        }
    }

    /// An export by the first release.
    private static let fixture = BenchmarkFixture(name: "molt-export") { context in
        try CacheCases.fixture.build(context)
        let store = context.file(CacheCases.fileName)
        let cache = try CodableCache(at: store)
        try cache.exportAndWait(to: context.file(exportName))
        cache.close()
        try FileManager.default.removeItem(at: store)
    }

    private static let importing = BenchmarkCase(
        name: "molt-import",
        summary: "import of an export of an earlier version, with one renamed property, into a new store",
        fixture: fixture,
        ratios: [BenchmarkRatio(.time, of: UpgradeCases.rename.name, atMost: 30), .extraMemory(of: "molt-import")]
    ) { context in
        let upgrade = UpgradeCases.rename
        let cache = try CodableCache(
            at: context.file(CacheCases.fileName),
            migrations: upgrade.migrations,
            configuration: CacheCases.withoutMemory
        )
        return BenchmarkTrial(count: context.records) { _ in
            try cache.importAndWait(from: context.file(exportName))
        } finish: {
            try upgrade.check(cache, context)
        }
    }
}
