#if os(Linux)
    import FaultyDisk
    import Foundation
    import Molt
    import Testing
    import TestSupport

    /// In a process of its own, because another test may make the library save the suites.
    @Suite(
        "Losses of power during an upgrade of suites",
        .enabled(if: molt_disk_is_faulty(), "needs the calls of the C library")
    )
    struct SuitePowerTests {
        @Test func `An upgrade is undone or can be finished, and is complete once it was reported`() async throws {
            await #expect(processExitsWith: .success) {
                for primary in AppScenario.Primary.allCases { try loseUpgrades(of: AppScenario(primary)) }
                try loseUpgradesOfSingleSuite()
            }
        }
    }

    /// Loses power at the points of an upgrade; while the journal exists, a suite's file may be lost.
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
        try PowerLossSweep(of: recording, limit: 16, seeds: 60).run { moment in
            let left = try scenario.left(before: before, after: after)
            found[left, default: 0] += 1
            if !moment.marks.isEmpty, left != .new { throw Broken("It was reported as done, and is \(left).") }
            try scenario.upgrade()
            let finished = try scenario.outcome()
            guard finished == after else { throw Broken("Not finished: \(finished.summary)") }
        }
        let operations = recording.operations.count
        TestRun.report("power, suites of a \(scenario.primary): \(operations) operations, \(found)")
        for left in AppScenario.Left.allCases { #expect(found[left, default: 0] > 0, "\(left)") }
    }

    /// Loses power at the points of an upgrade of one suite, also if Foundation does not sync its file.
    ///
    /// Foundation truncates the file and writes it in place, and then syncs it; releases other than 6.3 may not.
    private func loseUpgradesOfSingleSuite() throws {
        let place = TestPlace()
        defer { place.remove() }
        let suite = place.old
        let (old, new) = (SingleSuite.old, SingleSuite.new)
        let migrations = SingleSuite.migrations(of: suite)
        try suite.update(set: old)
        let recording = try DiskRecording(place) {
            try suite.upgrade(with: migrations)
            DiskRecording.mark("opened")
        }
        var found: [AppScenario.Left: Int] = [:]
        // Creating a sweep compares its recording with the current files, so both are created first.
        for sweep in try [recording, recording.withoutTheLibrarysSyncs()].map({
            try PowerLossSweep(of: $0, limit: 12, seeds: 100)
        }) {
            try sweep.run { moment in
                let state = try suite.upgradeState()
                let left: AppScenario.Left = state.version == 0 ? .old : state.journal.isEmpty ? .new : .journal
                if left != .journal, try suite.values() != (left == .old ? old : new) {
                    throw Broken("It has \(try suite.values().keys.sorted()) at \(state.version)")
                }
                found[left, default: 0] += 1
                if !moment.marks.isEmpty, left != .new { throw Broken("What was reported is lost.") }
                try suite.upgrade(with: migrations)
                guard try suite.values() == new else { throw Broken("It was not finished.") }
            }
        }
        TestRun.report("power, a suite alone: \(recording.operations.count) operations, \(found)")
        for left in AppScenario.Left.allCases { #expect(found[left, default: 0] > 0, "\(left)") }
    }
#endif
