#if os(Linux)
    import Foundation
    import Glibc
    import MoltDefaults
    import TestHome
    import Testing

    @Suite struct `An upgrade of suites that was killed` {
        private enum Damage: CaseIterable {
            case none
            case empty
            case half
        }

        /// The calls are all that change what is on disk under which name, from the last step to the journal's end: of
        /// a suite's file, of its temporary one, of the journal, and those of SQLite. The process is killed before each
        /// of them, and the suites' files are cut off as the library's own writing cuts them off.
        @Test(arguments: UpgradeScenario.Primary.allCases, [1, 2])
        func `before any of its calls to the disk is as if it had not been killed`(
            primary: UpgradeScenario.Primary,
            suites: Int
        ) async throws {
            let scenario = try UpgradeScenario(primary, suites: suites)
            defer { scenario.remove() }
            try scenario.prepare()
            let before = try scenario.outcome()
            let image = try scenario.image()
            await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                molt_kill_before_call(0)
                try scenario.upgrade()
                try scenario.keep(molt_disk_calls())
            }
            let calls = try scenario.kept()
            let after = try scenario.outcome()
            #expect(after.settings != before.settings && after.version == 4 && after.journal.isEmpty)

            var kills: [String: Int] = [:]
            for call in 1...calls {
                try scenario.restore(image)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [scenario = scenario as UpgradeScenario, call = call as Int] in
                    molt_kill_before_call(call)
                    try scenario.upgrade()
                }
                let left = try scenario.outcome()
                let isCommitted = left.version == 4
                if !isCommitted { #expect(left == before, "call \(call)") }
                kills[isCommitted ? left.journal.isEmpty ? "over" : "committed" : "before", default: 0] += 1
                let killed = try scenario.image()
                for damage in Damage.allCases where damage == .none || !left.journal.isEmpty {
                    if damage != .none {
                        try scenario.restore(killed)
                        try scenario.cutOff(toHalf: damage == .half)
                    }
                    try scenario.upgrade()
                    #expect(try scenario.outcome() == after, "call \(call), \(damage)")
                    let files = try scenario.otherFiles()
                    #expect(!files.contains { $0.contains("journal") || $0.contains("molt-new") }, "call \(call)")
                }
            }
            #expect(kills["before", default: 0] >= 1)
            // Each write of a suite is at least three calls: a cache's journal is for one, or for one and two more.
            #expect(kills["committed", default: 0] >= (suites == 1 ? 6 : 9))
        }

        @Test func `at any instant is as if it had not been killed`() async throws {
            let scenario = try UpgradeScenario(.cache, suites: 2, count: 200)
            defer { scenario.remove() }
            try scenario.prepare()
            let before = try scenario.outcome()
            let image = try scenario.image()
            // How long it takes here is only to draw the instants from.
            await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                let start = ContinuousClock.now
                try scenario.upgrade()
                try scenario.keep(Int((ContinuousClock.now - start) / .microseconds(1)))
            }
            let duration = try scenario.kept()
            let after = try scenario.outcome()
            var generator = SeededGenerator(seed: 7)
            var kills = 0
            for _ in 0..<100 {
                try scenario.restore(image)
                let delay = Int.random(in: 0...duration, using: &generator)
                let result = await #expect(processExitsWith: .signal(SIGKILL)) {
                    [scenario = scenario as UpgradeScenario, delay = delay as Int] in
                    Thread.detachNewThread {
                        usleep(UInt32(delay))
                        kill(getpid(), SIGKILL)
                    }
                    try scenario.upgrade()
                    pause()
                }
                if result != nil { kills += 1 }
                let left = try scenario.outcome()
                if left.version == 0 { #expect(left == before, "after \(delay) µs") }
                if !left.journal.isEmpty, generator.oneIn(2) { try scenario.cutOff(toHalf: generator.oneIn(2)) }
                try scenario.upgrade()
                #expect(try scenario.outcome() == after, "after \(delay) µs")
            }
            #expect(kills == 100)
        }
    }
#endif
