import Foundation
import Molt
import MoltTesting
import TestHome
import TestSupport
import Testing

@Suite struct `Kills of child processes` {
    #if CHILD_PROCESSES
        @Test func `A kill at any point loses nothing of a cache and its suites`() async throws {
            // In the long run, at every point.
            let limit = TestRun.choose(5, long: nil)
            let sweep = FaultSweep(of: FaultScenario.fixture, through: FaultScenario.migrations, limit: limit)
            var kills: [KillPoint] = []
            let report = try await sweep.killing { (kill: KillPoint) in
                kills.append(kill)
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: FaultScenario.migrations)
                }
            }
            let count = limit ?? report.available
            #expect(report.trials.count == count)
            #expect(report.available > 60)
            let points = limit == nil ? "\(count) points" : "\(count) of \(report.available) points"
            #expect(report.description.contains(points))
            #expect(report.description.contains("  the process is killed: "))
            for kill in kills { try expectNothingIsLeft(of: kill) }
        }

        @Test func `An upgrade that quarantines records survives a kill`() async throws {
            let limit = TestRun.choose(3, long: 8)
            let sweep = FaultSweep(of: QuarantineScenario.fixture, through: QuarantineScenario.migrations, limit: limit)
            let report = try await sweep.killing { (kill: KillPoint) in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: QuarantineScenario.migrations)
                }
            }
            #expect(report.trials.count == limit)
        }

        @Test func `A kill between the commit and the last change to a suite loses no setting`() async throws {
            let settings = FaultScenario.settingsFixture
            let limit = TestRun.choose(5, long: 12)
            let sweep = FaultSweep(of: settings, through: FaultScenario.settingsMigrations, limit: limit)
            let report = try await sweep.killing { (kill: KillPoint) in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: FaultScenario.settingsMigrations)
                }
            }
            let kinds: [UpgradePoint.Kind?] = [.beforeApply, .afterApply, .afterApplies]
            #expect(report.trials.count { kinds.contains($0.faultPoint.point?.kind) } >= TestRun.choose(2, long: 4))
        }

        @Test func `A kill leaves a store without a ledger, or one that has entered at its version by the shortcut`()
            async throws
        {
            let limit = TestRun.choose(4, long: nil)
            let sweep = FaultSweep(of: BaselineScenario.fixture, through: BaselineScenario.migrations, limit: limit)
            let report = try await sweep.killing { (kill: KillPoint) in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: BaselineScenario.migrations)
                }
            }
            #expect(report.trials.count == limit ?? report.available)
            let after = try BaselineScenario.fixture.migrated(through: BaselineScenario.migrations).fixture
            #expect(after.history == "4, first 1 baseline, both 4 ran")
            #expect(after.suites == [BaselineScenario.suite: ["version": 1, "title": "n"]])
        }

        @Test func `A child process that was not killed is a failure`() async throws {
            let settings = FaultScenario.settingsFixture
            let sweep = FaultSweep(of: settings, through: FaultScenario.settingsMigrations, limit: 1)
            let report = await #expect(throws: InterruptionReport.self) {
                try await sweep.killing { (kill: KillPoint) in
                    await #expect(processExitsWith: .failure) { [kill] in
                        try kill.run(through: FaultScenario.settingsMigrations.upTo(version: 4))
                    }
                }
            }
            let failures = try #require(report).failures
            #expect(failures.count == 1)
            #expect(failures.first?.problem?.contains("was not killed there") == true)
        }
    #endif

    @Test func `A kill that undoes a committed upgrade is a failure`() async throws {
        let sweep = FaultSweep(
            of: FaultScenario.settingsFixture,
            through: FaultScenario.settingsMigrations,
            limit: TestRun.choose(12, long: nil)
        )
        var points: [FaultPoint] = []
        let report = await #expect(throws: InterruptionReport.self) {
            try await sweep.killing { kill in
                // Creates only the file that marks a kill, as if no write of the child had reached the disk.
                points.append(kill.point)
                _ = FileManager.default.createFile(atPath: kill.marker, contents: nil)
            }
        }
        let failures = try #require(report).failures
        let commit = try #require(points.firstIndex { $0.point?.kind == .afterCommit })
        #expect(commit >= 5)
        #expect(failures.map(\.faultPoint) == Array(points[commit...]))
        #expect(failures.allSatisfy { $0.problem?.hasPrefix("The upgrade was committed") == true })
    }

    /// Expects that no files named in a kill point are left.
    private func expectNothingIsLeft(of kill: KillPoint) throws {
        #expect(!FileManager.default.fileExists(atPath: kill.directory))
        #expect(kill.standIns.count == 2)
        guard let home = molt_test_home().map({ String(cString: $0) }) else { return }
        let files = try FileManager.default.contentsOfDirectory(atPath: home)
        #expect(files.filter { file in kill.standIns.contains { file.contains($0.name) } } == [])
    }
}
