import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite struct `Interruptions of an upgrade` {
    /// The scenario's records, without suites.
    private static let cache: StoreFixture = {
        var fixture = FaultScenario.fixture
        fixture.suites = [:]
        return fixture
    }()

    /// Sweeps an upgrade in which something is wrong.
    private func failure(
        of migrations: MigrationRegistry,
        _ faults: [FaultSweep.Fault] = [.error, .failingWrites, .fullDisk],
        in fixture: StoreFixture = Self.cache,
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> InterruptionReport {
        let sweep = FaultSweep(of: fixture, through: migrations, configuration: configuration)
        return try #require(await #expect(throws: InterruptionReport.self) { try await sweep.run(faults) })
    }

    /// Returns the points of an upgrade, with the batches of a sweep.
    private func points(of fixture: StoreFixture, through migrations: MigrationRegistry) throws -> [UpgradePoint] {
        let points = Locked<[UpgradePoint]>([])
        var configuration = MoltConfiguration()
        configuration.hooks.batchSize = 3
        configuration.hooks.atPoint = { point in points.withLock { $0.append(point) } }
        _ = try fixture.migrated(through: migrations, configuration: configuration)
        return points.withLock { $0 }
    }

    @Test(arguments: [0, 1, 3, 4])
    func `Every failure of a single step fails the upgrade`(count: Int) async throws {
        let records = (0..<count).map { StoreFixture.Record("\($0)", "User", .json(#"{"name":"Grace Hopper"}"#)) }
        let fixture = StoreFixture(version: 0, records: records)
        let split = MigrationStep.splitProperty("User", "name", into: ["firstName", "lastName"])
        let report = try await fixture.verifyInterruptions(through: [Migration(to: 1, "split", split)])
        var point = try #require(report.trials.first { $0.point.hasPrefix("reading a batch of User") }).faultPoint
        for (occurrence, words) in [
            (1, ""), (2, ", for the 2nd time"), (3, ", for the 3rd time"), (12, ", for the 12th time"),
        ] {
            point.occurrence = occurrence
            #expect("\(point)" == "reading a batch of User\(words), in the steps of split (1)")
        }
    }

    @Test func `No fault loses data of a cache with suites, and the report says what was tried`() async throws {
        let points = try points(of: FaultScenario.fixture, through: FaultScenario.migrations)
        #expect(points.number(of: .beforeSteps, .afterSteps) >= 8)
        #expect(points.number(of: .read) >= 8)
        #expect(points.number(of: .record) >= 7 + 5 * 2 + 4)
        #expect(points.number(of: .beforeCommit, .afterCommit) == 4)
        // Two suites in two phases, before and after each, and once after all of them.
        #expect(points.number(of: .beforeApply, .afterApply, .afterApplies) == 2 * 2 * 2 + 1)
        let names = Set(points.map(\.description))
        for name in [
            "before the commit of the upgrade", "after the commit of the upgrade", "writing the ledger",
            "writing the journal", "clearing the journal", "before changing suite app.faults (remove)",
            "after all changes to suites", "writing a batch", "writing an expiry", "deleting a record",
            "adding a record of Index", "renaming the type Alien to Person", "deleting the type Trash",
            "keeping a change for later", "making the changes that were kept", "reading a batch of Alien, Note, Person",
            "the closure for the record note 5 of type Note", "before the steps of index (1)",
        ] {
            #expect(names.contains(name), "\(name)")
        }
        let kinds = Set(points.map(\.kind))
        #expect(kinds.count == 20)

        // The short form has one point of each kind, and two others.
        let limit: Int? = TestRun.choose(22, long: nil)
        let report = try await FaultScenario.fixture.verifyInterruptions(
            through: FaultScenario.migrations,
            limit: limit
        )
        #expect(report.failures.isEmpty)
        #expect(report.available > points.count)
        #expect(report.points(.error).count == (limit ?? points.count))
        #expect(Set(report.points(.error).compactMap(\.point?.kind)) == kinds)
        #expect(report.points(.failingWrites).count >= 20)
        #expect(report.points(.fullDisk).count >= 3)
        let places = Set(report.trials.map(\.faultPoint)).count
        #expect((places == report.available) == (limit == nil))
        let tried = limit == nil ? "\(places)" : "\(places) of \(report.available)"
        #expect(
            report.description.hasPrefix(
                "\(report.trials.count) interruptions at \(tried) points, and nothing was lost\n"
            )
        )
        let faults = [
            "  an error is thrown: before the steps (", "writing the ledger (1)",
            "\n  the disk is full: the file is full (",
        ]
        for fault in faults { #expect(report.description.contains(fault), "\(fault)") }
        #expect(report.trials.contains { $0.point.hasSuffix("in the steps of index (1)") && $0.problem == nil })
    }

    @Test func `No fault loses data of suites without a cache`() async throws {
        let fixture = FaultScenario.settingsFixture
        let points = try points(of: fixture, through: FaultScenario.settingsMigrations)
        #expect(points.number(of: .beforeSteps, .afterSteps) == 6)
        #expect(points.number(of: .beforeCommit, .afterCommit) == 4)
        #expect(points.number(of: .writeLedger, .writeJournal, .clearJournal) == 3)
        #expect(points.number(of: .beforeApply, .afterApply, .afterApplies) == 9)
        #expect(points.number(of: .record) == 0)

        let limit: Int? = TestRun.choose(12, long: nil)
        let report = try await fixture.verifyInterruptions(through: FaultScenario.settingsMigrations, limit: limit)
        #expect(Set(report.points(.error).compactMap(\.point?.kind)) == Set(points.map(\.kind)))
        let writes = report.points(.failingWrites).compactMap(\.point)
        #expect(writes.number(of: .writeLedger, .writeJournal, .clearJournal) == 3)
        #expect(report.points(.fullDisk).isEmpty)
    }

    @Test func `A fault leaves both records and quarantine either upgraded or unchanged`() async throws {
        let report = try await QuarantineScenario.fixture.verifyInterruptions(
            through: QuarantineScenario.migrations,
            limit: TestRun.choose(16, long: nil)
        )
        #expect(report.available > 70)
        #expect(report.points(.error).contains { $0.point?.kind == .postponeChange })
        #expect(report.points(.fullDisk).count >= 3)
    }

    @Test func `A step that writes a suite directly is reported at each point between the step and the commit`()
        async throws
    {
        let settings = FaultScenario.settings
        let step = MigrationStep.run("set a setting at once", suites: [settings]) { migration in
            try migration.suite(settings).suite.set("now", forKey: "direct")
        }
        let report = try await failure(
            of: [Migration(to: 1, "not-atomic", step)],
            [.error],
            in: FaultScenario.fixture
        )

        let names = Set(report.failures.compactMap(\.faultPoint.point?.description))
        let after: Set = [
            "after the steps of not-atomic (1)", "writing the ledger", "before the commit of the upgrade",
        ]
        #expect(names.isSuperset(of: after), "\(names)")
        #expect(names.isDisjoint(with: ["before the steps of not-atomic (1)", "after the commit of the upgrade"]))
        let text = report.description
        #expect(text.hasPrefix("\(report.trials.count) interruptions at "))
        let parts = [
            " points, \(report.failures.count) with a problem",
            "\nan error thrown after the steps of not-atomic (1)\nan error thrown while writing the ledger\n",
            #"suite app.faults, "direct": unexpected, found "now""#,
        ]
        for part in parts { #expect(text.contains(part), "\(part)") }
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
        #expect(report.failures[0].problem?.hasPrefix("The upgrade ignored the failure, and reported success.") == true)
        let words =
            "\nan error thrown in the closure for the record note 1 of type Note, in the steps of careless (1)\n    The"
        #expect(report.description.contains(words), "\(report)")
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
        _ = try await FaultSweep(of: Self.cache, through: [Migration(to: 1, "create", step)]).run([.error])
        let errors = caught.withLock { $0 }
        #expect(errors.count == 1)
        let error = try #require(errors.first as? MoltError)
        error.expect(.storeFailed)
        let fault = error.underlying as? InjectedFault
        #expect(fault?.point.description == "adding a record of Index, in the steps of create (1)")
    }

    @Test func `An upgrade with random results is detected`() async throws {
        let step = MigrationStep.transform("Note") { note in note["id"] = .string(UUID().uuidString) }
        let report = try await failure(of: [Migration(to: 1, "random", step)])
        // Only the cause is reported, and not its consequences at each point.
        #expect(report.trials.isEmpty)
        #expect(report.problems.count == 1)
        #expect(report.problems[0].contains("have different results"))
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
        #expect(problem.contains("thrice") && problem.contains("CocoaError"), "\(problem)")
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
        var configuration = MoltConfiguration()
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
            #expect(error?.message.hasPrefix("The upgrade was not interrupted") == true)
        }
        let migrated = try FaultScenario.fixture.migrated(through: FaultScenario.migrations).fixture
        let error = await #expect(throws: TestingError.self) {
            try await migrated.verifyInterruptions(through: FaultScenario.migrations)
        }
        #expect(error?.code == .unsuitable)
        #expect(error?.message.contains("nothing is pending") == true)
    }

    @Test func `An error of the migrations themselves is thrown unchanged`() async throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "wrong", .transform("Note") { _ = try $0.remove("nothing", as: String.self) })
        ]
        let error = await #expect(throws: MoltError.self) {
            try await Self.cache.verifyInterruptions(through: migrations)
        }
        #expect(error?.code == .propertyMissing)
    }
}

extension InterruptionReport {
    /// The points at which a fault was tried.
    fileprivate func points(_ fault: FaultSweep.Fault) -> [FaultPoint] {
        trials.filter { $0.kind == fault }.map(\.faultPoint)
    }
}

extension [UpgradePoint] {
    /// The number of points of some kinds.
    fileprivate func number(of kinds: UpgradePoint.Kind...) -> Int {
        filter { kinds.contains($0.kind) }.count
    }
}
