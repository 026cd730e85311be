#if os(Linux)
    import FaultyDisk
    import Foundation
    @testable import Molt
    import Testing
    import TestSupport

    extension PowerLossTests {
        @Suite("Losses of power during an upgrade of suites")
        struct SuitePowerTests {
            @Test func `An upgrade is undone or can be finished, and is complete once it was reported`() async throws {
                // Another test of this process may make the library save the suites.
                await #expect(processExitsWith: .success) {
                    for primary in AppScenario.Primary.allCases { try loseUpgrades(of: AppScenario(primary)) }
                }
            }
        }
    }

    private func loseUpgrades(of scenario: AppScenario) throws {
        defer { scenario.place.remove() }
        try scenario.prepare(records: 100)
        let before = try scenario.outcome()
        let recording = try DiskRecording(scenario.place) {
            try scenario.upgrade()
            DiskRecording.mark("opened")
        }
        let after = try scenario.outcome()
        #expect(after.journal.isEmpty)
        #expect(after.old.isEmpty && after.group["title"] == "app" && after.group["tags"] == ["a", "b"])
        #expect(after.histories.map { $0.contains("title") } == [scenario.primary == .suite, true])
        var found: [AppScenario.Left: Int] = [:]
        let count = try PowerLossSweep(of: recording, limit: 16, seeds: 40).run { moment in
            let left = try scenario.left(before: before, after: after)
            found[left, default: 0] += 1
            if !moment.marks.isEmpty, left != .new { throw Broken("It was reported as done, and is \(left).") }
            try scenario.upgrade()
            let finished = try scenario.outcome()
            guard finished == after else { throw Broken("Not finished: \(finished.summary)") }
        }
        let operations = recording.operations.count
        TestRun.report("power, suites of a \(scenario.primary): \(operations) operations, \(count) losses, \(found)")
        for left in AppScenario.Left.allCases { #expect(found[left, default: 0] > 0, "\(left)") }
    }

    /// The test records the calls of a child process, so that it can run beside others.
    @Suite(
        "Losses of power during an upgrade of one suite",
        .enabled(if: molt_disk_is_faulty(), "needs the calls of the C library")
    )
    struct SuiteFilePowerTests {
        /// Foundation truncates the file and writes it in place; while the journal exists, the file may be lost.
        ///
        /// Foundation of Swift 6.3 then syncs the file, but other releases may not.
        @Test func `An upgrade of a single suite is undone or can be finished`() async throws {
            await #expect(processExitsWith: .success) {
                let place = TestPlace()
                defer { place.remove() }
                try place.old.update(set: SingleSuite.old)
                let migrations = SingleSuite.migrations(of: place.old)
                let recording = try DiskRecording(place) {
                    try place.old.upgrade(with: migrations)
                    DiskRecording.mark("opened")
                }
                var found: [AppScenario.Left: Int] = [:]
                // Creating a sweep compares its recording with the current files, so both are created first.
                let sweeps = try [recording, recording.withoutTheLibrarysSyncs()].map {
                    try PowerLossSweep(of: $0, limit: 12, seeds: 100)
                }
                for sweep in sweeps {
                    _ = try sweep.run { moment in
                        let state = try place.old.upgradeState()
                        let left: AppScenario.Left =
                            state.version == 0 ? .old : state.journal.isEmpty ? .new : .journal
                        if left != .journal {
                            let values = try place.old.values()
                            guard values == (left == .old ? SingleSuite.old : SingleSuite.new) else {
                                throw Broken("It has \(values.keys.sorted()) at \(state.version)")
                            }
                        }
                        found[left, default: 0] += 1
                        if !moment.marks.isEmpty, left != .new { throw Broken("What was reported is lost.") }
                        try place.old.upgrade(with: migrations)
                        guard try place.old.values() == SingleSuite.new else {
                            throw Broken("It was not finished.")
                        }
                    }
                }
                TestRun.report("power, a suite alone: \(recording.operations.count) operations, \(found)")
                for left in AppScenario.Left.allCases { #expect(found[left, default: 0] > 0, "\(left)") }
            }
        }
    }

    /// The settings of a suite that is upgraded without a cache.
    enum SingleSuite {
        static let old: [String: PropertyListValue] = [
            "tags": .string(#"["a","b"]"#), "other": 1, "renamed": "text", "removed": true, "long": long,
        ]
        static let new: [String: PropertyListValue] = ["tags": ["a", "b"], "other": 1, "title": "text", "long": long]
        private static let long = PropertyListValue.string(String(repeating: "b", count: 5_000))

        static func migrations(of suite: Molt.Suite) -> MigrationRegistry {
            [
                .defaultsV4ToV5(to: 1, suite: suite, keys: [.key("tags", .array(of: .string))]),
                Migration(to: 2, "rename", .renameKey("renamed", to: "title", in: suite)),
                Migration(to: 3, "remove", .removeKeys("removed", in: suite)),
            ]
        }
    }
#endif
