import Foundation
import Molt
import Testing

@Suite("Events and progress of an upgrade")
struct EventTests {
    private static func people(_ count: Int) -> [StoredRecord] {
        (0..<count).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0)}"#) }
    }

    private static let records = people(110) + (0..<10).map { StoredRecord("City", "c\($0)", "{}") }

    private static let fused: MigrationRegistry = [
        Migration(to: 1, "a", .transform("Person") { $0["a"] = 1 }),
        Migration(to: 2, "b", .renameType("Person", to: "Human"), .addProperty("Human", "b", default: 1)),
    ]

    private static let blocks: MigrationRegistry = [
        Migration(to: 1, "bump"),
        Migration(to: 2, "a", .transform("Person") { $0["a"] = 1 }),
        Migration(
            to: 3,
            "b",
            .transform("Person") { $0["b"] = 1 },
            .run { try $0.enumerate("City") { _, new in new["b"] = 1 } }
        ),
        Migration(to: 4, "c", .transform("Person") { $0["c"] = 1 }),
        Migration(to: 5, "d", .deleteType("City")),
    ]

    private static func words(_ events: [MigrationEvent]) -> [String] {
        events.map(\.word).filter { $0 != "progressed" }
    }

    private static func monitored(
        _ onEvent: (@Sendable (MigrationEvent) -> Void)? = nil
    ) -> (MoltConfiguration, MigrationMonitor) {
        let monitor = MigrationMonitor(onEvent: onEvent)
        let configuration = MoltConfiguration { $0.monitor = monitor }
        return (configuration, monitor)
    }

    // MARK: Events

    @Test(.throughEveryEntryPoint)
    func `The closure and the sequence receive the same events in order, and progress never goes back`() async throws {
        let log = Log<MigrationEvent>()
        let (configuration, monitor) = Self.monitored { log.append($0) }
        let events = monitor.events

        try await OldStore(Self.records).upgrade(Self.blocks, configuration)
        let before = await events.reduce(into: []) { $0.append($1) }
        let after = await monitor.events.reduce(into: []) { $0.append($1) }

        let words = [
            "planned 5", "started bump", "started a", "started b", "ended bump", "ended a", "ended b", "started c",
            "started d", "ended c", "ended d", "finished",
        ]
        #expect(Self.words(log.all) == words)
        let allWords = log.all.map(\.word)
        #expect(allWords.prefix(3) == ["planned 5", "progressed", "started bump"])
        #expect(before.map(\.word) == allWords)
        // A sequence that begins afterwards delivers all events but the progress.
        #expect(Self.words(after) == words)

        // Two passes over the people, and a block that may visit each record.
        let steps = Self.progress(log.all, of: 110 + 120 + 110)
        let groups = Set(steps.map { $0.migrations.map(\.name) })
        #expect(groups == [[], ["a", "b"], ["b"], ["c", "d"]])
    }

    @Test func `A monitor that follows a second opening starts again`() async throws {
        let store = try OldStore(Self.records)
        let events = Log<MigrationEvent>()
        let (configuration, monitor) = Self.monitored { events.append($0) }
        _ = try await CacheFile(at: store.url).dryRun(Self.blocks, configuration: configuration)
        let count = events.count

        let progress = Log<Double>()
        var migrations = Self.blocks
        migrations.register(to: 6, "look") { _ in progress.append(events.all.lastProgress?.fraction ?? -1) }
        try await store.upgrade(migrations, configuration)

        let followed = await monitor.events.reduce(into: []) { $0.append($1.word) }
        #expect(followed.first == "planned 6")
        let ends = followed.filter { $0 == "finished" }
        #expect(ends.count == 1)
        #expect(events.all[count].word == "planned 6")
        let isBelowOne = progress.all.allSatisfy { $0 < 1 }
        #expect(isBelowOne)
        #expect(events.all.lastProgress?.fraction == 1)

        let finished = events.count
        try await store.upgrade(migrations, configuration)
        #expect(Self.words(Array(events.all[finished...])) == ["planned 0", "finished"])
    }

    /// A logger or a signposter needs one end for each beginning, unless the opening fails.
    @Test func `Each migration that runs begins and ends once, in order, and no other does`() async throws {
        func events(_ open: (MoltConfiguration) throws -> Void) -> [String] {
            let log = Log<MigrationEvent>()
            var configuration = Self.monitored({ log.append($0) }).0
            configuration.runsBackfill = false
            _ = Result { try open(configuration) }
            return Self.words(log.all).filter { !$0.hasPrefix("planned") }
        }
        let store = try OldStore(Self.records)
        func events(_ migrations: Migration...) -> [String] {
            events { try CodableCache(at: store.url, migrations: .init(migrations), configuration: $0).close() }
        }
        let bump = Migration(to: 1, "bump")
        let town = Migration(to: 2, "town", .renameType("City", to: "Town"))
        let part = Migration(to: 3, "part", .renameType("Town", to: "Place"))
        let begun = ["started bump", "started town", "started part", "ended bump", "ended town", "ended part"]
        #expect(events(bump, town, part) == begun + ["finished"])

        // The ledger only records the whole. The failing migration has begun when its check stops all of them.
        let whole = Migration(to: 3, "whole", replacing: ["part"], .renameType("Town", to: "Place"))
        let block = Migration(to: 4, "block", .run { _ in }, .addProperty("Person", "a", default: 1))
        let checked = Migration(to: 5, "checked", .addProperty("Person", "b", default: 1)).check("all") { _ in }
        let failing = Migration(to: 6, "failing").check("none") { _ in throw Refusal() }
        let last = Migration(to: 7, "last", .addProperty("Person", "c", default: 1))
        let fused = ["started block", "started checked", "ended block", "ended checked"]
        #expect(events(bump, town, whole, block, checked, failing, last) == fused + ["started failing", "failed"])
        #expect(events(bump, town, whole, block, checked) == fused + ["finished"])

        // A migration on read only gets a row, unless another one takes it along.
        let onRead = Migration(to: 6, "on read", .addProperty("Person", "d", default: 1)).onRead()
        #expect(events(bump, town, whole, block, checked, onRead) == ["finished"])
        let both = ["started on read", "started last", "ended on read", "ended last"]
        #expect(events(bump, town, whole, block, checked, onRead, last) == both + ["finished"])

        // On a new store, a migration runs only if it brings in records, or follows one that does.
        for brings in [false, true] {
            let bringing = Migration(
                to: 2,
                "bringing",
                .run(onFreshStore: true) { if brings { try $0.create("Person", forKey: "a", ["id": 1]) } }
            )
            let found = events { try CodableCache(inMemory: [bump, bringing, part, last], configuration: $0).close() }
            let followed = ["started part", "started last", "ended part", "ended last"]
            #expect(found == ["started bringing", "ended bringing"] + (brings ? followed : []) + ["finished"])
        }

        let notebook = try Notebook(["line"])
        let lines: MigrationRegistry = [notebook.adding("a"), bump, notebook.adding("b", to: 2)]
        let pairs = ["started a", "ended a", "started b", "ended b", "finished"]
        #expect(events { _ = try notebook.suite.upgrade(with: lines, configuration: $0) } == pairs)
    }

    // MARK: Progress

    /// The progress of an upgrade, which must go from none to all of the expected records, and never back.
    private static func progress(_ events: [MigrationEvent], of total: Int) -> [MigrationEvent.Progress] {
        let steps: [MigrationEvent.Progress] = events.compactMap { event in
            guard case .progressed(let progress) = event else { return nil }
            return progress
        }
        let completed = steps.map(\.completed)
        #expect(completed == completed.sorted())
        #expect(completed.first == 0)
        #expect(completed.last == total)
        let totals = Set(steps.map(\.total))
        #expect(totals == [total])
        return steps
    }

    @Test func `A type that an earlier migration renames counts under its new name`() throws {
        let old = try OldStore(Self.people(100))
        let events = Log<MigrationEvent>()
        let (configuration, _) = Self.monitored { events.append($0) }
        let migrations: MigrationRegistry = [
            Migration(to: 1, "type", .transform("Person") { $0["a"] = 1 }, .renameType("Person", to: "Human")),
            Migration(to: 2, "block", .run { _ in }),
            Migration(to: 3, "twice", .renameType("Human", to: "Being")),
            Migration(to: 4, "again", .run { _ in }, .transform("Being") { $0["b"] = 1 }),
        ]
        _ = try Migrator(migrations, configuration: configuration).migrate(StoreFile(at: old.url))
        _ = Self.progress(events.all, of: 400)
    }

    @Test func `A large store reports only some of its batches, but always the first and the last record`() throws {
        let old = try OldStore(Self.people(1_200))
        let events = Log<MigrationEvent>()
        var (configuration, _) = Self.monitored { events.append($0) }
        configuration.hooks.batchSize = 2

        _ = try Migrator(Self.fused, configuration: configuration).migrate(StoreFile(at: old.url))

        // The steps are fused, so each record counts once.
        let steps = Self.progress(events.all, of: 1_200)
        // Of six hundred batches; a batch that takes longer than a tenth of a second is reported as well.
        #expect((200..<560).contains(steps.count))
        let isSteady = zip(steps, steps.dropFirst()).allSatisfy { $1.completed - $0.completed <= 8 }
        #expect(isSteady)
    }
}
