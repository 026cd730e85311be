#if os(Linux)
    import FaultyDisk
    import Foundation
    import Molt
    import TestSupport
    import Testing

    /// Child processes do all the work, so that each killed opening is that of an app that was just started.
    @Suite struct `An upgrade of suites that is killed` {
        /// The calls are those that change file names or contents, from the last step to the end of the journal.
        ///
        /// They concern the suites' files and SQLite's: those of the cache, or of the suite's journal. In the long run,
        /// the process is killed before each of them.
        @Test(arguments: PrimaryStore.allCases, [1, 2])
        func `The next opening finishes an upgrade killed before a disk call`(
            primary: PrimaryStore,
            suites: Int
        ) async throws {
            let scenario = try UpgradeScenario(primary, suites: suites)
            let files = scenario.files
            defer { files.remove() }
            await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                try scenario.prepare()
            }
            await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                try scenario.measure()
            }
            let before: UpgradeScenario.Outcome = try files.kept("before")
            let after: UpgradeScenario.Outcome = try files.kept("after")
            #expect(after.version == 4 && after.journal.isEmpty && after.settings != before.settings)
            let calls: [Int] = try files.kept("calls")
            let (commit, end) = (calls[0], calls[1])
            try #require(commit > 0 && end > commit)
            // The first and the last call, and that after the commit; with two suites, also the one before it, and one
            // amid their changes.
            var short: Set = [1, commit + 1, end]
            if suites == 2 { short.formUnion([commit, (commit + end) / 2]) }

            let image: SharedFiles.Image = try files.kept("image")
            var images: [SharedFiles.Image] = []
            for call in TestRun.choose(short.sorted(), long: Array(1...end)) {
                try files.restore(image)
                await #expect(processExitsWith: .signal(SIGKILL), "call \(call)") {
                    [scenario = scenario as UpgradeScenario, call = call as Int] in
                    molt_kill_before_call(call)
                    try scenario.upgrade()
                }
                images.append(try files.image())
            }
            try files.keep(images, as: "kills")
            await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                try scenario.files.keep(scenario.expectFinishing(), as: "kinds")
            }
            let kinds: [String: Int] = try files.kept("kinds")
            #expect(kinds.values.reduce(0, +) == images.count)
            // A write of a suite is a few calls: one suite is written once, two are written twice each.
            let committed = suites == 1 ? 4 : 10
            #expect(kinds["before", default: 0] >= 1)
            #expect(kinds["committed", default: 0] >= TestRun.choose(1, long: committed))
        }

        /// An app with a cache, one without, and an app with a cache and its widget without one.
        @Test(arguments: [
            [PrimaryStore.cache, .cache, .cache], [.suite, .suite, .suite], [.cache, .suite, .cache],
        ])
        func `Each migration runs once in several processes, and each sees the result`(
            primaries: [PrimaryStore]
        ) async throws {
            let isAlike = Set(primaries).count == 1
            for _ in 0..<TestRun.choose(1, long: 3) {
                let scenario = try UpgradeScenario(primaries[0], suites: 2, count: 50)
                defer { scenario.files.remove() }
                await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                    try scenario.prepare()
                }
                let start = Date().addingTimeInterval(0.3).timeIntervalSince1970
                await withTaskGroup(of: Void.self) { group in
                    for primary in primaries {
                        var process = scenario
                        process.primary = primary
                        group.addTask { [process] in
                            await #expect(processExitsWith: .success) {
                                [
                                    scenario = process as UpgradeScenario, start = start as Double,
                                    isAlike = isAlike as Bool
                                ] in
                                try await Task.sleep(for: .seconds(max(0, start - Date().timeIntervalSince1970)))
                                try scenario.upgrade()
                                // The others may still be upgrading, and another kind of store has a ledger to write.
                                if isAlike { try scenario.expectUpgraded() }
                            }
                        }
                    }
                }
                try expect(scenario.runs, is: 1)
                try scenario.expectUpgraded()
                let histories = try scenario.outcome().histories
                #expect(histories[0].first == "change")
                #expect(histories[1].starts(with: ["suite-to-app-group", "behind"]))
            }
        }
    }
#endif
