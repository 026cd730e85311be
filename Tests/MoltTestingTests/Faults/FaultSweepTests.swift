import Foundation
import KillSweep
import Molt
import MoltCore
import MoltTesting
import Testing

@Suite struct `Fault sweeps` {
    typealias Fault = FaultSweep.Fault

    @Test func `No fault loses data of a cache with suites, and the summary counts what was tried`() async throws {
        let summary = try await FaultSweep(of: FaultScenario.fixture, through: FaultScenario.migrations).run()
        #expect(summary.count == summary.available)
        #expect(summary.count(of: .steps) >= 8)
        #expect(summary.count(of: .batches) >= 8)
        #expect(summary.count(of: .records) >= 7 + 5 * 2 + 4)
        #expect(summary.count(of: .writes) >= 20)
        #expect(summary.count(of: .commits) == 4)
        // Two suites in two phases, before and after each, and once after all of them.
        #expect(summary.count(of: .attached) == 2 * 2 * 2 + 1)
        #expect(summary.count(of: .fullDisks) >= 3)
        for fault in Fault.all { #expect(summary.count(of: fault) > 0, "\(fault)") }
        let kinds = Set(summary.trials.map(\.point.name))
        for name in [
            "before the commit of the upgrade", "after the commit of the upgrade", "writing the ledger",
            "writing the journal", "clearing the journal", "before changing suite app.faults (remove)",
            "after all changes to attached stores", "writing a batch", "writing an expiry", "deleting a record",
            "adding a record of Index", "renaming the type Alien to Person", "deleting the type Trash",
            "keeping a change for later", "making the changes that were kept", "reading a batch of Alien",
            "the closure for the record note 5 of type Note", "before the steps of index (1)",
        ] {
            #expect(kinds.contains(name), "\(name)")
        }
    }

    @Test func `A sweep can be limited to some points, with at least one of each kind`() async throws {
        let sweep = FaultSweep(of: FaultScenario.fixture, through: FaultScenario.migrations, faults: [.throwing])
        let some = try await sweep.run(at: .every(10))
        #expect(some.count(of: .throwing) == 3)
        #expect(some.description.hasPrefix("3 of \(some.available) points: "))
        let spread = try await sweep.run(at: .spread(limit: 10))
        #expect(spread.count(of: .throwing) == 10)
        #expect(Set(spread.trials.map(\.point.area)) == [.steps, .batches, .commits, .attached])
    }

    @Test func `A damaged file is detected`() throws {
        let store = try TemporaryStore(FaultScenario.fixture)
        #expect(try CacheStore.damage(at: store.url).isEmpty)
        let pages = try CacheStore.pageCount(at: store.url)
        #expect(pages > 4)
        // Zeroes the last page; the length of the file stays the same.
        var bytes = try Data(contentsOf: store.url)
        let size = bytes.count / pages
        bytes.replaceSubrange((bytes.count - size)..., with: Data(count: size))
        try bytes.write(to: store.url)
        #expect(try !CacheStore.damage(at: store.url).isEmpty)
    }

    @Test func `No fault loses data of suites without a cache`() async throws {
        let summary = try await FaultSweep(
            of: FaultScenario.settingsFixture,
            through: FaultScenario.settingsMigrations
        ).run()
        #expect(summary.count(of: .steps) == 6)
        #expect(summary.count(of: .commits) == 4)
        #expect(summary.count(of: .writes) == 3)
        #expect(summary.count(of: .attached) == 9)
        #expect(summary.count(of: .records) == 0)
        #expect(summary.count(of: .diskFull) == 0)
    }

    @Test func `A step that writes a suite directly is reported at each point between the step and the commit`()
        async throws
    {
        let settings = FaultScenario.settings
        let direct = Migration(
            to: 8,
            "not-atomic",
            .run("set a setting at once", attaching: [settings]) { migration in
                try migration.suite(settings).suite.set("now", forKey: "direct")
            }
        )
        let migrations = MigrationRegistry(FaultScenario.migrations.migrations + [direct])
        let sweep = FaultSweep(of: FaultScenario.fixture, through: migrations, faults: [.throwing, .writeFailsOnce])

        let failure = await #expect(throws: FaultFailure.self) { try await sweep.run() }

        let broken = try #require(failure).broken
        let names = Set(broken.compactMap(\.trial?.point.name))
        #expect(names.contains("after the steps of not-atomic (1)"))
        #expect(names.contains("writing the ledger"))
        #expect(names.contains("before the commit of the upgrade"))
        #expect(!names.contains("before the steps of not-atomic (1)"))
        #expect(!names.contains("after the commit of the upgrade"))
        let text = try #require(failure).description
        #expect(text.contains("something throws: after the steps of not-atomic (1)"))
        #expect(text.contains(#"suite app.faults, "direct": unexpected, found "now""#))
    }

    @Test func `A block that swallows a failure is reported with the point of the failure`() async throws {
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "careless",
                .run("number the notes") { migration in
                    do {
                        try migration.enumerate("Note") { _, new in new["number"] = 1 }
                    } catch {
                        // The error should be thrown again.
                    }
                }
            )
        ]
        let sweep = FaultSweep(of: FaultScenario.fixture, through: migrations)

        let failure = await #expect(throws: FaultFailure.self) { try await sweep.run() }

