import Foundation
import Molt
import MoltDefaults

/// Settings: the two built-in migrations, beside the writes of the same keys that an app would do itself.
///
/// Each process has its suites in the directory of its run, on Linux; see `Platform.runSelf`.
enum SettingsCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] =
        [
            convertOneByOne, convertDomain, convertFile, convertFloor, moltConvert, moltConvertSuite,
            moveOneByOne, moveFile, moveFloor, moltMove,
        ]

    /// How Molt compares with the writes alone, with the goals.
    static let ratios: [BenchmarkRatio] = [
        ratio(moltConvert, one, convertOneByOne),
        ratio(moltConvert, "the cheapest correct write by hand", convertFile),
        ratio(moltConvertSuite, "the cheapest correct write by hand", convertFile),
        ratio(moltMove, one, moveOneByOne),
        ratio(moltMove, "the cheapest correct write by hand", moveFile),
    ]

    /// What most apps would write.
    private static let one = "set for each changed key"

    private static func ratio(_ molt: BenchmarkCase, _ words: String, _ baseline: BenchmarkCase) -> BenchmarkRatio {
        BenchmarkRatio(
            title: "\(molt.name) vs \(words)",
            subject: molt.name,
            baseline: baseline.name,
            measure: .time,
            goal: .atMost(1.2),
            row: "built-in migrations of settings vs \(words)",
            checkLimit: words == one ? .atMost(2) : .atMost(6)
        )
    }

    private static let size = BenchmarkCase.Size.atMost(10_000, quick: 2000)

    // MARK: Defaults 4 to 5

    private static let convertOneByOne = convert("settings-set", "UserDefaults: set for each changed key, synchronize")
    {
        changed,
        _ in
        let defaults = try defaults(SettingsFixture.source)
        for (key, object) in changed { defaults.set(object, forKey: key) }
        defaults.synchronize()
    }

    private static let convertDomain = convert(
        "settings-set-domain",
        "UserDefaults: setPersistentDomain with all keys"
    ) { changed, _ in
        let name = SettingsFixture.source.domainName
        let defaults = try defaults(SettingsFixture.source)
        var domain = defaults.persistentDomain(forName: name) ?? [:]
        // What it hands out is boxed in a way that it does not take back.
        domain = try domain.mapValues { try PropertyListValue(normalizing: $0).object }
        domain.merge(changed) { $1 }
        defaults.setPersistentDomain(domain, forName: name)
    }

    private static let convertFile = convert(
        "settings-file",
        "the suite's file read, changed and replaced durably, UserDefaults told (the cheapest correct way by hand)"
    ) { changed, context in
        #if canImport(Darwin)
            let defaults = try defaults(SettingsFixture.source)
            for (key, object) in changed { defaults.set(object, forKey: key) }
            defaults.synchronize()
        #else
            let file = context.file("\(SettingsFixture.source.domainName).plist")
            var all = try dictionary(file)
            all.merge(changed) { $1 }
            try write(all, to: file)
            try defaults(SettingsFixture.source).synchronize()
        #endif
    }

    private static let convertFloor = prepareConvert(
        "settings-floor",
        "the suite's file made of a dictionary at hand, and written durably"
    ) { changed, context in
        let all = SettingsFixture.values(context.records).mapValues(\.object).merging(changed) { $1 }
        return {
            try write(all, to: context.file("\(SettingsFixture.source.domainName).plist"))
        }
    }

    private static let moltConvert = prepareConvert(
        "molt-defaults-v4-to-v5",
        "Molt, defaultsV4ToV5 when a cache is opened"
    ) { _, context in
        let migrations = conversion(context)
        return { try CodableCache(at: context.file(MoltStore.fileName), migrations: migrations).close() }
    }

    private static let moltConvertSuite = prepareConvert(
        "molt-defaults-v4-to-v5-suite",
        "Molt, defaultsV4ToV5 of a suite that is a store of its own"
    ) { _, context in
        let migrations = conversion(context)
        return { try SettingsFixture.source.upgrade(with: migrations) }
    }

    private static func conversion(_ context: BenchmarkContext) -> MigrationRegistry {
        let keys = SettingsFixture.keys(context.records)
        return [.defaultsV4ToV5(to: 1, suite: SettingsFixture.source, keys: keys)]
    }

    // MARK: To an app group

    private static let moveOneByOne = move(
        "settings-move-set",
        "UserDefaults: all keys of a suite, set in another one, synchronize"
    ) { context in
        let old = try defaults(SettingsFixture.source)
        let new = try defaults(SettingsFixture.destination)
        for (key, object) in old.persistentDomain(forName: SettingsFixture.source.domainName) ?? [:] {
            new.set(try PropertyListValue(normalizing: object).object, forKey: key)
        }
        new.synchronize()
    }

    private static let moveFile = move(
        "settings-move-file",
        "the suite's file read, and another one written durably, UserDefaults told (the cheapest correct way by hand)"
    ) { context in
        #if canImport(Darwin)
            let old = try defaults(SettingsFixture.source)
            let new = try defaults(SettingsFixture.destination)
            for (key, object) in old.persistentDomain(forName: SettingsFixture.source.domainName) ?? [:] {
                new.set(object, forKey: key)
            }
            new.synchronize()
        #else
            let all = try dictionary(context.file("\(SettingsFixture.source.domainName).plist"))
            try write(all, to: context.file("\(SettingsFixture.destination.domainName).plist"))
            try defaults(SettingsFixture.destination).synchronize()
        #endif
    }

    private static let moveFloor = prepareMove(
        "settings-move-floor",
        "the new suite's file made of a dictionary at hand, and written durably"
    ) { context in
        let all = SettingsFixture.values(context.records).mapValues(\.object)
        return { try write(all, to: context.file("\(SettingsFixture.destination.domainName).plist")) }
    }

    private static let moltMove = prepareMove(
        "molt-suite-to-app-group",
        "Molt, suiteToAppGroup when a cache is opened"
    ) { context in
        let migrations: MigrationRegistry = [
            .suiteToAppGroup(to: 1, from: SettingsFixture.source, into: SettingsFixture.destination)
        ]
        return { try CodableCache(at: context.file(MoltStore.fileName), migrations: migrations).close() }
    }

    // MARK: Cases

    private static func convert(
        _ name: String,
        _ summary: String,
        _ body: @escaping @Sendable ([String: Any], BenchmarkContext) throws -> Void
    ) -> BenchmarkCase {
        prepareConvert(name, summary) { changed, context in { try body(changed, context) } }
    }

    private static func prepareConvert(
        _ name: String,
        _ summary: String,
        _ prepare: @escaping @Sendable ([String: Any], BenchmarkContext) throws -> () throws -> Void
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, size: size, fixture: SettingsFixture.suite) { context in
            let changed = try SettingsFixture.changedValues(context.records)
            let body = try prepare(changed.mapValues(\.object), context)
            return BenchmarkTrial(count: context.records, body: body) {
                defer { SettingsFixture.erase() }
                let all = SettingsFixture.values(context.records).merging(changed) { $1 }
                try SettingsFixture.check(SettingsFixture.source, has: all)
            }
        }
    }

    private static func move(
        _ name: String,
        _ summary: String,
        _ body: @escaping @Sendable (BenchmarkContext) throws -> Void
    ) -> BenchmarkCase {
        prepareMove(name, summary) { context in { try body(context) } }
    }

    private static func prepareMove(
        _ name: String,
        _ summary: String,
        _ prepare: @escaping @Sendable (BenchmarkContext) throws -> () throws -> Void
    ) -> BenchmarkCase {
        BenchmarkCase(name: name, summary: summary, size: size, fixture: SettingsFixture.suite) { context in
            let body = try prepare(context)
            return BenchmarkTrial(count: context.records, body: body) {
                defer { SettingsFixture.erase() }
                let all = SettingsFixture.values(context.records)
                try SettingsFixture.check(SettingsFixture.destination, has: all)
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

    private static func dictionary(_ file: URL) throws -> [String: Any] {
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        return list as? [String: Any] ?? [:]
    }

    /// A kill leaves the file that was, or the one that is to be.
    private static func write(_ objects: [String: Any], to file: URL) throws {
        let bytes = try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
        try Platform.replaceDurably(file, with: bytes)
    }
}
