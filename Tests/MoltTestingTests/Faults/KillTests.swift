import Foundation
import KillSweep
import Molt
import MoltTesting
import TestHome
import Testing

@Suite struct `Kills of child processes` {
    #if CHILD_PROCESSES
        @Test func `A kill at any point loses nothing of a cache and its suites`() async throws {
            let sweep = FaultSweep(of: FaultScenario.fixture, through: FaultScenario.migrations)
            var kills: [KillPoint] = []
            let summary = try await sweep.killing(.spread(limit: 10)) { (kill: KillPoint) in
                kills.append(kill)
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: FaultScenario.migrations)
                }
            }
            #expect(summary.count == 10)
            #expect(summary.trials.count { $0.fault == nil } == 10)
            #expect(summary.available > 60)
            #expect(summary.description.contains("10 of \(summary.available) points"))
            for kill in kills { try expectNothingIsLeft(of: kill) }
        }
    #endif

    #if CHILD_PROCESSES
        @Test func `A kill between the commit and the last change to a suite loses no setting`() async throws {
            let sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations)
            let summary = try await sweep.killing(.every(2)) { (kill: KillPoint) in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
                    try kill.run(through: FaultScenario.settingsMigrations)
                }
            }
            #expect(summary.count(of: .attached) >= 4)
        }
    #endif

    #if CHILD_PROCESSES
        @Test func `A child process that was not killed is a failure`() async throws {
            let sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations)
            let failure = await #expect(throws: FaultFailure.self) {
                try await sweep.killing(.every(10)) { (kill: KillPoint) in
                    await #expect(processExitsWith: .failure) { [kill] in
                        try kill.run(through: FaultScenario.settingsMigrations.upTo(version: 4))
                    }
                }
            }
            let broken = try #require(failure).broken
            #expect(broken.count == 3)
            #expect(broken.allSatisfy { $0.problem.contains("was not killed there") })
        }
    #endif

    @Test func `A kill that undoes a committed upgrade is a failure`() async throws {
        let sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations)
        var points: [FaultPoint] = []
        let failure = await #expect(throws: FaultFailure.self) {
            try await sweep.killing(.all) { kill in
                // Creates only the file that marks a kill, as if no write of the child had reached the disk.
                points.append(kill.point)
                let bytes = try #require(Data(base64Encoded: kill.text))
                let parts = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
                let directory = try #require(parts["directory"] as? String)
                _ = FileManager.default.createFile(atPath: directory + "/killed", contents: nil)
            }
        }
        let broken = try #require(failure).broken
        let commit = try #require(points.firstIndex { $0.name == "after the commit of the upgrade" })
        #expect(commit > 5)
        #expect(broken.map(\.trial?.point) == points[commit...].map { $0 })
        #expect(broken.allSatisfy { $0.problem.hasPrefix("The upgrade was committed") })
    }

    @Test func `A kill point can be passed on as a string`() async throws {
        let sweep = FaultSweep(of: FaultScenario.settingsFixture, through: FaultScenario.settingsMigrations)
        var texts: [String] = []
        _ = try? await sweep.killing(.every(5)) { kill in
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
            // Another test's thread may hold the lock of a suite for a moment, even of one that was just erased.
            let left = files.filter { $0.contains(name) && !$0.hasSuffix(".plist.molt-lock") }
            #expect(left == [])
        }
    }
}