        // After a record was changed, the library itself does not let the block continue.
        let broken = try #require(failure).broken
        #expect(broken.map(\.trial?.point.name) == ["the closure for the record note 1 of type Note"])
        #expect(broken.map(\.trial?.fault) == [.closureThrows])
        #expect(try #require(broken.first).problem.hasPrefix("The failure was swallowed"))
    }

    @Test func `An injected failure of a write has the same error as one of the store`() async throws {
        let caught = Locked<[any Error]>([])
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "create",
                .run("create") { migration in
                    do {
                        try migration.create("Index", forKey: "index", ["count": 1])
                    } catch {
                        caught.withLock { $0.append(error) }
                    }
                }
            )
        ]
        // The library does not let the block continue after that, so nothing is broken.
        try await FaultSweep(of: FaultScenario.fixture, through: migrations, faults: [.writeFailsOnce]).run()
        let errors = caught.withLock { $0 }
        #expect(errors.count == 1)
        let error = try #require(errors.first as? MigrationError)
        #expect(error.code == .storeFailed)
        #expect((error.underlying as? InjectedFault)?.point.name == "adding a record of Index")
        #expect((error.underlying as? InjectedFault)?.point.steps == "of create (1)")
    }

    @Test func `An upgrade with random results is detected`() async throws {
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "random",
                .transform("Note") { note in note["id"] = .string(UUID().uuidString) }
            )
        ]
        let sweep = FaultSweep(of: FaultScenario.fixture, through: migrations, faults: [.throwing])

        let failure = await #expect(throws: FaultFailure.self) { try await sweep.run() }

        let first = try #require(failure?.broken.first)
        #expect(first.trial == nil)
        #expect(first.problem.contains("do not come to the same end"))
        // Only the cause is reported, and not its consequences at each point.
        #expect(failure?.broken.count == 1)
        #expect(failure?.summary.trials.isEmpty == true)
        #expect(failure?.description.hasPrefix("The upgrade does something that a failure would not undo.") == true)
        #expect(first.problem.contains(#""note 1".id: expected "#))
    }

    @Test func `An upgrade that cannot be repeated is detected`() async throws {
        let runs = Locked(0)
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "thrice",
                .run("count") { _ in
                    // Two upgrades find the points, and the third one fails.
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    if run > 3 { throw CocoaError(.fileNoSuchFile) }
                }
            )
        ]
        let sweep = FaultSweep(of: FaultScenario.fixture, through: migrations, faults: [.writeFailsOnce])

        let failure = await #expect(throws: FaultFailure.self) { try await sweep.run() }

        let broken = try #require(failure).broken
        #expect(broken.map(\.trial?.point.name) == ["writing the ledger"])
        let problem = try #require(broken.first).problem
        #expect(problem.hasPrefix("The store can no longer be upgraded: "))
        #expect(problem.contains("thrice"))
        #expect(problem.contains("CocoaError"))
    }

    @Test func `A disk that was large enough does not count as full`() async throws {
        let runs = Locked(0)
        let failures = Locked(0)
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "once",
                .run("write much, but later little") { migration in
                    // Two upgrades find the points, and a third one measures the space that is needed.
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    let text = String(repeating: "x", count: run > 3 ? 1 : 10_000)
                    try migration.create("Text", forKey: "text", ["text": .string(text)])
                }
            )
        ]
        var sweep = FaultSweep(of: FaultScenario.fixture, through: migrations, faults: [.diskFull])
        sweep.configuration.monitor = MigrationMonitor { event in
            if case .failed = event { failures.withLock { $0 += 1 } }
        }

        let failure = try #require(await #expect(throws: FaultFailure.self) { try await sweep.run() })

        #expect(failure.summary.count(of: .diskFull) == failures.withLock { $0 })
        #expect(failure.broken.count { $0.trial == nil } > 10)
        #expect(failure.broken.count { $0.trial != nil } == failure.summary.count(of: .diskFull))
    }

    @Test func `A sweep without points or faults is refused`() async throws {
        func message(_ sweep: FaultSweep, _ points: FaultSweep.Points = .all) async throws -> String {
            let error = await #expect(throws: TestingError.self) { try await sweep.run(at: points) }
            #expect(error?.code == .unsuitable)
            return error?.message ?? ""
        }
        var sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations)
        #expect(try await message(sweep, .spread(limit: 0)).hasSuffix("No points were chosen."))
        sweep.faults = [.diskFull]
        let diskFull = try await message(sweep)
        #expect(diskFull.hasSuffix("The upgrade reaches no point of these faults: \"the disk is full\"."))
        sweep.faults = []
        #expect(try await message(sweep).hasSuffix("It was given no faults."))

        let noPoints = await #expect(throws: TestingError.self) {
            try await sweep.killing(.spread(limit: 0)) { _ in }
        }
        #expect(noPoints?.code == .unsuitable)
    }

    @Test func `A store with nothing pending is refused`() async throws {
        let migrated = try FaultScenario.fixture.migrated(through: FaultScenario.migrations).fixture
        let error = await #expect(throws: TestingError.self) {
            try await FaultSweep(of: migrated, through: FaultScenario.migrations).run()
        }
        #expect(error?.code == .unsuitable)
        #expect(error?.message.contains("nothing is pending") == true)
    }

    @Test(arguments: [EntryPoint.inMemory, .suite])
    func `An entry point that does not suit the store is refused`(entryPoint: EntryPoint) async throws {
        let error = await #expect(throws: TestingError.self) {
            try await FaultSweep(of: FaultScenario.fixture, through: FaultScenario.migrations)
                .killing(by: entryPoint) { _ in }
        }
        #expect(error?.code == .unsuitable)
    }

    @Test func `An error of the migrations themselves is thrown unchanged`() async throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "wrong", .transform("Note") { _ = try $0.remove("nothing", as: String.self) })
        ]
        let error = await #expect(throws: MigrationError.self) {
            try await FaultSweep(of: FaultScenario.fixture, through: migrations).run()
        }
        #expect(error?.code == .propertyMissing)
    }
}
