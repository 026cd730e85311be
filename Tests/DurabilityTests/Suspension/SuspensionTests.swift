#if CHILD_PROCESSES
    import Foundation
    import Generators
    import Molt
    import MoltSalvage
    import TestSupport
    import Testing

    /// In processes of their own, because a suspension concerns all stores of a process.
    @Suite struct `Suspended access to stores` {
        @Test func `An open cache keeps no lock, and can be used again; a closure that runs too long is reported`()
            async throws
        {
            await #expect(processExitsWith: .success) {
                for check in [keepNoLock, readAnew, waitForClosure, endWait] {
                    let place = TestPlace()
                    defer { place.remove() }
                    try place.makeDirectory()
                    try check(place)
                    StoreAccess.resume()
                }
            }
        }

        /// Every kind of work on one cache, suspended again and again.
        @Test func `Reads, writes, copies, checks and salvages release their locks and stay whole`() async throws {
            await #expect(processExitsWith: .success) {
                let place = TestPlace()
                defer { place.remove() }
                try place.makeDirectory()
                try useCache(at: place, rounds: TestRun.choose(20, long: 2_000))
            }
        }

        /// An upgrade of records and of two suites, suspended at instants drawn from a seed.
        @Test func `An upgrade releases its locks, and is undone or finished later`() async throws {
            await #expect(processExitsWith: .success) {
                for primary in AppScenario.Primary.allCases {
                    try suspendUpgrade(AppScenario(primary), rounds: TestRun.choose(6, long: 300))
                }
            }
        }
    }

    /// An open cache keeps no lock, and can be used again.
    private func keepNoLock(_ place: TestPlace) throws {
        let cache = try CodableCache(at: place.cache)
        try cache.set(1, forKey: "one")
        #expect(try cache.value(Int.self, forKey: "one") == 1)
        #expect(try FileLocks.held(in: place.directory).isEmpty != FileLocks.areListed)

        #expect(StoreAccess.suspend())
        #expect(try FileLocks.held(in: place.directory).isEmpty)
        let read = MoltError.thrown { try cache.value(Int.self, forKey: "one") }
        let write = MoltError.thrown { try cache.set(2, forKey: "two") }
        let open = MoltError.thrown { try CodableCache(at: place.cache) }
        for error in [read, write, open] { #expect(error?.code == .suspended) }
        #expect(read?.message.contains("StoreAccess.resume()") == true)

        StoreAccess.resume()
        #expect(try cache.value(Int.self, forKey: "one") == 1)
        try cache.set(2, forKey: "two")
        #expect(try cache.keys() == ["one", "two"])
        StoreAccess.suspend()
        cache.close()
        StoreAccess.resume()
        MoltError.thrown { try cache.keys() }
    }

    /// What another process changed meanwhile is read anew.
    private func readAnew(_ place: TestPlace) throws {
        let cache = try CodableCache(at: place.cache)
        try cache.set(1, forKey: "one")
        #expect(try cache.value(Int.self, forKey: "one") == 1)
        StoreAccess.suspend()
        try SQLite(place.cache).run("UPDATE molt_record SET content = '2'")
        StoreAccess.resume()
        #expect(try cache.value(Int.self, forKey: "one") == 2)

        StoreAccess.suspend()
        try SQLite(place.cache).run("UPDATE molt_meta SET value = value + 1 WHERE name = 'generation'")
        StoreAccess.resume()
        let changed = MoltError.thrown { try cache.value(Int.self, forKey: "one") }
        #expect(changed?.code == .storeChanged)

        StoreAccess.suspend()
        try FileManager.default.removeItem(at: place.cache)
        StoreAccess.resume()
        let removed = MoltError.thrown { try cache.value(Int.self, forKey: "one") }
        #expect(removed?.code == .fileReplaced)
    }

    /// A closure that runs too long keeps its locks, and the result says so.
    private func waitForClosure(_ place: TestPlace) throws {
        try CodableCache(at: place.cache).set(1, forKey: "one")
        let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let step = MigrationStep.transform("Int") { _ in
            isRunning.signal()
            mayEnd.wait()
        }
        let work = Work(once: {
            try CodableCache(at: place.cache, migrations: [Migration(to: 1, "slow", step)]).close()
        })
        isRunning.wait()
        #expect(!StoreAccess.suspend(timeout: .milliseconds(20)))
        mayEnd.signal()
        #expect(work.end() == ["suspended"])
        #expect(StoreAccess.suspend())
        #expect(try FileLocks.held(in: place.directory).isEmpty)
    }

    /// A wait for another process's lock ends at once.
    private func endWait(_ place: TestPlace) throws {
        var configuration = MoltConfiguration()
        configuration.timeout = .seconds(3_600)
        let cache = try CodableCache(at: place.cache, configuration: configuration)
        let holder = try SQLite(place.cache)
        try holder.run("BEGIN IMMEDIATE")
        let registry: MigrationRegistry = [Migration(to: 1, "one")]
        let works = [
            Work(once: { try cache.set(1, forKey: "one") }),
            Work(once: { [configuration] in
                try CodableCache(at: place.cache, migrations: registry, configuration: configuration).close()
            }),
            Work(once: { try CacheFile(at: place.cache).startAfresh(timeout: .seconds(3_600)) }),
        ]
        usleep(50_000)
        #expect(StoreAccess.suspend(timeout: .seconds(600)))
        for (index, work) in works.enumerated() { #expect(work.end() == ["suspended"], "\(index)") }
        try holder.run("ROLLBACK")
        StoreAccess.resume()
        #expect(try cache.keys() == [])
    }

    private func useCache(at place: TestPlace, rounds: Int) throws {
        let file = { @Sendable name in place.directory.appendingPathComponent(name) }
        let failing = MigrationRegistry([Migration(to: 1, "fails", .transform("Int") { _ in throw Broken("no") })])
            .onFailure(.quarantine(upTo: .unlimited))
        let retried: MigrationRegistry = [Migration(to: 1, "fails", .transform("Int") { _ in })]
        try CodableCache(at: file("quarantine")).setAll((0..<50).map { ("\($0)", $0) })
        let quarantine = try CodableCache(at: file("quarantine"), migrations: failing)
        let cache = try CodableCache(at: place.cache)
        try cache.setAll((0..<3_000).map { ("\($0)", String(repeating: "s", count: 100)) })
        try CacheFile(at: place.cache).backUp()
        let other = try CodableCache(at: file("other"))
        for number in 0..<2_000 { try other.set(number, forKey: "\(number)") }
        other.close()
        let original = try Data(contentsOf: file("other"))

        var works: [(name: String, work: Work)] = []
        func begin(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
            works.append((name, Work(repeating: body)))
        }
        begin("reading") { _ = try cache.value(String.self, forKey: "7") }
        begin("listing") { _ = try cache.values(of: String.self).count }
        begin("writing") {
            let number = Int.random(in: 0..<1_000)
            try cache.batch { batch in
                for index in 0..<200 { try batch.set(number, forKey: "pair \(index)") }
            }
        }
        begin("backups") { try CacheFile(at: place.cache).remove(try CacheFile(at: place.cache).backUp()) }
        begin("checks") { _ = try CacheFile(at: place.cache).verifyAndWait() }
        begin("retries") {
            for row in try quarantine.quarantined() { _ = try quarantine.retryQuarantined([row.id], with: failing) }
        }
        begin("salvages") {
            let target = file("salvaged")
            try? FileManager.default.removeItem(at: target)
            let report = try CacheFile(at: file("other")).salvage(to: target)
            guard report.savedCount == 2_000 else { throw Broken("Only \(report.savedCount) are saved.") }
        }
        begin("restores") {
            guard let backup = try CacheFile(at: place.cache).backups().last else { return }
            try CacheFile(at: file("restored")).restore(backup, fromAnotherStore: true, keepingReplaced: false)
        }
        var random = SeededGenerator(seed: 7)
        for round in 0..<rounds {
            usleep(UInt32(random.below(20_000)))
            #expect(StoreAccess.suspend(timeout: .seconds(600)))
            let held = try FileLocks.held(in: place.directory)
            #expect(held.isEmpty, "round \(round): \(held)")
            StoreAccess.resume()
        }
        for (name, work) in works {
            let codes = work.end()
            #expect(Set(codes).isSubset(of: ["suspended"]), "\(name): \(Set(codes))")
            if TestRun.isLong { #expect(work.roundCount > 0, "\(name)") }
        }
        let pairs = try cache.values(Int.self, forKeys: (0..<200).map { "pair \($0)" })
        #expect(Set(pairs).count == 1)
        #expect(try CacheFile(at: place.cache).verifyAndWait().isEmpty)
        #expect(try quarantine.quarantinedCount == 50)
        #expect(try quarantine.retryQuarantined(with: retried).count == 50)
        #expect(try quarantine.count() == 50)
        #expect(try Data(contentsOf: file("other")) == original)
        #expect(try StoreFile.damage(at: file("restored")).isEmpty)
    }

    private func suspendUpgrade(_ scenario: AppScenario, rounds: Int) throws {
        defer { scenario.place.remove() }
        try scenario.place.makeDirectory()
        try scenario.prepare(records: TestRun.choose(400, long: 1_500))
        let image = try DiskImage(of: scenario.place)
        let before = try scenario.outcome()
        let start = ContinuousClock.now
        try scenario.upgrade()
        let length = Int((ContinuousClock.now - start) / .microseconds(1))
        let after = try scenario.outcome()
        var random = SeededGenerator(seed: 11)
        var counts: [AppScenario.Left: Int] = [:]
        for round in 0..<rounds {
            try image.restore(to: scenario.place)
            let work = Work(once: { try scenario.upgrade() })
            usleep(UInt32(random.below(length * 11 / 10)))
            #expect(StoreAccess.suspend(timeout: .seconds(600)))
            let held = try FileLocks.held(in: scenario.place.directory.deletingLastPathComponent())
                .filter { $0.contains(scenario.place.token) }
            #expect(held.isEmpty, "round \(round): \(held)")
            let codes = work.end()
            StoreAccess.resume()
            let left = try scenario.left(before: before, after: after)
            counts[left, default: 0] += 1
            #expect(codes == (left == .new ? [] : ["suspended"]) || left == .new && codes == ["suspended"])
            try scenario.upgrade()
            #expect(try scenario.outcome() == after, "round \(round)")
        }
        TestRun.report("suspensions of an upgrade of a \(scenario.primary): \(counts)")
        #expect(counts.values.reduce(0, +) == rounds)
    }
#endif
