#if CHILD_PROCESSES
    import Foundation
    import Molt
    import TestSupport
    import Testing

    @Suite("An import that is killed", .enabled(if: TestHome.isAvailable)) struct InterruptedImportTests {
        @Test func `leaves what the app changes then, and loses nothing that it has committed`() async throws {
            let seeds = TestRun.choose(16, long: 400) as UInt64
            var pending = 0
            for seed in 0..<seeds {
                let cache = try ScratchCache()
                let suites = try [ScratchSuite(), ScratchSuite()]
                let scenario = InterruptedImport(seed: seed, names: suites.map(\.name), directory: cache.directory)
                try scenario.prepare()
                await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed)") {
                    [scenario = scenario as InterruptedImport] in try scenario.importUntilKilled()
                }
                if try scenario.finish() { pending += 1 }
            }
            #expect(pending >= seeds / 4, "\(pending) of \(seeds)")
        }
    }
#endif
