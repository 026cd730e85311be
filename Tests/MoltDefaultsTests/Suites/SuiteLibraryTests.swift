#if os(Linux)
    import Foundation
    import MoltDefaults
    import Testing

    @Suite struct `What UserDefaults has in memory` {
        let scratch = ScratchSuite(named: TestHome.newSuiteName())

        @Test func `is seen without it, saved or not`() throws {
            let values = `Values from UserDefaults`.values.filter { $0.key != "text" }
            #expect(SuiteLibrary.values(of: scratch.suite) == [:])
            for (key, value) in values { try scratch.defaults.set(value.object, forKey: key) }
            #expect(SuiteLibrary.values(of: scratch.suite) == values)
            try scratch.defaults.set(NSNumber(value: UInt64(5)), forKey: "small")
            try scratch.defaults.set(NSNumber(value: Int8(1)), forKey: "narrow")
            try scratch.defaults.set(Float(0.5), forKey: "float")
            try scratch.defaults.set("é e\u{301} 🦄", forKey: "wide")
            let more = values.merging(["small": 5, "narrow": 1, "float": 0.5, "wide": "é e\u{301} 🦄"]) { $1 }
            #expect(SuiteLibrary.values(of: scratch.suite) == more)
            try scratch.suite.synchronize()
            #expect(SuiteLibrary.values(of: scratch.suite) == more)
            #expect(try scratch.values == more)
        }

        /// A fraction of a second that is not in the file yet is a change that is not saved.
        @Test func `is seen as it is, and not as it will be saved`() throws {
            let date = Date(timeIntervalSinceReferenceDate: 1.75)
            try scratch.defaults.set(date, forKey: "date")
            #expect(SuiteLibrary.values(of: scratch.suite) == ["date": .date(date)])
        }

        @Test func `is asked of UserDefaults itself where a text has a NUL in it`() throws {
            let text = "a\u{0}b"
            try scratch.defaults.set(text, forKey: "text")
            #expect(SuiteLibrary.values(of: scratch.suite) == nil)
            #expect(try scratch.values == ["text": .string(text)])
            try scratch.suite.set(1, forKey: "other")
            #expect(try scratch.values == ["text": .string(text), "other": 1])
        }

        @Test func `is not taken for what is saved when only its beginning, up to a NUL, is the same`() throws {
            try scratch.suite.set("a", forKey: "text")
            let text = "a\u{0}b"
            try scratch.defaults.set(text, forKey: "text")
            try scratch.suite.synchronize()
            #expect(try scratch.suite.values()["text"] == .string(text))
        }

        @Test func `has no registered default in it, in the app's own settings either`() throws {
            let (registered, own) = ("registered \(UUID().uuidString)", "own \(UUID().uuidString)")
            defer { UserDefaults.standard.removeObject(forKey: own) }
            UserDefaults.standard.register(defaults: [registered: 1])
            UserDefaults.standard.set(2, forKey: own)
            let values = try #require(SuiteLibrary.values(of: .standard))
            #expect(values[registered] == nil)
            #expect(values[own] == 2)
            // What is set to what is registered is a setting, all the same.
            UserDefaults.standard.set(1, forKey: registered)
            defer { UserDefaults.standard.removeObject(forKey: registered) }
            #expect(try Suite.standard.values()[registered] == 1)
        }
    }
#endif
