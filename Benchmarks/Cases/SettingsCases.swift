import Foundation
import Molt
import MoltDefaults

/// Settings: the two built-in migrations, beside writes of the same keys by hand.
///
/// On Linux, each process has its suites in the directory of its run; see `Platform.runSelf`.
enum SettingsCases {
    static let all: [BenchmarkCase] =
        [convertOneByOne, moveOneByOne]
        + sizes.flatMap {
            [convertByHand($0), convertByMolt($0), convertSuiteByMolt($0), moveByHand($0), moveByMolt($0)]
        }

    /// A number of settings: that of an app, and one at which growth with its square is seen.
    private typealias Size = (suffix: String, limit: Int, quickLimit: Int)
    private static let sizes: [Size] = [("-500", 500, 500), ("", 10_000, 2000)]

    /// The ratios to one correct whole write through Foundation, and to what most apps would write.
    private static func ratios(_ byHand: String, _ size: Size, _ oneByOne: BenchmarkCase? = nil) -> [BenchmarkRatio] {
        [BenchmarkRatio(.time, of: byHand + size.suffix, atMost: 6)]
            + (size.suffix.isEmpty ? oneByOne.map { [BenchmarkRatio(.time, of: $0.name, atMost: 2)] } ?? [] : [])
    }

    // MARK: Defaults 4 to 5

    private static let convertOneByOne = convert("settings-set", "UserDefaults: set for each changed key", sizes[1]) {
        changed,
        _ in
        {
            let defaults = try defaults(SettingsFixture.source)
            for (key, object) in changed { defaults.set(object, forKey: key) }
            defaults.synchronize()
        }
    }

    private static func convertByHand(_ size: Size) -> BenchmarkCase {
        convert("settings-file", "the suite read, changed and written as a whole through Foundation, durably", size) {
            changed,
            context in
            {
                let all = try read(SettingsFixture.source, context).merging(changed) { $1 }
                try replace(SettingsFixture.source, context, by: all)
            }
        }
    }

    private static func convertByMolt(_ size: Size) -> BenchmarkCase {
        convert(
            "molt-defaults-v4-to-v5",
            "Molt, defaultsV4ToV5 when a cache is opened",
            size,
            ratios: ratios("settings-file", size, convertOneByOne)
        ) { _, context in
            let migrations = conversion(context)
            return { try CodableCache(at: context.file(CacheCases.fileName), migrations: migrations).close() }
        }
    }

    private static func convertSuiteByMolt(_ size: Size) -> BenchmarkCase {
        convert(
            "molt-defaults-v4-to-v5-suite",
            "Molt, defaultsV4ToV5 of a suite that is a store of its own",
            size,
            ratios: ratios("settings-file", size)
        ) { _, context in
            let migrations = conversion(context)
            return { try SettingsFixture.source.upgrade(with: migrations) }
        }
    }

    private static func conversion(_ context: BenchmarkContext) -> MigrationRegistry {
        let keys = SettingsFixture.keys(context.records)
        return [.defaultsV4ToV5(to: 1, suite: SettingsFixture.source, keys: keys)]
    }

    private static func convert(
        _ name: String,
        _ summary: String,
        _ size: Size,
        ratios: [BenchmarkRatio] = [],
        _ prepare: @escaping @Sendable ([String: Any], BenchmarkContext) throws -> () throws -> Void
    ) -> BenchmarkCase {
        benchmark(name, summary, size, ratios) { context in
            let changed = try SettingsFixture.changedValues(context.records)
            let all = SettingsFixture.values(context.records).merging(changed) { $1 }
            return (try prepare(changed.mapValues(\.object), context), SettingsFixture.source, all)
        }
    }

    // MARK: To an app group

    private static let moveOneByOne = move("settings-move-set", "UserDefaults: set for each key of a suite", sizes[1]) {
        _ in
        {
            let old = try defaults(SettingsFixture.source)
            let new = try defaults(SettingsFixture.destination)
            for (key, object) in old.persistentDomain(forName: SettingsFixture.source.domainName) ?? [:] {
                new.set(try PropertyListValue(normalizing: object).object, forKey: key)
            }
            new.synchronize()
        }
    }

    private static func moveByHand(_ size: Size) -> BenchmarkCase {
        move("settings-move-file", "a suite read, and another one written as a whole through Foundation, durably", size)
        {
            context in
            { try replace(SettingsFixture.destination, context, by: read(SettingsFixture.source, context)) }
        }
    }

    private static func moveByMolt(_ size: Size) -> BenchmarkCase {
        move(
            "molt-suite-to-app-group",
            "Molt, suiteToAppGroup when a cache is opened",
            size,
            ratios: ratios("settings-move-file", size, moveOneByOne)
        ) { context in
            let migrations: MigrationRegistry = [
                .suiteToAppGroup(to: 1, from: SettingsFixture.source, into: SettingsFixture.destination)
            ]
            return { try CodableCache(at: context.file(CacheCases.fileName), migrations: migrations).close() }
        }
    }

    private static func move(
        _ name: String,
        _ summary: String,
        _ size: Size,
        ratios: [BenchmarkRatio] = [],
        _ prepare: @escaping @Sendable (BenchmarkContext) throws -> () throws -> Void
    ) -> BenchmarkCase {
        benchmark(name, summary, size, ratios) { context in
            (try prepare(context), SettingsFixture.destination, SettingsFixture.values(context.records))
        }
    }

    /// What is timed, the suite that it writes, and the values that the suite has afterwards.
    private typealias Work = (body: () throws -> Void, suite: Suite, expected: [String: PropertyListValue])

    private static func benchmark(
        _ name: String,
        _ summary: String,
        _ size: Size,
        _ ratios: [BenchmarkRatio],
        _ prepare: @escaping @Sendable (BenchmarkContext) throws -> Work
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name + size.suffix,
            summary: summary,
            limit: size.limit,
            quickLimit: size.quickLimit,
            fixture: SettingsFixture.suite,
            ratios: ratios
        ) { context in
            let work = try prepare(context)
            return BenchmarkTrial(count: context.records) { _ in
                try work.body()
            } finish: {
                defer { SettingsFixture.erase() }
                try SettingsFixture.check(work.suite, has: work.expected)
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

    private static func read(_ suite: Suite, _ context: BenchmarkContext) throws -> [String: Any] {
        #if canImport(Darwin)
            return try defaults(suite).persistentDomain(forName: suite.domainName) ?? [:]
        #else
            let data = try Data(contentsOf: context.file("\(suite.domainName).plist"))
            return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
        #endif
    }

    /// Writes a suite as a whole.
    ///
    /// On Linux, where UserDefaults can lose the file, it is replaced durably, and UserDefaults reads it again.
    private static func replace(_ suite: Suite, _ context: BenchmarkContext, by values: [String: Any]) throws {
        #if canImport(Darwin)
            try defaults(suite).setPersistentDomain(values, forName: suite.domainName)
        #else
            let data = try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
            try Platform.replaceDurably(context.file("\(suite.domainName).plist"), with: data)
        #endif
        try defaults(suite).synchronize()
    }
}
