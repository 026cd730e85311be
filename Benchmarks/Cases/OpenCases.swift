import Foundation
import Molt

/// Opening a store: up to date, and while it is behind with what changes no record.
///
/// Each case also runs with a thousand records. The cases named "once" are the first use of Molt in their process.
enum OpenCases {
    static let all: [BenchmarkCase] = [nil, 1000].flatMap(cases) + [currentWithSettings]

    private static func cases(_ limit: Int?) -> [BenchmarkCase] {
        let kinds = [bump, renameType, onRead]
        return [current(limit)] + kinds.map { upgrading($0, limit) } + [again(limit), currentOnce(limit)]
            + kinds.map { once($0, limit) }
    }

    /// What a store is behind with.
    private struct Kind: Sendable {
        let name: String
        let summary: String
        /// The migrations from a version on.
        let migrations: @Sendable (_ after: Int) -> [Migration]
    }

    private static let bump = Kind(name: "bump", summary: "one version behind, without steps") {
        [Migration(to: $0 + 1, "second")]
    }

    private static let renameType = Kind(name: "rename-type", summary: "one version behind, with a renamed type") {
        [Migration(to: $0 + 1, "second", .renameType(People.typeName, to: "Contact"))]
    }

    private static let onRead = Kind(name: "on-read", summary: "five migrations on read behind") { version in
        OnReadCases.steps.enumerated().map { Migration(to: version + $0 + 1, "change-\($0)", $1).onRead() }
    }

    private static func name(_ name: String, _ limit: Int?) -> String {
        "molt-open-\(name)" + (limit.map { "-\($0)" } ?? "")
    }

