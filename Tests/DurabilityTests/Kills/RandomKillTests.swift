#if os(Linux)
    import Foundation
    import Glibc
    import Molt
    import MoltCache
    import MoltCore
    import MoltTesting
    import Testing
    import TestSupport

    /// A process that upgrades thousands of records and two suites is killed at instants that a seed draws.
    @Suite struct `An upgrade of records and suites that is killed` {
        private static let records = 3_000

        @Test func `at any instant is undone or done, and the next opening finishes it`() async throws {
            let scenario = AppScenario()
            defer { scenario.place.remove() }
            try scenario.prepare(records: Self.records)
            let image = try DiskImage(of: scenario.place)
            let before = try scenario.outcome()
            let duration = try await duration(of: scenario)
            let after = try scenario.outcome()
            #expect(after.journal.isEmpty && after.contents?.version == 8 && after.old.isEmpty)

            let rounds = TestRun.choose(12, long: 600)
            var random = SeededGenerator(seed: 5)
            var counts: [AppScenario.Left: Int] = [:]
            var recoveries: [AppScenario.Left: Int] = [:]
            for round in 0..<rounds {
                try image.restore(to: scenario.place)
                // The last part of it, in which suites are written, is short: half of the kills are to be there.
                let delay =
                    random.oneIn(2) ? random.below(duration) : duration * 8 / 10 + random.below(duration * 3 / 10)
                await kill(scenario, after: delay)
                var left = try scenario.left(before: before, after: after)
                counts[left, default: 0] += 1
                if round % 4 == 3 {
                    // The recovery is killed, too.
                    await kill(scenario, after: random.below(left == .old ? duration : duration / 5))
                    let recovered = try scenario.left(before: before, after: after)
                    #expect(left == .old || recovered != .old, "\(left) became \(recovered).")
                    recoveries[recovered, default: 0] += 1
                    left = recovered
                }
                try scenario.upgrade()
                let finished = try scenario.outcome()
                #expect(finished == after, "\(round), after \(delay) µs, \(left): \(finished.summary)")
                let damage = try CacheStore.damage(at: scenario.place.cache)
                #expect(damage.isEmpty)
                #expect(try scenario.place.paths().allSatisfy { !$0.contains("molt-new") && !$0.contains("journal") })
            }
            TestRun.report(
                "kills at random: \(rounds) of \(Self.records) records, \(counts); \(recoveries) of recoveries"
            )
            #expect(counts.values.reduce(0, +) == rounds)
            if TestRun.isLong {
                for left in AppScenario.Left.allCases { #expect(counts[left, default: 0] > 0, "\(left)") }
            }
        }

        /// Has a child process upgrade, and kills it after some microseconds.
        private func kill(_ scenario: AppScenario, after delay: Int) async {
            await #expect(processExitsWith: .signal(SIGKILL), "after \(delay) µs") {
                [scenario = scenario as AppScenario, delay = delay as Int] in
                Thread.detachNewThread {
                    usleep(UInt32(delay))
                    Glibc.kill(getpid(), SIGKILL)
                }
                try scenario.upgrade()
                pause()
            }
        }

        /// How long an upgrade takes in a child process, in microseconds; only to draw the instants from.
        private func duration(of scenario: AppScenario) async throws -> Int {
            await #expect(processExitsWith: .success) { [scenario = scenario as AppScenario] in
                let start = ContinuousClock.now
                try scenario.upgrade()
                let duration = Int((ContinuousClock.now - start) / .microseconds(1))
                try Data("\(duration)".utf8).write(to: scenario.place.directory.appendingPathComponent("duration"))
            }
            let file = scenario.place.directory.appendingPathComponent("duration")
            defer { try? FileManager.default.removeItem(at: file) }
            return try #require(Int(String(contentsOf: file, encoding: .utf8)))
        }
    }

    /// The same, at the points that the upgrade itself names.
    @Suite struct `An upgrade of thousands of records` {
        @Test func `outlives a kill at each kind of point`() async throws {
            var sweep = FaultSweep(of: try NamedKills.fixture(), through: NamedKills.migrations)
            sweep.batchSize = 512
            let summary = try await sweep.killing(.spread(limit: TestRun.choose(6, long: 300))) { kill in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill = kill as KillPoint] in
                    try kill.run(through: NamedKills.migrations)
                }
            }
            TestRun.report("kills at named points: \(summary)")
            #expect(summary.count >= 6)
        }
    }

    /// What a child process knows, too: suites of fixed names, for which the sweep has others stand in.
    private enum NamedKills {
        static let place = AppScenario(.cache, TestPlace(token: "named-kills"))
        static let migrations = place.registry

        static func fixture() throws -> StoreFixture {
            let contents = People.contents(TestRun.choose(200, long: 2_000))
            return StoreFixture(
                schemaVersion: 0,
                records: contents.records.map { record in
                    .init(record.key, record.typeName, .json(String(decoding: record.content, as: UTF8.self)))
                },
                suites: [
                    place.place.old: ["tags": #"["a","b"]"#, "scale": "1.5", "name": "app", "theme": "dark"],
                    place.place.group: ["shared": true],
                ]
            )
        }
    }
#endif
