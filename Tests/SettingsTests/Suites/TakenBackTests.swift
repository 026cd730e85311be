#if os(Linux)
    import Foundation
    import Molt
    import Testing

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

        @Test(arguments: Way.allCases)
        func `A reset setting does not undo an upgrade`(way: Way) throws {
            for key in ["a", "b"] { try way.happen(to: key, in: scratch.defaults) }
            let suite = scratch.suite
            let change = MigrationStep.changeSettings(in: suite) { settings in
                try settings.set(2, forKey: way.name("a"))
                try settings.removeValue(forKey: "b")
            }
            try suite.upgrade(with: [Migration(to: 1, "change", change)])
            let expected: [String: PropertyListValue] = way == .setAndRemoved ? ["a": 1, "new a": 2] : ["a": 2]
            try scratch.expect(expected, history: ["change"])
            try expect(suite.pendingJournal(), is: [])
        }

        @Test func `Concurrent writes of several threads through UserDefaults and Molt are all kept`() async throws {
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
                DispatchQueue.concurrentPerform(iterations: 30) { round in
                    do { try suite.set(.int(Int64(round)), forKey: "molt \(round)") } catch { Issue.record(error) }
                }
            }
            var expected: [String: PropertyListValue] = ["a": .int(Int64(rounds)), "b": 1]
            for round in 1...rounds { expected["app \(round)"] = .int(Int64(round)) }
            for round in 0..<30 { expected["molt \(round)"] = .int(Int64(round)) }
            try scratch.expect(expected)
        }
    }
#endif
