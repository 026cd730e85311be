#if os(Linux)
    import Foundation
    import MoltCore
    import MoltDefaults
    import Testing
    import TestSupport

    /// `UserDefaults` then lists the key as unsaved, although its value equals the one in the file.
    @Suite struct `Settings of the app that were set and reset before saving` {
        enum Way: CaseIterable, Sendable {
            case setAndRemoved
            case thereAndBack
            case removedAndBack

            /// Performs it, in a suite where every key is 1 except those that contain "new".
            func happen(to key: String, in defaults: UserDefaults) {
                switch self {
                case .setAndRemoved:
                    defaults.set(9, forKey: "new \(key)")
                    defaults.removeObject(forKey: "new \(key)")
                case .thereAndBack:
                    defaults.set(9, forKey: key)
                    defaults.set(1, forKey: key)
                case .removedAndBack:
                    defaults.removeObject(forKey: key)
                    defaults.set(1, forKey: key)
                }
            }

            /// The key that it affects.
            func name(_ key: String) -> String { self == .setAndRemoved ? "new \(key)" : key }
        }

        let scratch: ScratchSuite

        init() throws {
            scratch = try ScratchSuite(["a": 1, "b": 1])
        }

        /// Checks the values that the app sees, those in the file, and those after the app has saved.
        private func expect(_ values: [String: PropertyListValue]) throws {
            for key in ["a", "b", "new a", "new b", "c"] {
                let seen = try scratch.defaults.object(forKey: key)
                #expect(try seen.map { try PropertyListValue(normalizing: $0) } == values[key], "\(key)")
            }
            let file = { try PropertyListReader.value(Data(contentsOf: scratch.file)) }
            #expect(try file() == .dictionary(values))
            #expect(try scratch.defaults.synchronize())
            #expect(try file() == .dictionary(values))
            #expect(try scratch.values == values)
            #expect(try scratch.otherFiles() == [])
        }

        @Test(arguments: Way.allCases)
        func `A reset setting does not overwrite a later value of the same key`(way: Way) throws {
            try way.happen(to: "a", in: scratch.defaults)
            try scratch.suite.set(2, forKey: way.name("a"))
            try expect(["a": 1, "b": 1].merging([way.name("a"): 2]) { $1 })
        }

        @Test(arguments: Way.allCases)
        func `A reset setting leaves other keys and the new value unchanged`(way: Way) throws {
            try way.happen(to: "b", in: scratch.defaults)
            try scratch.suite.set(2, forKey: "a")
            try expect(["a": 2, "b": 1])
        }

        @Test(arguments: [Way.thereAndBack, .removedAndBack])
        func `A reset setting does not bring back a key that is removed later`(way: Way) throws {
            try way.happen(to: "a", in: scratch.defaults)
            try scratch.suite.removeValue(forKey: "a")
            try expect(["b": 1])
        }

        @Test func `A reset setting does not bring back the last key`() throws {
            try scratch.suite.removeValue(forKey: "b")
            try Way.thereAndBack.happen(to: "a", in: scratch.defaults)
            try scratch.suite.removeValue(forKey: "a")
            #expect(try scratch.defaults.object(forKey: "a") == nil)
            #expect(try scratch.defaults.synchronize())
            #expect(try scratch.values == [:])
        }

        @Test func `A reset setting does not remove the first key`() throws {
            let scratch = try ScratchSuite()
            try scratch.defaults.set(9, forKey: "a")
            try scratch.defaults.removeObject(forKey: "a")
            try scratch.suite.set(2, forKey: "a")
            #expect(try scratch.values == ["a": 2])
            #expect(try scratch.defaults.integer(forKey: "a") == 2)
        }

        @Test(arguments: Way.allCases)
        func `A reset setting does not undo an upgrade`(way: Way) throws {
            for key in ["a", "b"] { try way.happen(to: key, in: scratch.defaults) }
            let suite = scratch.suite
            try suite.upgrade(with: [
                Migration(
                    to: 1,
                    "change",
                    .settings(in: suite) {
                        try $0.set(2, forKey: way.name("a"))
                        try $0.removeValue(forKey: "b")
                    }
                )
            ])
            var values = try scratch.values
            #expect(values.removeValue(forKey: "molt.ledger") != nil)
            #expect(values == ["a": 1].merging([way.name("a"): 2]) { $1 })
            #expect(try DefaultsStore(suite).state().journal == [])
        }

        /// A computed change counts once, even if the file is written twice.
        @Test func `A change beside a reset setting is made once for each key`() throws {
            try Way.thereAndBack.happen(to: "a", in: scratch.defaults)
            for round in 2...4 as ClosedRange<Int64> {
                try scratch.domain.change(settingAsideDamage: false) { content in
                    SuiteEdit(values: content.values.mapValues { .int(($0.int ?? 0) + 1) })
                }
                try expect(["a": .int(round), "b": .int(round)])
                try scratch.defaults.set(9, forKey: "b")
                try scratch.defaults.set(Int(round), forKey: "b")
            }
        }

        /// As another thread would, between reading and writing.
        @Test func `A setting made during a change is kept and does not prevent the change`() throws {
            var calls = 0
            try scratch.domain.change(settingAsideDamage: false) { content throws(DefaultsError) in
                calls += 1
                if calls == 1, let defaults = try? scratch.defaults {
                    defaults.set(5, forKey: "a")
                    defaults.set(6, forKey: "c")
                }
                return SuiteEdit(values: ["b": .int((content.values["a"]?.int ?? 0) * 10)])
            }
            #expect(calls == 2)
            try expect(["a": 5, "b": 50, "c": 6])
        }

        /// A child process, because a change of any other suite makes the library save this one too.
        @Test func `A change succeeds while the app keeps setting another key`() async {
            await #expect(processExitsWith: .success) {
                let scratch = try ScratchSuite(["a": 1, "b": 1])
                var calls = 0
                try scratch.domain.change(settingAsideDamage: false) { _ throws(DefaultsError) in
                    calls += 1
                    (try? scratch.defaults)?.set(calls * 100, forKey: "a")
                    return SuiteEdit(values: ["b": 2])
                }
                #expect(calls == 2)
                #expect(try scratch.otherFiles() == [])
                #expect(try scratch.values == ["a": .int(Int64(calls * 100)), "b": 2])
            }
        }

        @Test func `A change fails with an error while the app keeps setting the same key`() throws {
            var calls = 0
            let error = #expect(throws: DefaultsError.self) {
                try scratch.domain.change(settingAsideDamage: false) { content throws(DefaultsError) in
                    calls += 1
                    (try? scratch.defaults)?.set(calls * 100, forKey: "b")
                    return SuiteEdit(values: ["b": 2])
                }
            }
            #expect(error?.code == .readBackFailed)
            #expect(error?.key == "b")
            #expect(try scratch.otherFiles() == [])
            try expect(["a": 1, "b": .int(Int64(calls * 100))])
        }

        /// As if another process, or a thread of the app, were writing the file.
        @Test(arguments: ["", "<?xml version"])
        func `A file truncated during a change loses nothing`(left: String) throws {
            var calls = 0
            try scratch.domain.change(settingAsideDamage: false) { content throws(DefaultsError) in
                calls += 1
                if calls == 1, let file = try? scratch.file { try? Data(left.utf8).write(to: file) }
                return SuiteEdit(values: ["b": 2])
            }
            #expect(calls == 1)
            try expect(["a": 1, "b": 2])
        }

        /// The library saves all suites of the process at once.
        @Test func `Unsaved settings of another suite are saved along, as synchronize would save them`() async throws {
            await #expect(processExitsWith: .success) {
                let (scratch, other) = (try ScratchSuite(["a": 1]), try ScratchSuite(["a": 1, "b": 1]))
                for way in Way.allCases { try way.happen(to: "a", in: other.defaults) }
                try other.defaults.set(5, forKey: "unsaved")
                // Written by another process and not yet read by this one.
                let objects = ["a": 1, "b": 7]
                let bytes = try PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0)
                try bytes.write(to: other.file)
                try Way.thereAndBack.happen(to: "a", in: scratch.defaults)
                try scratch.suite.set(2, forKey: "a")
                try scratch.suite.synchronize()
                #expect(try scratch.values == ["a": 2])
                let saved = try PropertyListReader.value(Data(contentsOf: other.file))
                #expect(saved == ["a": 1, "b": 7, "unsaved": 5])
                #expect(try other.values == ["a": 1, "b": 7, "unsaved": 5])
                for suite in [scratch, other] { #expect(try suite.otherFiles() == []) }
            }
        }

        @Test func `Concurrent writes through UserDefaults and Molt are all kept`() async throws {
            let (suite, name) = (scratch.suite, scratch.name)
            let rounds = 200
            await withCheckedContinuation { done in
                Thread.detachNewThread {
                    let defaults = UserDefaults(suiteName: name)
                    for round in 1...rounds {
                        defaults?.set(round, forKey: "a")
                        defaults?.set(round, forKey: "app \(round)")
                        usleep(100)
                    }
                    done.resume()
                }
                for round in 1...30 {
                    do { try suite.set(.int(Int64(round)), forKey: "molt \(round)") } catch { Issue.record(error) }
                }
            }
            let values = try scratch.values
            #expect(values["a"] == .int(Int64(rounds)))
            #expect((1...rounds).allSatisfy { values["app \($0)"] == .int(Int64($0)) })
            #expect((1...30).allSatisfy { values["molt \($0)"] == .int(Int64($0)) })
        }

        @Test func `A reset setting does not hide a value that the app sets afterwards`() throws {
            try Way.thereAndBack.happen(to: "a", in: scratch.defaults)
            try scratch.suite.set(2, forKey: "a")
            try scratch.defaults.set(3, forKey: "a")
            try scratch.suite.set(2, forKey: "b")
            try expect(["a": 3, "b": 2])
        }
    }

    /// A child process hides the directory above the tests' own.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `A suite whose directory is missing` {
        @Test func `The directory is created when there is something to write, and not before`() async throws {
            await #expect(processExitsWith: .success) {
                let home = try TestHome.directory
                try #require(Mounts.mountVolume(of: 1000, on: home.deletingLastPathComponent()))
                func isThere() -> Bool { FileManager.default.fileExists(atPath: home.path) }
                let scratch = ScratchSuite(named: TestHome.newSuiteName())
                let unsaved = ScratchSuite(named: TestHome.newSuiteName())
                try unsaved.defaults.set(1, forKey: "unsaved")
                // The library would create the directory to save this value.
                try unsaved.domain.change(settingAsideDamage: false) { content in
                    content.values == ["unsaved": 1] ? SuiteEdit() : SuiteEdit(values: ["wrong": 1])
                }
                #expect(!isThere())
                try scratch.domain.change(settingAsideDamage: false) { _ in SuiteEdit() }
                try scratch.domain.write(set: [:])
                try scratch.suite.update()
                #expect(!isThere())
                let error = #expect(throws: DefaultsError.self) {
                    try scratch.domain.change(settingAsideDamage: false) { _ in
                        SuiteEdit(values: ["a": .date(.distantPast.addingTimeInterval(-.infinity))])
                    }
                }
                #expect(error?.code == .cannotStore)
                #expect(!isThere())
                try scratch.domain.change(settingAsideDamage: false) { content in
                    SuiteEdit(values: ["a": .int(Int64(content.values.count))])
                }
                #expect(try scratch.values == ["a": 0])
                try unsaved.domain.write(set: ["a": 1])
                #expect(try unsaved.values == ["unsaved": 1, "a": 1])
            }
        }
    }
#endif
