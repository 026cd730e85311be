#if os(Linux)
    import FaultyDisk
    import Foundation
    import Generators
    @testable import Molt
    import TestSupport
    import Testing

    /// Child processes do all the work, so that each opening is that of an app that was just started.
    @Suite struct `An upgrade of suites that is killed` {
        /// The calls are those that change file names or contents, from the last step to the end of the journal.
        ///
        /// They concern the suites' files and SQLite's: those of the cache, or of the suite's journal. The process is
        /// killed before every fourth of them, in the long run before each.
        @Test(arguments: PrimaryStore.allCases, [1, 2])
        func `The next opening finishes an upgrade killed before a disk call`(
            primary: PrimaryStore,
            suites: Int
        ) async throws {
            let scenario = try UpgradeScenario(primary, suites: suites)
            defer { scenario.remove() }
            let image = try await prepare(scenario)
            let calls: Int = try scenario.kept("calls")
            try await cutOff(scenario, from: image, beforeEachOf: calls)
            let kills = try scenario.kills
            // A write of a suite is a few calls: one suite is written once, two are written twice each.
            let committed = suites == 1 ? 4 : 10
            #expect(kills.values.reduce(0, +) == Self.chosen(calls).count)
            #expect(kills["before", default: 0] >= 1)
            #expect(kills["committed", default: 0] >= TestRun.choose(1, long: committed))
        }

        @Test(arguments: [1, 2] as [UInt64])
        func `The next opening finishes an upgrade killed at a random instant`(seed: UInt64) async throws {
            let scenario = try UpgradeScenario(.cache, suites: 2, count: 100)
            defer { scenario.remove() }
            let image = try await prepare(scenario)
            // The random instants are drawn from the duration of an upgrade that is not killed.
            let duration: Int = try scenario.kept("duration")
            var generator = SeededGenerator(seed: seed)
            let count = TestRun.choose(3, long: 50)
            for _ in 0..<count {
                try scenario.restore(image)
                let delay = Int.random(in: 0...duration, using: &generator)
                await #expect(processExitsWith: .signal(SIGKILL), "after \(delay) µs") {
                    [scenario = scenario as UpgradeScenario, delay = delay as Int] in
                    Thread.detachNewThread {
                        usleep(UInt32(delay))
                        kill(getpid(), SIGKILL)
                    }
                    try scenario.upgrade()
                    pause()
                }
                let damage = generator.pick(UpgradeScenario.Damage.allCases)
                await #expect(processExitsWith: .success, "after \(delay) µs") {
                    [scenario = scenario as UpgradeScenario, damage = damage as UpgradeScenario.Damage] in
                    try scenario.expectFinishing([damage])
                }
            }
            #expect(try scenario.kills.values.reduce(0, +) == count)
        }

        /// The calls before which the process is killed: every fourth, in the long run all.
        private static func chosen(_ calls: Int) -> [Int] {
            Array(stride(from: 1, through: calls, by: TestRun.choose(4, long: 1)))
        }

        /// Kills an upgrade before each chosen disk call, and lets another process finish it.
        private func cutOff(
            _ scenario: UpgradeScenario,
            from image: [URL: Data],
            beforeEachOf calls: Int
        ) async throws {
            try #require(calls > 0)
            for call in Self.chosen(calls) {
                try scenario.restore(image)
                await #expect(processExitsWith: .signal(SIGKILL), "call \(call)") {
                    [scenario = scenario as UpgradeScenario, call = call as Int] in
                    molt_kill_before_call(call)
                    try scenario.upgrade()
                }
                await #expect(processExitsWith: .success, "call \(call)") {
                    [scenario = scenario as UpgradeScenario] in
                    try scenario.expectFinishing(UpgradeScenario.Damage.allCases)
                }
            }
        }

        /// Writes the old settings and upgrades them once.
        ///
        /// - Returns: The files before the upgrade.
        private func prepare(_ scenario: UpgradeScenario) async throws -> [URL: Data] {
            await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                try scenario.prepare()
                try scenario.keep(scenario.outcome(), as: "before")
            }
            let image = try scenario.image()
            await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                let start = ContinuousClock.now
                molt_kill_before_call(0)
                try scenario.upgrade()
                try scenario.keep(molt_disk_calls(), as: "calls")
                try scenario.keep(Int((ContinuousClock.now - start) / .microseconds(1)), as: "duration")
                let (before, after): (UpgradeScenario.Outcome, _) = try (scenario.kept("before"), scenario.outcome())
                #expect(after.version == 4 && after.journal.isEmpty && after.settings != before.settings)
                try scenario.keep(after, as: "after")
            }
            return image
        }
    }
#endif
