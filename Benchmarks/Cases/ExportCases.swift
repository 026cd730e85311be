import Foundation
import Molt

/// Exports and imports of a store.
enum ExportCases {
    static let all: [BenchmarkCase] = {
        let cases = [export, importing]
        return [byHand] + cases + cases.map(\.withFewRecords)
    }()

    private static let exportName = "people.json"

    /// Writes what an export has, without looking whether the contents are JSON text.
    private static let byHand = BenchmarkCase(
        name: "export-by-hand",
        summary: "one SELECT, whose rows are written to a file as JSON text",
        fixture: CacheCases.fixture
    ) { context in
        let database = try PeerDatabase(moltFileAt: context.file(CacheCases.fileName))
        return BenchmarkTrial(count: context.records) { _ in
            let file = context.file(exportName)
            try Data().write(to: file)
            let output = try FileHandle(forWritingTo: file)
            let rows = try database.prepare(
                """
                SELECT record.key, type.name, created_at || ',"updated":' || updated_at, content
                FROM molt_record AS record JOIN molt_type AS type ON type.id = type_id ORDER BY record.id
                """
            )
            var bytes = Array(#"{"version":1,"records":["#.utf8)
            while try rows.step() {
                bytes += #"{"key":""#.utf8
                bytes += rows.text(0)
                bytes += #"","type":""#.utf8
                bytes += rows.text(1)
                bytes += #"","created":"#.utf8
                bytes += rows.text(2)
                bytes += #","content":"#.utf8
                bytes += rows.text(3)
                bytes += "},\n".utf8
                guard bytes.count > 1 << 20 else { continue }
                try output.write(contentsOf: bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            try output.write(contentsOf: bytes + Array("]}".utf8))
            try output.synchronize()
            try output.close()
        } finish: {
            try database.close()
        }
    }

    private static let export = BenchmarkCase(
        name: "molt-export",
        summary: "export of all records",
        fixture: CacheCases.fixture,
        ratios: [BenchmarkRatio(.time, of: byHand.name, atMost: 5), .extraMemory(of: "molt-export")]
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
