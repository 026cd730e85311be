import Foundation
import Molt

/// Settings: the two built-in migrations, compared with one write of all the same keys through `UserDefaults`, and new
/// keys, compared with as many calls of it.
///
/// On Linux, `UserDefaults` takes quadratic time, and each process keeps its suites in the directory of its run; see
/// `Platform.runSelf`.
enum SettingsCases {
    static let all =
        cases(Size(suffix: "-500", limit: 500, quickLimit: 250)) + cases(Size()) + [
            set("molt-setting-again", "a value set with a typed key that the process has used before", isAgain: true),
            set("molt-setting-over-existing", "a value set with a typed key for the first time"),
        ]

    /// A number of settings: one that is typical for an app, and a large one.
    private struct Size {
        var suffix = ""
        var limit = 2000
        var quickLimit = 1000
    }

    private static func cases(_ size: Size) -> [BenchmarkCase] {
        func ratios(_ byHand: String) -> [BenchmarkRatio] {
            [BenchmarkRatio(.time, of: byHand + size.suffix, atMost: 4)]
        }
        return [
            benchmark(
                "settings-file",
                "a suite read, changed and written as a whole through UserDefaults",
                .conversion,
                size
            ) { work in
                try write(read(work.source).merging(work.changed) { $1 }, to: work.source)
            },
            benchmark(
                "molt-defaults-v4-to-v5",
                "Molt, defaultsV4ToV5 when a cache is opened",
                .conversion,
                size,
                ratios("settings-file")
            ) { work in
                try CodableCache(at: work.file, migrations: work.migrations).close()
            },
            benchmark(
                "molt-defaults-v4-to-v5-suite",
                "Molt, defaultsV4ToV5 of a suite without a cache",
                .conversion,
                size,
                ratios("settings-file")
            ) { work in
                try work.source.upgrade(with: work.migrations)
            },
            benchmark(
                "settings-move-file",
                "a suite read, and another one written as a whole through UserDefaults",
                .move,
                size
            ) { work in
                try write(read(work.source), to: work.destination)
            },
            benchmark(
                "molt-suite-to-app-group",
                "Molt, suiteToAppGroup when a cache is opened",
                .move,
                size,
                ratios("settings-move-file")
            ) { work in
                try CodableCache(at: work.file, migrations: work.migrations).close()
            },
            benchmark(
                "settings-rename-loop",
                "each key of a suite renamed through UserDefaults, one by one",
                .rename,
                size
            ) { work in
                let defaults = try defaults(work.source)
                for (key, value) in try read(work.source) {
                    defaults.set(value, forKey: SettingsFixture.renamed(key))
                    defaults.removeObject(forKey: key)
                }
                defaults.synchronize()
            },
            benchmark(
                "molt-rename-settings",
                "Molt, renameSettings(withPrefix:) of a suite without a cache",
                .rename,
                size,
                ratios("settings-rename-loop")
            ) { work in
                try work.source.upgrade(with: work.migrations)
            },
        ]
    }

    /// Sets values over others that can be read, in a suite with few settings.
    private static func set(_ name: String, _ summary: String, isAgain: Bool = false) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            other: "the same without looking whether the old one can be read",
            limit: 500,
            quickLimit: 100,
            ratios: [BenchmarkRatio(.time, atMost: 2)]
        ) { context in
            let rounds = 20
            let suite = SettingsFixture.source
            let names = (0..<25).map { "count.\($0)" }
            try suite.update(set: Dictionary(uniqueKeysWithValues: names.map { ($0, .int(-1)) }))
            func makeKeys() -> [SettingKey<Int>] { names.map { SettingKey($0, default: 0) } }
            let keys = makeKeys()
            for key in keys { try suite.set(-2, for: key) }
            func set(_ round: Int, _ policy: UnreadablePolicy, _ number: Int) throws {
                SettingKeys.unreadableValues = policy
                let keys = isAgain ? keys : makeKeys()
                for index in context.indices(ofRound: round, of: rounds) {
                    try suite.set(2 * index + number, for: keys[index % keys.count])
                }
            }
            return BenchmarkTrial(count: context.records, rounds: rounds) { round in
                try set(round, .quarantine(), 0)
            } other: { round in
                try set(round, .overwrite, 1)
            } finish: {
                defer { SettingsFixture.erase() }
                guard try suite.quarantined().isEmpty else { throw BenchmarkError("A readable value was quarantined.") }
            }
        }
    }

    private enum Kind {
        /// Conversion from Defaults 4 to 5.
        case conversion
        /// Move to an app group.
        case move
        /// New keys.
        case rename
    }

    /// The inputs of a case.
    private struct Work {
        let source = SettingsFixture.source
        let destination = SettingsFixture.destination
        let context: BenchmarkContext
        /// The settings whose form changes in Defaults 5, in the new form.
        let changed: [String: Any]
        let migrations: MigrationRegistry

        var file: URL { context.file(CacheCases.fileName) }
    }

    private static func benchmark(
        _ name: String,
        _ summary: String,
        _ kind: Kind,
        _ size: Size,
        _ ratios: [BenchmarkRatio] = [],
        _ body: @escaping @Sendable (Work) throws -> Void
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name + size.suffix,
            summary: summary,
            limit: size.limit,
            quickLimit: size.quickLimit,
            fixture: SettingsFixture.suite,
            ratios: ratios
        ) { context in
            let (source, destination) = (SettingsFixture.source, SettingsFixture.destination)
            let changed = try SettingsFixture.changedValues(context.records)
            let migration: Migration =
                switch kind {
                case .conversion:
                    .defaultsV4ToV5(to: 1, suite: source, keys: SettingsFixture.keys(context.records))
                case .move: .suiteToAppGroup(to: 1, from: source, into: destination)
                case .rename:
                    Migration(
                        to: 1,
                        "rename",
                        .renameSettings(
                            withPrefix: SettingsFixture.prefix,
                            to: SettingsFixture.newPrefix,
                            in: source
                        )
                    )
                }
            let work = Work(context: context, changed: changed.mapValues(\.object), migrations: [migration])
            return BenchmarkTrial(count: context.records) { _ in
                try body(work)
            } finish: {
                defer { SettingsFixture.erase() }
                let values = SettingsFixture.values(context.records)
                switch kind {
                case .conversion: try SettingsFixture.check(source, has: values.merging(changed) { $1 })
                case .move: try SettingsFixture.check(destination, has: values)
                case .rename:
                    let renamed = values.map { (SettingsFixture.renamed($0), $1) }
                    try SettingsFixture.check(source, has: Dictionary(uniqueKeysWithValues: renamed))
                }
            }
        }
    }

    // MARK: By hand

    private static func defaults(_ suite: Suite) throws -> UserDefaults {
        guard let defaults = UserDefaults(suiteName: suite.domainName) else {
            throw BenchmarkError("There is no suite \(suite).")
        }
        return defaults
    }

    private static func read(_ suite: Suite) throws -> [String: Any] {
        try defaults(suite).persistentDomain(forName: suite.domainName) ?? [:]
    }

    private static func write(_ values: [String: Any], to suite: Suite) throws {
        let defaults = try defaults(suite)
        defaults.setPersistentDomain(values, forName: suite.domainName)
        defaults.synchronize()
    }
}
