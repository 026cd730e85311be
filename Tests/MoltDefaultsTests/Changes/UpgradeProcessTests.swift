import Foundation
import Testing

@testable import Molt

@Suite(.enabled(if: TestHome.isAvailable)) struct `An upgrade of suites by several processes at once` {
    #if CHILD_PROCESSES
        @Test(arguments: PrimaryStore.allCases)
        func `Each migration runs once, and every process sees the result`(primary: PrimaryStore)
            async throws
        {
            for _ in 0..<3 {
                let scenario = try UpgradeScenario(primary, suites: 2, count: 50)
                defer { scenario.remove() }
                await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                    try scenario.prepare()
                }
                let start = Date().addingTimeInterval(0.3).timeIntervalSince1970
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            await #expect(processExitsWith: .success) {
                                [scenario = scenario as UpgradeScenario, start = start as Double] in
                                try await Task.sleep(for: .seconds(max(0, start - Date().timeIntervalSince1970)))
                                try scenario.upgrade()
                                // The other processes may still be upgrading.
                                let outcome = try scenario.outcome()
                                #expect(outcome.version == 4)
                                #expect(outcome.journal.isEmpty)
                                #expect(outcome.settings[0] == ["both": "changed"])
                                #expect(outcome.settings[1].count == 2 + 3 * 50)
                                #expect(outcome.settings[1]["moved"] == ["a", ["b": 1]])
                                #expect(outcome.settings[1]["0 7"] == "changed 7")
                            }
                        }
                    }
                }
                #expect(try scenario.runs == 1)
            }
        }

        @Test func `An app with a cache and a widget without one change the suites that they share once`() async throws
        {
            for _ in 0..<3 {
                let scenario = try UpgradeScenario(.cache, suites: 2, count: 50)
                defer { scenario.remove() }
                await #expect(processExitsWith: .success) { [scenario = scenario as UpgradeScenario] in
                    try scenario.prepare()
                }
                let start = Date().addingTimeInterval(0.3).timeIntervalSince1970
                await withTaskGroup(of: Void.self) { group in
                    for primary in [PrimaryStore.cache, .suite, .cache] {
                        var process = scenario
                        process.primary = primary
                        group.addTask { [process] in
                            await #expect(processExitsWith: .success) {
                                [scenario = process as UpgradeScenario, start = start as Double] in
                                try await Task.sleep(for: .seconds(max(0, start - Date().timeIntervalSince1970)))
                                try scenario.upgrade()
                            }
                        }
                    }
                }
                #expect(try scenario.runs == 1)
                let outcome = try scenario.outcome()
                #expect(outcome.version == 4 && outcome.journal.isEmpty)
                #expect(outcome.settings[0] == ["both": "changed"])
                #expect(outcome.settings[1].count == 2 + 3 * 50)
                #expect(outcome.histories[0].first == "change")
                #expect(outcome.histories[1].prefix(2) == ["suite-to-app-group", "behind"])
            }
        }
    #endif
}
