import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite struct `Fault sweeps` {
    /// Sweeps an upgrade in which something is wrong.
    private func failure(
        of migrations: MigrationRegistry,
        _ faults: [FaultSweep.Fault] = [.error, .failingWrites, .fullDisk],
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> FaultReport {
        let sweep = FaultSweep(of: FaultScenario.fixture, through: migrations, configuration: configuration)
        return try #require(await #expect(throws: FaultReport.self) { try await sweep.run(faults) })
    }

    @Test func `No fault loses data of a cache with suites, and the report says what was tried`() async throws {
        let report = try await FaultScenario.fixture.sweepFaults(through: FaultScenario.migrations)
        #expect(report.failures.isEmpty)
        #expect(Set(report.trials.map(\.place)).count == report.available)
        #expect(report.count(.error, .beforeSteps, .afterSteps) >= 8)
        #expect(report.count(.error, .read) >= 8)
        #expect(report.count(.error, .record) >= 7 + 5 * 2 + 4)
        #expect(report.count(.error, .beforeCommit, .afterCommit) == 4)
        // Two suites in two phases, before and after each, and once after all of them.
        #expect(report.count(.error, .beforeApply, .afterApply, .afterApplies) == 2 * 2 * 2 + 1)
        #expect(report.trials.count { $0.kind == .failingWrites } >= 20)
        #expect(report.trials.count { $0.kind == .fullDisk } >= 3)
        let points = Set(report.trials.compactMap(\.place.point?.description))
        for name in [
            "before the commit of the upgrade", "after the commit of the upgrade", "writing the ledger",
            "writing the journal", "clearing the journal", "before changing suite app.faults (remove)",
            "after all changes to attached stores", "writing a batch", "writing an expiry", "deleting a record",
            "adding a record of Index", "renaming the type Alien to Person", "deleting the type Trash",
            "keeping a change for later", "making the changes that were kept", "reading a batch of Alien, Note, Person",
            "the closure for the record note 5 of type Note", "before the steps of index (1)",
        ] {
            #expect(points.contains(name), "\(name)")
        }
        #expect(
            report.description.contains("\(report.trials.count) interruptions at \(report.available) points, and noth")
        )
        #expect(report.description.contains("  an error is thrown: before the steps ("))
        #expect(report.description.contains("writing the ledger (1)"))
        #expect(report.description.contains("\n  the disk is full: the file is full ("))
        #expect(report.trials.contains { $0.point.hasSuffix("in the steps of index (1)") && $0.problem == nil })
    }

    @Test func `A sweep can be limited to some points, with at least one of each kind`() async throws {
        let sweep = FaultSweep(of: FaultScenario.fixture, through: FaultScenario.migrations, limit: 26)
        let report = try await sweep.run([.error])
        #expect(report.trials.count == 26)
        #expect(report.description.hasPrefix("26 interruptions at 26 of \(report.available) points"))
        #expect(Set(report.trials.map(\.place.point?.kind)).count == 20)
    }

    @Test func `A damaged file is detected`() throws {
        let store = try TemporaryStore(FaultScenario.fixture)
        #expect(try StoreFile.damage(at: store.url).isEmpty)
        let pages = try StoreFile.pageCount(at: store.url)
        #expect(pages > 4)
        // Zeroes the last page; the length of the file stays the same.
        var bytes = try Data(contentsOf: store.url)
        let size = bytes.count / pages
        bytes.replaceSubrange((bytes.count - size)..., with: Data(count: size))
        try bytes.write(to: store.url)
        #expect(try !StoreFile.damage(at: store.url).isEmpty)
    }

    @Test func `No fault loses data of suites without a cache`() async throws {
        let report = try await FaultScenario.settingsFixture.sweepFaults(through: FaultScenario.settingsMigrations)
        #expect(report.count(.error, .beforeSteps, .afterSteps) == 6)
        #expect(report.count(.error, .beforeCommit, .afterCommit) == 4)
        #expect(report.count(.failingWrites, .writeLedger, .writeJournal, .clearJournal) == 3)
        #expect(report.count(.error, .beforeApply, .afterApply, .afterApplies) == 9)
        #expect(report.count(.error, .record) == 0)
        #expect(report.trials.count { $0.kind == .fullDisk } == 0)
    }

    @Test func `A fault leaves both records and quarantine either upgraded or unchanged`() async throws {
        let report = try await QuarantineScenario.fixture.sweepFaults(through: QuarantineScenario.migrations)
        #expect(report.available > 70)
        #expect(report.count(.error, .postponeChange) > 0)
        #expect(report.trials.count { $0.kind == .fullDisk } >= 3)
    }

    @Test func `A step that writes a suite directly is reported at each point between the step and the commit`()
        async throws
    {
        let settings = FaultScenario.settings
        let step = MigrationStep.run("set a setting at once", attaching: [settings]) { migration in
            try migration.suite(settings).suite.set("now", forKey: "direct")
        }
        let direct = Migration(to: 8, "not-atomic", step)
        let report = try await failure(of: MigrationRegistry(FaultScenario.migrations.migrations + [direct]), [.error])

        let names = Set(report.failures.compactMap(\.place.point?.description))
        #expect(names.contains("after the steps of not-atomic (1)"))
        #expect(names.contains("writing the ledger"))
        #expect(names.contains("before the commit of the upgrade"))
        #expect(!names.contains("before the steps of not-atomic (1)"))
        #expect(!names.contains("after the commit of the upgrade"))
        let text = report.description
        #expect(text.hasPrefix("\(report.trials.count) interruptions at "))
        #expect(text.contains(" points, \(report.failures.count) with a problem"))
        #expect(text.contains("an error is thrown: after the steps of not-atomic (1)"))
        #expect(text.contains(#"suite app.faults, "direct": unexpected, found "now""#))
    }

    @Test func `A block that swallows a failure is reported with the point of the failure`() async throws {
        let step = MigrationStep.run("number the notes") { migration in
            // The error should be thrown again.
            try? migration.enumerate("Note") { _, new in new["number"] = 1 }
        }
        let report = try await failure(of: [Migration(to: 1, "careless", step)])

        // After a record was changed, the library itself does not let the block continue.
        #expect(report.failures.map(\.fault) == ["an error is thrown"])
        #expect(report.failures[0].point.hasPrefix("the closure for the record note 1 of type Note"))
        #expect(report.failures[0].problem?.hasPrefix("The failure was swallowed") == true)
    }

    @Test func `An injected failure of a write has the same error as one of the store`() async throws {
        let caught = Locked<[any Error]>([])
        let step = MigrationStep.run("create") { migration in
            do {
                try migration.create("Index", forKey: "index", ["count": 1])
            } catch {
                caught.withLock { $0.append(error) }
            }
        }
        // The library does not let the block continue after that, so nothing is broken.
        _ = try await FaultSweep(of: FaultScenario.fixture, through: [Migration(to: 1, "create", step)]).run([.error])
        let errors = caught.withLock { $0 }
        #expect(errors.count == 1)
        let error = try #require(errors.first as? MoltError)
        #expect(error.code == .storeFailed)
        #expect(
            (error.underlying as? InjectedFault)?.point.description
                == "adding a record of Index, in the steps of create (1)"
        )
    }

    @Test func `An upgrade with random results is detected`() async throws {
        let step = MigrationStep.transform("Note") { note in note["id"] = .string(UUID().uuidString) }
        let report = try await failure(of: [Migration(to: 1, "random", step)])

        // Only the cause is reported, and not its consequences at each point.
        #expect(report.trials.isEmpty)
        #expect(report.problems.count == 1)
        #expect(report.problems[0].contains("do not come to the same end"))
        #expect(report.problems[0].contains(#""note 1".id: expected "#))
        #expect(report.description.hasPrefix("The upgrade does something that a failure would not undo."))
    }

    @Test func `An upgrade that cannot be repeated is detected`() async throws {
        let runs = Locked(0)
        let step = MigrationStep.run("count") { _ in
            // Two upgrades find the points, and the third one fails.
            runs.withLock { $0 += 1 }
            if runs.withLock({ $0 }) > 3 { throw CocoaError(.fileNoSuchFile) }
        }
        let report = try await failure(of: [Migration(to: 1, "thrice", step)], [.failingWrites])

        #expect(report.failures.map(\.point) == ["writing the ledger"])
        let problem = try #require(report.failures.first?.problem)
        #expect(problem.hasPrefix("The store can no longer be upgraded: "))
        #expect(problem.contains("thrice"))
        #expect(problem.contains("CocoaError"))
    }

    @Test func `A disk that was large enough does not count as full`() async throws {
        let runs = Locked(0)
        let failures = Locked(0)
        let step = MigrationStep.run("write much, but later little") { migration in
            // Two upgrades find the points, and a third one measures the space that is needed.
            runs.withLock { $0 += 1 }
            let text = String(repeating: "x", count: runs.withLock { $0 } > 3 ? 1 : 10_000)
            try migration.create("Text", forKey: "text", ["text": .string(text)])
        }
        var configuration = CodableCache.Configuration()
        configuration.monitor = MigrationMonitor { event in
            if case .failed = event { failures.withLock { $0 += 1 } }
        }
        let migrations: MigrationRegistry = [Migration(to: 1, "once", step)]
        let report = try await failure(of: migrations, [.fullDisk], configuration: configuration)

        #expect(report.trials.count == failures.withLock { $0 })
        #expect(report.problems.count > 10)
        #expect(report.failures.count == report.trials.count)
    }

    @Test func `A sweep that would try nothing is refused`() async throws {
        let sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations, limit: 0)
        for faults in [[.error], [.fullDisk], []] as [[FaultSweep.Fault]] {
            let error = await #expect(throws: TestingError.self) { try await sweep.run(faults) }
            #expect(error?.code == .unsuitable)
            #expect(error?.message.hasPrefix("The fault sweep tried no fault") == true)
        }
        let migrated = try FaultScenario.fixture.migrated(through: FaultScenario.migrations).fixture
        let error = await #expect(throws: TestingError.self) {
            try await migrated.sweepFaults(through: FaultScenario.migrations)
        }
        #expect(error?.code == .unsuitable)
        #expect(error?.message.contains("nothing is pending") == true)
    }

    @Test func `An error of the migrations themselves is thrown unchanged`() async throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "wrong", .transform("Note") { _ = try $0.remove("nothing", as: String.self) })
        ]
        let error = await #expect(throws: MoltError.self) {
            try await FaultScenario.fixture.sweepFaults(through: migrations)
        }
        #expect(error?.code == .propertyMissing)
    }
}

extension FaultReport {
    /// The number of interruptions by a fault at points of some kinds.
    fileprivate func count(_ fault: FaultSweep.Fault, _ kinds: UpgradePoint.Kind...) -> Int {
        trials.count { trial in
            trial.kind == fault && kinds.contains { $0 == trial.place.point?.kind }
        }
    }
}
