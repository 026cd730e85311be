import Foundation
import Molt

/// Upgrades that take the keys from all records, alone and while they note them.
enum DroppedKeyCases {
    static let all =
        pair("molt-delete-type", "deleteType of all records", .deleteType(People.typeName))
        + pair("molt-rename-keys", "renameKeys of all records", .renameKeys(People.typeName, to: .property("mail")))

    private static func pair(_ name: String, _ summary: String, _ step: MigrationStep) -> [BenchmarkCase] {
        let ratio = BenchmarkRatio(.time, of: name, atMost: 8)
        return [
            upgrade(name, summary, step),
            upgrade("\(name)-noted", "\(summary), whose keys are noted", step, ratios: [ratio], notesKeys: true),
        ]
    }

    private static func upgrade(
        _ name: String,
        _ summary: String,
        _ step: MigrationStep,
        ratios: [BenchmarkRatio] = [],
        notesKeys: Bool = false
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, fixture: CacheCases.fixture, ratios: ratios) { context in
            let file = context.file(CacheCases.fileName)
            let migrations: MigrationRegistry = [Migration(to: 1, "change", step)]
            var configuration = MoltConfiguration()
            configuration.droppedKeyLifetime = notesKeys ? .seconds(86_400) : nil
            let settings = configuration
            return BenchmarkTrial(count: context.records) { _ in
                try CodableCache(at: file, migrations: migrations, configuration: settings).close()
            } finish: {
                let cache = try CodableCache(at: file, migrations: migrations, configuration: settings)
                defer { cache.close() }
                var count = 0
                try cache.droppedKeys { _ in count += 1 }
                guard count == (notesKeys ? context.records : 0) else {
                    throw BenchmarkError("\(name): \(count) keys are noted.")
                }
            }
        }
    }
}
