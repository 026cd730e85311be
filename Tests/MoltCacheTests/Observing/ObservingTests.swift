import Foundation
import Molt
import MoltCore
import Testing

@Suite("Monitors and observable states of an upgrade")
struct ObservingTests {
    private static let records = (0..<7).map { StoredRecord("Person", "p\($0)", #"{"number":\#($0)}"#) }

    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "one", .transform("Person") { $0["one"] = true }),
        Migration(to: 2, "two", .transform("Person") { $0["two"] = true }),
        Migration(to: 3, "three", .run { try $0.enumerate("Person") { _, new in new["three"] = true } }),
    ]

    private static func configuration(_ monitor: MigrationMonitor) -> CodableCache.Configuration {
        var configuration = CodableCache.Configuration()
        configuration.monitor = monitor
        return configuration
    }

    private static let expected = [
        "planned 3", "progressed", "started one", "started two", "ended one", "ended two", "started three",
        "ended three", "finished",
    ]

    /// The names of the events, with progress only once.
    private static func words(_ events: [MigrationEvent]) -> [String] {
        var words: [String] = []
        for word in events.map(\.word) where word != "progressed" || !words.contains("progressed") {
            words.append(word)
        }
        return words
    }

    @Test(arguments: EntryPoint.allCases)
    func `The closure receives the events in order, with the right total from the start`(
        entry: EntryPoint
    ) async throws {
        let events = Log<MigrationEvent>()
        let monitor = MigrationMonitor { events.append($0) }
        #expect(monitor.progress.isIndeterminate)

        try await OldStore(Self.records, through: entry).upgrade(Self.migrations, Self.configuration(monitor))

        #expect(Self.words(events.all) == Self.expected)
        let progress = events.all.compactMap { if case .progressed(let progress) = $0 { progress } else { nil } }
        #expect(progress.allSatisfy { $0.total == 14 })
        #expect(progress.map(\.completed) == progress.map(\.completed).sorted())
        #expect(progress.first?.completed == 0)
        #expect(progress.last?.completed == 14)
        #expect(monitor.progress.totalUnitCount == 14)
        #expect(monitor.progress.isFinished)
    }

    @Test func `A monitor that follows a second opening starts again`() async throws {
        let store = try OldStore(Self.records)
        let events = Log<MigrationEvent>()
        let monitor = MigrationMonitor { events.append($0) }
        _ = try await CodableCache.dryRun(
            at: store.url,
            migrations: Self.migrations,
            configuration: Self.configuration(monitor)
        )
        let count = events.count

        let progress = Locked<[Double]>([])
        var migrations = Self.migrations
        migrations.register(to: 4, "look") { _ in
            progress.withLock { $0.append(monitor.progress.fractionCompleted) }
        }
        try await store.upgrade(migrations, Self.configuration(monitor))

        var followed: [MigrationEvent] = []
        for await event in monitor.events { followed.append(event) }
        #expect(followed.map(\.word).first == "planned 4")
        #expect(followed.map(\.word).filter { $0 == "finished" }.count == 1)
        #expect(Self.words(Array(events.all[count...])).first == "planned 4")
        #expect(progress.withLock { $0 }.allSatisfy { $0 < 1 })
        #expect(monitor.progress.isFinished)
    }

    // MARK: Observable state

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @MainActor
    @Test func `A state that follows a finished upgrade shows its end`() async throws {
        let monitor = MigrationMonitor()
        try await OldStore(Self.records).upgrade(Self.migrations, Self.configuration(monitor))

        let state = MigrationState()
        #expect(state.phase == .idle)
        await state.follow(monitor)

        #expect(state.phase == .finished)
        #expect(state.fraction == 1)
        #expect(state.currentMigration == nil)
        #expect(state.plan?.pending.count == 3)
        #expect(state.report?.entries.count == 3)
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @MainActor
    @Test func `A state that follows the next attempt no longer shows the failure of the first`() async throws {
        let store = try OldStore(Self.records)
        let state = MigrationState()
        let first = MigrationMonitor()
        _ = try? await store.upgrade(
            [Migration(to: 1, "one", .transform("Person") { _ in throw Refusal() })],
            Self.configuration(first)
        )
        await state.follow(first)
        #expect(state.phase == .failed)
        #expect((state.error as? MigrationError)?.code == .stepFailed)
        #expect(state.currentMigration?.name == "one")

        let second = MigrationMonitor()
        try await store.upgrade(Self.migrations, Self.configuration(second))
        await state.follow(second)
        #expect(state.phase == .finished)
        #expect(state.error == nil)
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @MainActor
    @Test func `A state shows the first of the migrations that run in one pass`() async throws {
        let monitor = MigrationMonitor()
        _ = try? await OldStore(Self.records).upgrade(
            [
                Migration(to: 1, "one", .renameType("Person", to: "Human")),
                Migration(to: 2, "two", .renameType("Human", to: "Citizen")),
                Migration(to: 3, "stop", .run { _ in throw Refusal() }),
            ],
            Self.configuration(monitor)
        )
        let state = MigrationState()
        await state.follow(monitor)

        #expect(state.currentMigration?.name == "stop")
    }
}
