#if os(Linux)
    import Foundation
    import MoltCore
    import MoltDefaults
    import Testing
    import TestSupport

    /// `UserDefaults` then has the key down as unsaved, though what it has is what the file has.
    @Suite struct `What the app has set and taken back before it was saved` {
        enum Way: CaseIterable, Sendable {
            case setAndRemoved
            case thereAndBack
            case removedAndBack

            /// Does it, in a suite where every key but those with a "new" in them is 1.
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

            /// The key that it happens to.
            func name(_ key: String) -> String { self == .setAndRemoved ? "new \(key)" : key }
        }

        let scratch: ScratchSuite

        init() throws {
            scratch = try ScratchSuite(["a": 1, "b": 1])
        }

        /// What is seen by the app, by one who reads the file, and after the app has saved all that it has.
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
        func `is not put over what is set after it, of the same key`(way: Way) throws {
            try way.happen(to: "a", in: scratch.defaults)
            try scratch.suite.set(2, forKey: way.name("a"))
            try expect(["a": 1, "b": 1].merging([way.name("a"): 2]) { $1 })
        }

        @Test(arguments: Way.allCases)
        func `leaves another key, and what is set, as they are`(way: Way) throws {
            try way.happen(to: "b", in: scratch.defaults)
            try scratch.suite.set(2, forKey: "a")
            try expect(["a": 2, "b": 1])
        }

        @Test(arguments: [Way.thereAndBack, .removedAndBack])
        func `does not bring a key back that is removed after it`(way: Way) throws {
            try way.happen(to: "a", in: scratch.defaults)
            try scratch.suite.removeValue(forKey: "a")
            try expect(["b": 1])
        }

        @Test func `does not bring back the last key`() throws {
            try scratch.suite.removeValue(forKey: "b")
            try Way.thereAndBack.happen(to: "a", in: scratch.defaults)
            try scratch.suite.removeValue(forKey: "a")
            #expect(try scratch.defaults.object(forKey: "a") == nil)
            #expect(try scratch.defaults.synchronize())
            #expect(try scratch.values == [:])
        }

        @Test func `does not take the first key away`() throws {
            let scratch = try ScratchSuite()
            try scratch.defaults.set(9, forKey: "a")
            try scratch.defaults.removeObject(forKey: "a")
            try scratch.suite.set(2, forKey: "a")
            #expect(try scratch.values == ["a": 2])
            #expect(try scratch.defaults.integer(forKey: "a") == 2)
        }

        @Test(arguments: Way.allCases)
        func `does not undo an upgrade`(way: Way) throws {
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

        /// A change that follows from what is there is made once, whatever has to be written twice.
        @Test func `has each key changed once`() throws {
            try Way.thereAndBack.happen(to: "a", in: scratch.defaults)
            for round in 2...4 as ClosedRange<Int64> {
                try scratch.domain.change(settingAsideDamage: false) { values in
                    SuiteEdit(values: values.mapValues { .int(($0.int ?? 0) + 1) })
                }
                try expect(["a": .int(round), "b": .int(round)])
                try scratch.defaults.set(9, forKey: "b")
                try scratch.defaults.set(Int(round), forKey: "b")
            }
        }

        /// As another thread would, between the reading and the writing.
        @Test func `is not lost, nor in the way, when the app sets it meanwhile`() throws {
            var calls = 0
            try scratch.domain.change(settingAsideDamage: false) { values throws(DefaultsError) in
                calls += 1
                if calls == 1, let defaults = try? scratch.defaults {
                    defaults.set(5, forKey: "a")
                    defaults.set(6, forKey: "c")
                }
                return SuiteEdit(values: ["b": .int((values["a"]?.int ?? 0) * 10)])
            }
            #expect(calls == 2)
            try expect(["a": 5, "b": 50, "c": 6])
        }

        @Test func `does not stand in the way when the app does not stop setting another key`() throws {
            var calls = 0
            try scratch.domain.change(settingAsideDamage: false) { values throws(DefaultsError) in
                calls += 1
                (try? scratch.defaults)?.set(calls * 100, forKey: "a")
                return SuiteEdit(values: ["b": 2])
            }
            #expect(calls == 2)
            #expect(try scratch.otherFiles() == [])
            try expect(["a": .int(Int64(calls * 100)), "b": 2])
        }

        @Test func `is told of when the app does not stop setting the same key`() throws {
            var calls = 0
            let error = #expect(throws: DefaultsError.self) {
                try scratch.domain.change(settingAsideDamage: false) { values throws(DefaultsError) in
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

        /// As another process, or a thread of the app, may be in the middle of its own writing.
        @Test(arguments: ["", "<?xml version"])
        func `and a file that is cut off when it is to be replaced lose nothing`(left: String) throws {
            var calls = 0
            try scratch.domain.change(settingAsideDamage: false) { values throws(DefaultsError) in
                calls += 1
                if calls == 1 { try? scratch.writeFile(left) }
                return SuiteEdit(values: ["b": 2])
            }
            #expect(calls == 1)
            try expect(["a": 1, "b": 2])
        }

        /// The library saves all suites of the process at once.
        @Test func `in another suite is saved along, as the app's own synchronize would save it`() async throws {
            await #expect(processExitsWith: .success) {
                let (scratch, other) = (try ScratchSuite(["a": 1]), try ScratchSuite(["a": 1, "b": 1]))
                for way in Way.allCases { try way.happen(to: "a", in: other.defaults) }
                try other.defaults.set(5, forKey: "unsaved")
                // As another process writes it, which nobody here has seen.
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

        @Test func `is all there after both roads were taken at the same time`() async throws {
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

        @Test func `does not hide what the app sets afterwards`() throws {
            try Way.thereAndBack.happen(to: "a", in: scratch.defaults)
            try scratch.suite.set(2, forKey: "a")
            try scratch.defaults.set(3, forKey: "a")
            try scratch.suite.set(2, forKey: "b")
            try expect(["a": 3, "b": 2])
        }
    }

    /// The directory above the tests' own is hidden from a child process.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `A suite whose directory is not there` {
        @Test func `gets one for what is to be written, and not before`() async throws {
            await #expect(processExitsWith: .success) {
                let home = try TestHome.directory
                try #require(Mounts.mountVolume(of: 1000, on: home.deletingLastPathComponent()))
                func isThere() -> Bool { FileManager.default.fileExists(atPath: home.path) }
                let scratch = ScratchSuite(named: TestHome.newSuiteName())
                let unsaved = ScratchSuite(named: TestHome.newSuiteName())
                try unsaved.defaults.set(1, forKey: "unsaved")
                // The library would make it to save that.
                try unsaved.domain.change(settingAsideDamage: false) { values in
                    values == ["unsaved": 1] ? SuiteEdit() : SuiteEdit(values: ["wrong": 1])
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
                try scratch.domain.change(settingAsideDamage: false) { values in
                    SuiteEdit(values: ["a": .int(Int64(values.count))])
                }
                #expect(try scratch.values == ["a": 0])
                try unsaved.domain.write(set: ["a": 1])
                #expect(try unsaved.values == ["unsaved": 1, "a": 1])
            }
        }
    }
#endif
