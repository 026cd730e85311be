import Foundation
import KillSweep
import MoltTesting
import TestHome
import Testing

@testable import Molt

@Suite struct `Kills of child processes` {
    #if CHILD_PROCESSES
        @Test func `A kill at any point loses nothing of a cache and its suites`() async throws {
            let sweep = FaultSweep(of: FaultScenario.fixture, through: FaultScenario.migrations, limit: 10)
            var kills: [KillPoint] = []
            let report = try await sweep.killing { (kill: KillPoint) in
                kills.append(kill)
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: FaultScenario.migrations)
                }
            }
            #expect(report.trials.count == 10)
            #expect(report.available > 60)
            #expect(report.description.contains("10 of \(report.available) points"))
            #expect(report.description.contains("  the process is killed: "))
            for kill in kills { try expectNothingIsLeft(of: kill) }
        }

        @Test func `An upgrade that quarantines records survives a kill`() async throws {
            let sweep = FaultSweep(of: QuarantineScenario.fixture, through: QuarantineScenario.migrations, limit: 8)
            let report = try await sweep.killing { (kill: KillPoint) in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: QuarantineScenario.migrations)
                }
            }
            #expect(report.trials.count == 8)
        }

        @Test func `A kill between the commit and the last change to a suite loses no setting`() async throws {
            let settings = FaultScenario.settingsFixture
            let sweep = FaultSweep(of: settings, through: FaultScenario.settingsMigrations, limit: 12)
            let report = try await sweep.killing { (kill: KillPoint) in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: FaultScenario.settingsMigrations)
                }
            }
            let kinds: [UpgradePoint.Kind?] = [.beforeApply, .afterApply, .afterApplies]
            #expect(report.trials.count { kinds.contains($0.place.point?.kind) } >= 4)
        }

        @Test func `A child process that was not killed is a failure`() async throws {
            let settings = FaultScenario.settingsFixture
            let sweep = FaultSweep(of: settings, through: FaultScenario.settingsMigrations, limit: 3)
            let report = await #expect(throws: FaultReport.self) {
                try await sweep.killing { (kill: KillPoint) in
                    await #expect(processExitsWith: .failure) { [kill] in
                        try kill.run(through: FaultScenario.settingsMigrations.upTo(version: 4))
                    }
                }
            }
            let failures = try #require(report).failures
            #expect(failures.count == 3)
            #expect(failures.allSatisfy { $0.problem?.contains("was not killed there") == true })
        }
    #endif

    @Test func `A kill that undoes a committed upgrade is a failure`() async throws {
        let sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations)
        var points: [FaultPoint] = []
        let report = await #expect(throws: FaultReport.self) {
            try await sweep.killing { kill in
                // Creates only the file that marks a kill, as if no write of the child had reached the disk.
                points.append(kill.point)
                let bytes = try #require(Data(base64Encoded: kill.text))
                let parts = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
                let directory = try #require(parts["directory"] as? String)
                _ = FileManager.default.createFile(atPath: directory + "/killed", contents: nil)
            }
        }
        let failures = try #require(report).failures
        let commit = try #require(points.firstIndex { $0.point?.kind == .afterCommit })
        #expect(commit > 5)
        #expect(failures.map(\.place) == Array(points[commit...]))
        #expect(failures.allSatisfy { $0.problem?.hasPrefix("The upgrade was committed") == true })
    }

    @Test func `A kill point can be passed on as a string`() async throws {
        let sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations, limit: 5)
        var texts: [String] = []
        _ = try? await sweep.killing { kill in
            #expect(KillPoint(text: kill.text) == kill)
            texts.append(kill.text)
        }
        #expect(Set(texts).count >= 4)
        #expect(KillPoint(text: "") == nil)
        #expect(KillPoint(text: "e30=") == nil)
    }

    /// Expects that no files named in a kill point are left.
    private func expectNothingIsLeft(of kill: KillPoint) throws {
        let bytes = try #require(Data(base64Encoded: kill.text))
        let parts = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        let directory = try #require(parts["directory"] as? String)
        #expect(!FileManager.default.fileExists(atPath: directory))
        let standIns = try #require(parts["standIns"] as? [[String: Any]]).compactMap { $0["name"] as? String }
        #expect(standIns.count == 2)
        guard let home = molt_test_home().map({ String(cString: $0) }) else { return }
        let files = try FileManager.default.contentsOfDirectory(atPath: home)
        for name in standIns {
            #expect(files.filter { $0.contains(name) } == [])
        }
    }
}
