#if os(Linux)
    import Foundation
    import Generators
    import Molt
    import TestSupport
    import Testing

    /// Kills a process that upgrades thousands of records and two suites at instants drawn from a seed.
    @Suite struct `Kills at random instants` {
        private static let records = TestRun.choose(600, long: 3_000)

        @Test func `An upgrade killed at any instant is undone or committed, and the next opening finishes it`()
            async throws
        {
            let scenario = AppScenario()
            defer { scenario.place.remove() }
            try scenario.prepare(records: Self.records)
            let image = try DiskImage(of: scenario.place)
            let before = try scenario.outcome()
            let length = try await length(of: scenario)
            let after = try scenario.outcome()
            // The part from the commit on is short, so that few instants of the whole would fall into it.
            var lengthFromCommit = 0
            for _ in 0..<TestRun.choose(1, long: 2) {
                try image.restore(to: scenario.place)
                lengthFromCommit = max(lengthFromCommit, try await self.length(of: scenario, fromCommit: true))
            }
            #expect(after.journal.isEmpty && after.contents?.version == 8 && after.old.isEmpty)

            let rounds = TestRun.choose(4, long: 600)
            var random = SeededGenerator(seed: 5)
            var counts: [AppScenario.Left: Int] = [:]
            var recoveries: [AppScenario.Left: Int] = [:]
            for round in 0..<rounds {
                try image.restore(to: scenario.place)
                let instant =
                    round % 2 == 0
                    ? Instant(delay: random.below(length * 11 / 10))
                    : Instant(delay: random.below(lengthFromCommit * 3 / 2), isFromCommit: true)
                await kill(scenario, at: instant)
                var left = try scenario.left(before: before, after: after)
                counts[left, default: 0] += 1
                if round % 4 == 3 {
                    // The recovery is killed, too.
                    await kill(scenario, at: Instant(delay: random.below(left == .old ? length : length / 5)))
                    let recovered = try scenario.left(before: before, after: after)
                    #expect(left == .old || recovered != .old, "\(left) became \(recovered).")
                    recoveries[recovered, default: 0] += 1
                    left = recovered
                }
                try scenario.upgrade()
                let finished = try scenario.outcome()
                #expect(finished == after, "\(round), \(instant), \(left): \(finished.summary)")
                let damage = try StoreFile.damage(at: scenario.place.cache)
                #expect(damage.isEmpty)
                #expect(try scenario.place.paths().allSatisfy { !$0.contains("molt-new") && !$0.contains("journal") })
            }
            TestRun.report(
                "kills at random: \(rounds) of \(Self.records) records, \(counts); \(recoveries) of recoveries"
            )
            #expect(counts.values.reduce(0, +) == rounds)
            if TestRun.isLong {
                for left in AppScenario.Left.allCases { #expect(counts[left, default: 0] > 0, "\(left)") }
                #expect(counts[.old, default: 0] * 10 <= rounds * 9, "\(counts)")
            }
        }

        /// The instant at which a process is killed.
        private struct Instant: Codable, CustomStringConvertible {
            /// In microseconds.
            var delay: Int
            /// Whether the delay starts when the upgrade reaches its commit, and not when the upgrade starts.
            var isFromCommit = false

            var description: String { "\(delay) µs after \(isFromCommit ? "coming to the commit" : "the start")" }
        }

        /// Runs the upgrade in a child process that is killed at an instant.
        private func kill(_ scenario: AppScenario, at instant: Instant) async {
            await #expect(processExitsWith: .signal(SIGKILL), "\(instant)") {
                [scenario = scenario as AppScenario, instant = instant as Instant] in
                try upgrade(scenario, fromCommit: instant.isFromCommit) {
                    Thread.detachNewThread {
                        usleep(UInt32(instant.delay))
                        Glibc.kill(getpid(), SIGKILL)
                    }
                }
                pause()
            }
        }

        /// Returns the duration of an upgrade in a child process in microseconds, from which instants are drawn.
        private func length(of scenario: AppScenario, fromCommit: Bool = false) async throws -> Int {
            await #expect(processExitsWith: .success) {
                [scenario = scenario as AppScenario, fromCommit = fromCommit as Bool] in
                let start = Locked(ContinuousClock.now)
                try upgrade(scenario, fromCommit: fromCommit) { start.withLock { $0 = .now } }
                let length = Int((ContinuousClock.now - start.withLock { $0 }) / .microseconds(1))
                try Data("\(length)".utf8).write(to: scenario.place.directory.appendingPathComponent("length"))
            }
            let file = scenario.place.directory.appendingPathComponent("length")
            defer { try? FileManager.default.removeItem(at: file) }
            return try #require(Int(String(contentsOf: file, encoding: .utf8)))
        }
    }

    /// Upgrades, and calls a closure at the start, or when the upgrade reaches its commit.
    private func upgrade(_ scenario: AppScenario, fromCommit: Bool, begin: @escaping @Sendable () -> Void) throws {
        guard fromCommit else {
            begin()
            return try scenario.upgrade()
        }
        try scenario.upgrade { point in
            // Clearing the journal is a commit, too.
            if point == UpgradePoint(.beforeCommit, "of the upgrade") { begin() }
        }
    }
#endif
