#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    /// Kills a process at each point of a correction of a ledger by hand.
    @Suite struct `A correction of a ledger that is killed` {
        @Test(arguments: AppScenario.Primary.allCases)
        func `is made in the store and in its suite, or in neither, and the next opening finishes it`(
            primary: AppScenario.Primary
        ) async throws {
            let scenario = AppScenario(primary)
            defer { scenario.place.remove() }
            try scenario.prepare(records: 3)
            try scenario.upgrade()
            let image = try DiskImage(of: scenario.place)
            let points = Locked<[UpgradePoint]>([])
            try scenario.correct { point in points.withLock { $0.append(point) } }
            let all = points.withLock { $0 }
            let commit = try #require(all.firstIndex(of: UpgradePoint(.afterCommit, "of the correction")))
            #expect(commit > 1 && all.count > commit + 3)

            for number in all.indices {
                try image.restore(to: scenario.place)
                await #expect(processExitsWith: .signal(SIGKILL), "\(all[number])") {
                    [scenario = scenario as AppScenario, number = number as Int] in
                    let count = Locked(0)
                    try scenario.correct { _ in
                        if count.withLock({ $0 }) == number { raise(SIGKILL) }
                        count.withLock { $0 += 1 }
                    }
                }
                let isCommitted = number >= commit
                #expect(try scenario.isCorrected() == isCommitted, "\(all[number])")
                try scenario.upgrade()
                #expect(try scenario.isCorrected() == isCommitted, "\(all[number])")
                let row = try scenario.place.old.history().first { $0.name == "style" }
                #expect(row?.corrections.count == (isCommitted ? 1 : 0), "\(all[number])")
                #expect(row?.outcome == .ran)
                #expect(try scenario.outcome().journal.isEmpty)
                if primary == .cache { try scenario.place.checkWhole() }
            }
        }
    }

    extension AppScenario {
        fileprivate func correct(_ hook: @escaping UpgradeHook) throws {
            var configuration = MoltConfiguration()
            configuration.hooks.atPoint = hook
            let change = LedgerChange.markPending("style")
            switch primary {
            case .cache:
                try CacheFile(at: place.cache).correctLedger(
                    change,
                    migrations: registry,
                    reason: "killed",
                    configuration: configuration
                )
            case .suite:
                try place.old.correctLedger(change, with: registry, reason: "killed", configuration: configuration)
            }
        }

        /// Whether the store's own ledger has the correction.
        fileprivate func isCorrected() throws -> Bool {
            let state = try primary == .cache ? StoreFile.state(at: place.cache) : place.old.upgradeState()
            return state.ledger.contains { $0.name == "style" && !$0.corrections.isEmpty }
        }
    }
#endif
