#if os(Linux)
    import FaultyDisk
    import Foundation
    import Molt
    import MoltCore
    import Testing
    import TestSupport

    extension PowerLossTests {
        @Suite("Losses of power during an upgrade of suites")
        struct SuitePowerTests {
            @Test(arguments: AppScenario.Primary.allCases)
            func `An upgrade is undone or can be finished, and is complete once it was reported`(
                primary: AppScenario.Primary
            ) async throws {
                // Another test of this process may make the library save the suites, which Molt then protects.
                await #expect(processExitsWith: .success) { [primary = primary as AppScenario.Primary] in
                    let scenario = AppScenario(primary)
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
                    let sweep = try PowerLossSweep(
                        of: recording,
                        seeds: TestRun.choose(1, long: 40),
                        distance: TestRun.choose(primary == .cache ? 20 : 8, long: 1)
                    )
                    var found: [AppScenario.Left: Int] = [:]
                    let count = try sweep.run { moment in
                        let left = try scenario.left(before: before, after: after)
                        found[left, default: 0] += 1
                        if !moment.marks.isEmpty, left != .new {
                            throw Broken("It was reported as done, and is \(left).")
                        }
                        try scenario.upgrade()
                        let finished = try scenario.outcome()
                        guard finished == after else { throw Broken("Not finished: \(finished.summary)") }
                    }
                    TestRun.report(
                        "power, suites of a \(primary): \(recording.operations.count) operations, \(count) losses, \(found)"
                    )
                    for left in AppScenario.Left.allCases { #expect(found[left, default: 0] > 0, "\(left)") }
                }
            }
        }
    }

    /// Each test records the calls of a child process, so these tests can run in parallel.
    @Suite(
        "Losses of power during changes of one suite",
        .enabled(if: molt_disk_is_faulty(), "needs the calls of the C library")
    )
    struct SuiteFilePowerTests {
        /// Foundation saves the changes of an app by truncating the file and rewriting it.
        ///
        /// Foundation of Swift 6.3 then syncs the file, but other releases may not.
        @Test(arguments: [true, false])
        func `A suite stays whole while Foundation saves unsaved changes of the app`(isSynced: Bool) async throws {
            await #expect(processExitsWith: .success) { [isSynced = isSynced as Bool] in
                let place = TestPlace()
                defer { place.remove() }
                var values: [String: PropertyListValue] = [:]
                for number in 0..<100 { values["key \(number)"] = 1 }
                try place.old.update(set: values)
                let defaults = try #require(UserDefaults(suiteName: place.old.domainName))
                let recording = try DiskRecording(place) {
                    defaults.set(2, forKey: "key 0")
                    try place.old.set(3, forKey: "key 1")
                    DiskRecording.mark("set")
                }
                let sweep = try PowerLossSweep(
                    of: isSynced ? recording : recording.withoutTheLibrarysSyncs(),
                    seeds: TestRun.choose(isSynced ? 1 : 2, long: 100)
                )
                let count = try sweep.run { moment in
                    var found = try place.old.values()
                    let (first, second) = (found["key 0"], found["key 1"])
                    found["key 0"] = 1
                    found["key 1"] = 1
                    guard found == values, first == 1 || first == 2, second == 1 || second == 3 else {
                        throw Broken("It has \(found.count) settings, and \([first, second])")
                    }
                    if !moment.marks.isEmpty, second != 3 { throw Broken("What was set is lost.") }
                }
                let operations = recording.operations.count
                let library = isSynced ? "" : " with a library that syncs nothing"
                TestRun.report("power, unsaved settings\(library): \(operations) operations, \(count) losses")
                #expect(count > 10)
            }
        }

        /// The suite's file is written once, with all changes and the ledger.
        @Test(arguments: [[], ["tags"], ["tags", "other", "renamed"]])
        func `An upgrade of a single suite is undone or can be finished`(takenBack: [String]) async throws {
            await #expect(processExitsWith: .success) { [takenBack = takenBack as [String]] in
                let place = TestPlace()
                defer { place.remove() }
                let old: [String: PropertyListValue] = [
                    "tags": .string(#"["a","b"]"#), "other": 1, "renamed": "text", "removed": true,
                    "long": .string(String(repeating: "b", count: 5_000)),
                ]
                try place.old.update(set: old)
                let defaults = try #require(UserDefaults(suiteName: place.old.domainName))
                for key in takenBack {
                    let value = try #require(defaults.object(forKey: key))
                    defaults.removeObject(forKey: key)
                    defaults.set(try PropertyListValue(normalizing: value).object, forKey: key)
                }
                let migrations: MigrationRegistry = [
                    .defaultsV4ToV5(to: 1, suite: place.old, keys: [.key("tags", .array(of: .string))]),
                    Migration(to: 2, "rename", .renameKey("renamed", to: "title", in: place.old)),
                    Migration(to: 3, "remove", .removeKeys("removed", in: place.old)),
                ]
                let recording = try DiskRecording(place) {
                    try place.old.upgrade(with: migrations)
                    DiskRecording.mark("opened")
                }
                let new: [String: PropertyListValue] = [
                    "tags": ["a", "b"], "other": 1, "title": "text",
                    "long": .string(String(repeating: "b", count: 5_000)),
                ]
                var found: [AppScenario.Left: Int] = [:]
                // Creating a sweep compares its recording with the current files, so both are created first.
                let sweeps = try [recording, recording.withoutTheLibrarysSyncs()].map {
                    try PowerLossSweep(of: $0, seeds: TestRun.choose(1, long: 100))
                }
                for sweep in sweeps {
                    _ = try sweep.run { moment in
                        let state = try DefaultsStore(place.old).state()
                        let values = try place.old.values().filter { $0.key != "molt.ledger" }
                        let left: AppScenario.Left =
                            state.version == 0 ? .old : state.journal.isEmpty ? .new : .journal
                        guard left == .journal && values == old || values == (left == .old ? old : new) else {
                            throw Broken("It has \(values.keys.sorted()) at \(state.version), \(state.journal)")
                        }
                        found[left, default: 0] += 1
                        if !moment.marks.isEmpty, left != .new { throw Broken("What was reported is lost.") }
                        try place.old.upgrade(with: migrations)
                        guard try place.old.values().filter({ $0.key != "molt.ledger" }) == new else {
                            throw Broken("It was not finished.")
                        }
                    }
                }
                TestRun.report("power, a suite alone: \(recording.operations.count) operations, \(found)")
                for left in AppScenario.Left.allCases { #expect(found[left, default: 0] > 0, "\(left)") }
            }
        }

        /// A value that was set and reverted is still written to the file, although it appears to be unchanged.
        @Test(arguments: [true, false], [["key 0"], ["key 1"], ["key 0", "key 1"]])
        func `A suite stays whole after the app has reverted its own changes`(
            isSynced: Bool,
            keys: [String]
        ) async throws {
            await #expect(processExitsWith: .success) { [isSynced = isSynced as Bool, keys = keys as [String]] in
                let place = TestPlace()
                defer { place.remove() }
                var values: [String: PropertyListValue] = [:]
                for number in 0..<100 { values["key \(number)"] = 1 }
                try place.old.update(set: values)
                let defaults = try #require(UserDefaults(suiteName: place.old.domainName))
                for key in keys {
                    defaults.set(2, forKey: key)
                    defaults.set(1, forKey: key)
                }
                let recording = try DiskRecording(place) {
                    try place.old.set(3, forKey: "key 1")
                    DiskRecording.mark("set")
                }
                let isCut = recording.operations.contains {
                    if case .truncate(length: 0) = $0.kind { true } else { false }
                }
                // Otherwise Foundation has written nothing, and there is nothing to check.
                #expect(isCut)
                let sweep = try PowerLossSweep(
                    of: isSynced ? recording : recording.withoutTheLibrarysSyncs(),
                    seeds: TestRun.choose(isSynced ? 1 : 2, long: 100)
                )
                let count = try sweep.run { moment in
                    var found = try place.old.values()
                    let changed = found["key 1"]
                    found["key 1"] = 1
                    guard found == values, changed == 1 || changed == 3 else {
                        throw Broken("It has \(found.count) settings, and \(String(describing: changed))")
                    }
                    if !moment.marks.isEmpty, changed != 3 { throw Broken("What was set is lost.") }
                }
                #expect(count > 10)
            }
        }
    }
#endif
