#if os(Linux)
    import FaultyDisk
    import Foundation
    @testable import Molt
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
        var recordings = [recording]
        // Foundation truncates a suite's file and writes it in place. Releases other than 6.3 may not sync it then.
        if scenario.primary == .suite { recordings.append(recording.withoutTheLibrarysSyncs()) }
        var found: [AppScenario.Left: Int] = [:]
        // Creating a sweep compares its recording with the current files, so all are created first.
        for sweep in try recordings.map({ try PowerLossSweep(of: $0, limit: 16, seeds: 60) }) {
            try sweep.run { moment in
                let left = try scenario.left(before: before, after: after)
                found[left, default: 0] += 1
                if !moment.marks.isEmpty, left != .new { throw Broken("It was reported as done, and is \(left).") }
                try scenario.upgrade()
                let finished = try scenario.outcome()
                guard finished == after else { throw Broken("Not finished: \(finished.summary)") }
            }
        }
        let operations = recording.operations.count
        TestRun.report("power, suites of a \(scenario.primary): \(operations) operations, \(found)")
        for left in AppScenario.Left.allCases { #expect(found[left, default: 0] > 0, "\(left)") }
    }
#endif
