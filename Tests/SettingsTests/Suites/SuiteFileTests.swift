#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    @Suite struct `A suite's file` {
        let scratch = ScratchSuite(named: TestHome.newSuiteName())

        @Test func `is read as a whole, and as no values when missing`() throws {
            let values = `Values from UserDefaults`.values
            try scratch.expect([:])
            try scratch.suite.write(set: values)
            try scratch.expect(values)
            try scratch.expectFile(values)
        }

        /// In a child process, because `synchronize()` of any suite saves all unsaved values of the process.
        @Test(arguments: ["<plist><dict><key>secret</key>", ""])
        func `is never overwritten when it is damaged or empty`(left: String) async throws {
            try scratch.writeFile(left)
            let bytes = try scratch.bytes
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                try scratch.defaults.set(1, forKey: "unsaved")
                let calls: [() throws -> Void] = [
                    { _ = try scratch.suite.allValues() }, { try scratch.suite.write(set: ["a": 1]) },
                    { _ = try scratch.suite.value(forKey: "a") }, { try scratch.suite.synchronize() },
                ]
                for call in calls {
                    let error = MoltError.thrown(by: call)
                    error?.expect(.settingUnreadable, store: scratch.name, says: try scratch.file.path)
                    let text = String(reflecting: error)
                    #expect(!text.contains("secret"))
                }
            }
            try expect(scratch.bytes, is: bytes)
        }

        @Test func `is not written when it would contain a value of an unsupported type`() throws {
            let objects: [String: Any] = ["archived": ["CF$UID": 1], "a": 1]
            let bytes = try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
            try scratch.writeFile(bytes)
            try scratch.expectUnchanged {
                MoltError.thrown { try scratch.suite.write(set: ["a": 2]) }?.expect(.settingUnreadable, key: "archived")
            }
        }

        @Test func `is written through a symbolic link`() throws {
            let target = try ScratchSuite()
            try target.suite.write(set: ["a": 1])
            try FileManager.default.createSymbolicLink(at: scratch.file, withDestinationURL: target.file)
            try scratch.suite.write(set: ["b": 2])
            try scratch.expect(["a": 1, "b": 2])
            let (link, path) = try (scratch.file.path, target.file.path)
            try expect(FileManager.default.destinationOfSymbolicLink(atPath: link), is: path)
            try target.expectFile(["a": 1, "b": 2])
        }

        @Test func `keeps values that another process wrote in the meantime`() throws {
            try scratch.suite.write(set: ["a": 1, "b": 1])
            _ = try scratch.suite.value(forKey: "a")
            try scratch.writeFile(["a": 1, "b": 2, "c": 3])
            try scratch.defaults.set(4, forKey: "unsaved")
            try scratch.expect(["a": 1, "b": 2, "c": 3, "unsaved": 4])
            try scratch.suite.write(set: ["d": 5], remove: ["a"])
            try scratch.expect(["b": 2, "c": 3, "unsaved": 4, "d": 5])
        }
    }

    /// The library truncates the file and writes it in place.
    @Suite struct `A suite's file that a kill has destroyed` {
        let scratch: ScratchSuite
        static let snapshot: [String: PropertyListValue] = [
            "a": 1, "text": .string(String(repeating: "x", count: 2_000)),
        ]
        static let changed = snapshot.merging(["b": 2]) { $1 }

        init() throws {
            scratch = try ScratchSuite(Self.snapshot)
        }

        enum Damage: CaseIterable, Sendable {
            case empty, half, zeros

            func happen(to file: URL) throws {
                var bytes = try Data(contentsOf: file)
                switch self {
                case .empty: bytes = Data()
                case .half: bytes = bytes.prefix(bytes.count / 2)
                // A sector that was not on disk yet when power was lost. Inside a string, it can be read.
                case .zeros: bytes.replaceSubrange(1_024..<1_536, with: Data(count: 512))
                }
                try bytes.write(to: file)
            }
        }

        /// A suite's file, and what a change makes of it that restores a snapshot if the file is lost.
        private struct Trial: Codable {
            var name: String
            /// What the app sets through UserDefaults before the change.
            var unsaved: [String: PropertyListValue] = [:]
            var snapshot = `A suite's file that a kill has destroyed`.snapshot
            var expected = `A suite's file that a kill has destroyed`.changed
        }

        /// A child process has nothing of the suites in memory, like an app that was just started.
        private func expectRestored(_ trials: [Trial]) async {
            await #expect(processExitsWith: .success) { [trials = trials as [Trial]] in
                for (index, trial) in trials.enumerated() {
                    let scratch = ScratchSuite(named: trial.name)
                    for (key, value) in trial.unsaved { try scratch.defaults.set(value.object, forKey: key) }
                    try scratch.suite.change(restoring: trial.snapshot) { _ in ["b": 2] }
                    try scratch.expect(trial.expected, "trial \(index)")
                    try scratch.expectFile(trial.expected, "trial \(index)")
                }
            }
        }

        @Test func `is restored before a change, with the settings that the app has made since`() async throws {
            var trials: [Trial] = []
            for damage in Damage.allCases {
                let scratch = try ScratchSuite(Self.snapshot)
                try damage.happen(to: scratch.file)
                trials.append(Trial(name: scratch.name))
            }
            // A value that the change brings, and would leave alone if the app had set it.
            let torn = try ScratchSuite(Self.snapshot)
            try Damage.zeros.happen(to: torn.file)
            trials.append(Trial(name: torn.name, snapshot: ["a": 1], expected: ["a": 1, "b": 2]))
            try Damage.half.happen(to: scratch.file)
            let since: [String: PropertyListValue] = ["a": 5, "new": 6]
            trials.append(Trial(name: scratch.name, unsaved: since, expected: Self.changed.merging(since) { $1 }))
            await expectRestored(trials)
        }

        @Test func `is restored if only a part of a new ledger is in it`() throws {
            try scratch.writeFile(["molt.ledger": #"{"format":1,"entr"#, "a": 1, "c": 3])
            try scratch.suite.change(restoring: Self.snapshot) { _ in ["b": 2] }
            try expect(scratch.allValues, is: Self.changed.merging(["c": 3]) { $1 })
        }

        @Test(arguments: Damage.allCases)
        func `is restored from memory by a process that has read it before`(damage: Damage) throws {
            try scratch.expect(Self.snapshot)
            try damage.happen(to: scratch.file)
            try scratch.suite.change(restoring: Self.snapshot) { _ in ["b": 2] }
            try scratch.expectFile(Self.changed)
        }

        @Test func `is not restored if it can be read or is missing, or if the suite had no settings`() async throws {
            let (missing, readable) = (TestHome.newSuiteName(), scratch)
            try readable.writeFile(["c": 3])
            var trials = [
                Trial(name: missing, expected: ["b": 2]), Trial(name: readable.name, expected: ["b": 2, "c": 3]),
            ]
            for left in ["", "<?xml version"] {
                let name = TestHome.newSuiteName()
                try ScratchSuite(named: name).writeFile(left)
                trials.append(Trial(name: name, snapshot: [:], expected: ["b": 2]))
            }
            await expectRestored(trials)
        }

        /// A kill after the library has saved the app's own settings would hide that others were lost.
        @Test func `keeps the trace of its loss until it is restored`() async throws {
            var trials: [Trial] = []
            for damage in [Damage.empty, .half] {
                let scratch = try ScratchSuite(Self.snapshot)
                try damage.happen(to: scratch.file)
                await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                    let scratch = ScratchSuite(named: name)
                    try scratch.defaults.set(6, forKey: "new")
                    MoltError.thrown { _ = try scratch.values }?.expect(.settingUnreadable)
                    kill(getpid(), SIGKILL)
                }
                trials.append(Trial(name: scratch.name))
            }
            await expectRestored(trials)
        }

        private static func rename(_ suite: Suite) -> MigrationRegistry {
            [Migration(to: 1, "rename", .renameSetting("a", to: "b", in: suite))]
        }

        /// The system kills the process in the library's own write, after it has truncated the file.
        @Test(arguments: PrimaryStore.allCases)
        func `is unreadable to other stores until the one that was killed restores it`(primary: PrimaryStore)
            async throws
        {
            let cache = try ScratchCache()
            await #expect(processExitsWith: .signal(SIGXFSZ)) {
                [name = scratch.name as String, primary = primary as PrimaryStore, url = cache.url as URL] in
                let suite = Suite(name)
                try primary.upgrade(suite, cache: url, with: Self.rename(suite)) { point in
                    if point.kind == .beforeApply { try FileSizeLimit.set(0, isTold: true) }
                }
            }
            try expect(scratch.bytes, is: Data())
            let (suite, migrations, other) = (scratch.suite, Self.rename(scratch.suite), try ScratchCache())
            let openers: [() throws -> Void] = [
                { try other.upgrade(migrations) },
                { _ = primary == .cache ? try suite.upgrade(with: migrations) : try cache.upgrade(migrations) },
                { try other.upgrade([Migration(to: 1, "another", .removeSettings("text", in: suite))]) },
            ]
            for open in openers {
                MoltError.thrown(by: open)?.expect(.settingUnreadable, says: "first open its store again")
            }
            try expect(scratch.bytes, is: Data())
            try primary.upgrade(suite, cache: cache.url, with: migrations)
            var upgraded = Self.snapshot
            upgraded["b"] = upgraded.removeValue(forKey: "a")
            try scratch.expect(upgraded, history: ["rename"])
            for open in openers.dropLast() { try open() }
            try scratch.expect(upgraded, history: ["rename"])
        }
    }
#endif