    /// - Parameter limit: The number of records; nil for as many as the large cases have.
    private static func open(
        _ name: String,
        _ summary: String,
        _ limit: Int?,
        other: String? = nil,
        fixture: BenchmarkFixture = CacheCases.fixture,
        _ ratios: [BenchmarkRatio],
        _ prepare: @escaping @Sendable (BenchmarkContext) throws -> BenchmarkTrial
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: Self.name(name, limit),
            summary: summary + (limit.map { ", of \($0) records" } ?? ""),
            other: other,
            limit: limit ?? .max,
            quickLimit: limit ?? .max,
            fixture: fixture,
            ratios: ratios,
            prepare: prepare
        )
    }

    private static func open(_ file: URL, _ migrations: [Migration]) throws -> CodableCache {
        var configuration = MoltConfiguration()
        configuration.runsBackfill = false
        return try CodableCache(at: file, migrations: MigrationRegistry(migrations), configuration: configuration)
    }

    // MARK: Again and again

    private static let first = Migration(to: 1, "first")

    private static func current(_ limit: Int?) -> BenchmarkCase {
        open(
            "current",
            "open and close a store that is up to date",
            limit,
            other: "SQLite's own opening, one read and closing",
            [BenchmarkRatio(.time, atMost: 4)]
        ) { context in
            let rounds = 400
            let file = context.file(CacheCases.fileName)
            try open(file, [first]).close()
            return BenchmarkTrial(count: rounds, rounds: rounds, countsMedians: true) { _ in
                let cache = try open(file, [first])
                guard cache.report.isEmpty else { throw BenchmarkError("The store was not up to date.") }
                cache.close()
            } other: { _ in
                let database = try PeerDatabase(moltFileAt: file)
                guard try database.integer("SELECT value FROM molt_meta WHERE name = 'file_format'") == 1 else {
                    throw BenchmarkError("The file has another format.")
                }
                try database.close()
            }
        }
    }

    /// Opens a store of an app with settings in two suites, and in turn one without settings.
    private static let currentWithSettings = BenchmarkCase(
        name: "molt-open-current-settings",
        summary: "open and close a store that is up to date, of an app with settings in two suites",
        other: "open and close one of an app without settings",
        limit: 1000,
        quickLimit: 1000,
        fixture: CacheCases.fixture,
        ratios: [BenchmarkRatio(.time, atMost: 6)]
    ) { context in
        let rounds = 400
        let (file, copy) = (context.file(CacheCases.fileName), context.file("copy.molt"))
        try FileManager.default.copyItem(at: file, to: copy)
        let (source, destination) = (SettingsFixture.source, SettingsFixture.destination)
        try source.update(set: SettingsFixture.values(20))
        let migrations: [Migration] = [
            .defaultsV4ToV5(to: 1, suite: source, keys: SettingsFixture.keys(20)),
            .suiteToAppGroup(to: 2, from: source, into: destination),
        ]
        try open(file, migrations).close()
        try open(copy, [first]).close()
        return BenchmarkTrial(count: rounds, rounds: rounds, countsMedians: true) { _ in
            let cache = try open(file, migrations)
            guard cache.report.isEmpty else { throw BenchmarkError("The store was not up to date.") }
            cache.close()
        } other: { _ in
            try open(copy, [first]).close()
        } finish: {
            try SettingsFixture.check(destination, has: SettingsFixture.changedValues(20))
            SettingsFixture.erase()
        }
    }

    /// Opens a store that is behind, and in turn one that is up to date with the same migrations.
    private static func upgrading(_ kind: Kind, _ limit: Int?) -> BenchmarkCase {
        open(
            kind.name,
            "open a store that is \(kind.summary)",
            limit,
            other: "open one that is up to date",
            [BenchmarkRatio(.time, atMost: 3)]
        ) { context in
            let rounds = 200
            let (file, copy) = (context.file(CacheCases.fileName), context.file("copy.molt"))
            let migrations = [first] + kind.migrations(1)
            try open(file, [first]).close()
            try FileManager.default.copyItem(at: file, to: copy)
            try open(copy, migrations).close()
            try execute("UPDATE molt_ledger SET outcome = 'ran'", on: copy)
            var cache: CodableCache?
            return BenchmarkTrial(count: rounds, rounds: rounds, countsMedians: true) { _ in
                cache = try open(file, migrations)
                guard cache?.report.from == 1, cache?.report.to == migrations.last?.version else {
                    throw BenchmarkError("The store was not upgraded.")
                }
            } other: { _ in
                cache = try open(copy, migrations)
                guard cache?.report.isEmpty == true, cache?.report.onRead.isEmpty == true else {
                    throw BenchmarkError("The store was not up to date.")
                }
            } afterPart: {
                // Closing writes the log into the file.
                cache?.close()
                guard cache?.path == file.path else { return }
                try execute(
                    """
                    DELETE FROM molt_ledger WHERE version > 1;
                    UPDATE molt_type SET name = '\(People.typeName)';
                    PRAGMA user_version = 1
                    """,
                    on: file
                )
            }
        }
    }

    private static func execute(_ sql: String, on file: URL) throws {
        let database = try PeerDatabase(moltFileAt: file)
        try database.execute(sql)
        try database.close()
    }

    private static func again(_ limit: Int?) -> BenchmarkCase {
        open(
            "on-read-again",
            "open and close a store with five migrations on read, none of whose records is upgraded",
            limit,
            other: "open and close it without them",
            [BenchmarkRatio(.time, atMost: 4)]
        ) { context in
            let rounds = 200
            let (file, copy) = (context.file(CacheCases.fileName), context.file("copy.molt"))
            try FileManager.default.copyItem(at: file, to: copy)
            try open(file, onRead.migrations(0)).close()
            return BenchmarkTrial(count: rounds, rounds: rounds, countsMedians: true) { _ in
                try open(file, onRead.migrations(0)).close()
            } other: { _ in
                try open(copy, []).close()
            }
        }
    }

    // MARK: Once

    /// A store that is up to date with one migration.
    private static let currentFixture = BenchmarkFixture(name: "molt-store-current") { context in
        try CacheCases.fixture.build(context)
        try open(context.file(CacheCases.fileName), bump.migrations(0)).close()
    }

    private static func currentOnce(_ limit: Int?) -> BenchmarkCase {
        open(
            "current-once",
            "open a store that is up to date, once, as the first use of a process",
            limit,
            fixture: currentFixture,
            []
        ) { try once(in: $0, bump.migrations(0)) }
    }

    private static func once(_ kind: Kind, _ limit: Int?) -> BenchmarkCase {
        open(
            "\(kind.name)-once",
            "the same while it is \(kind.summary)",
            limit,
            [BenchmarkRatio(.time, of: name("current-once", limit), atMost: 6)]
        ) { context in
            try once(in: context, kind.migrations(0))
        }
    }

    /// Opens the store once; closing it, which writes the log into the file, is not measured.
    private static func once(in context: BenchmarkContext, _ migrations: [Migration]) throws -> BenchmarkTrial {
        let file = context.file(CacheCases.fileName)
        var cache: CodableCache?
        return BenchmarkTrial(count: 1) { _ in
            cache = try open(file, migrations)
        } finish: {
            cache?.close()
            guard try CacheFile(at: file).version() == migrations.last?.version else {
                throw BenchmarkError("The store was not upgraded.")
            }
        }
    }
}
