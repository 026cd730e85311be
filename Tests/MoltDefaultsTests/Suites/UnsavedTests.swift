#if os(Linux)
    import Foundation
    import MoltDefaults
    import Testing

    @Suite struct `What the app has set through UserDefaults` {
        let scratch = ScratchSuite(named: TestHome.newSuiteName())

        @Test func `is read, saved or not`() throws {
            let values = `Values from UserDefaults`.values
            #expect(try scratch.values == [:])
            for (key, value) in values { try scratch.defaults.set(value.object, forKey: key) }
            #expect(try scratch.values == values)
            #expect(FileManager.default.fileExists(atPath: try scratch.file.path))
            try scratch.defaults.set(NSNumber(value: UInt64(5)), forKey: "small")
            try scratch.defaults.set(NSNumber(value: Int8(1)), forKey: "narrow")
            try scratch.defaults.set(Float(0.5), forKey: "float")
            try scratch.defaults.set("é e\u{301} 🦄", forKey: "wide")
            let more = values.merging(["small": 5, "narrow": 1, "float": 0.5, "wide": "é e\u{301} 🦄"]) { $1 }
            #expect(try scratch.values == more)
            #expect(try PropertyListReader.value(Data(contentsOf: scratch.file)) == .dictionary(more))
        }

        @Test func `is saved as a suite keeps it when it is read`() throws {
            let date = Date(timeIntervalSinceReferenceDate: 1.75)
            try scratch.suite.set(1, forKey: "other")
            try scratch.defaults.set(date, forKey: "date")
            #expect(try scratch.values["date"] == .date(Date(timeIntervalSinceReferenceDate: 1)))
        }

        @Test func `may have a NUL in a text`() throws {
            let text = "a\u{0}b"
            try scratch.defaults.set(text, forKey: "text")
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

        @Test func `is saved on request also when it equals its registered default`() throws {
            let key = "registered \(UUID().uuidString)"
            defer { try? Suite.standard.removeValue(forKey: key) }
            UserDefaults.standard.register(defaults: [key: 1])
            try Suite.standard.synchronize()
            #expect(try Suite.standard.values()[key] == nil)
            UserDefaults.standard.set(1, forKey: key)
            try Suite.standard.synchronize()
            #expect(try Suite.standard.values()[key] == 1)
            let file = try TestHome.directory.appending(path: "\(Suite.standard.domainName).plist")
            #expect(try PropertyListReader.value(Data(contentsOf: file)).dictionary?[key] == 1)
        }

        @Test func `has no registered default in it, in the app's own settings either`() throws {
            let (registered, own) = ("registered \(UUID().uuidString)", "own \(UUID().uuidString)")
            defer {
                try? Suite.standard.removeValue(forKey: own)
                try? Suite.standard.removeValue(forKey: registered)
            }
            UserDefaults.standard.register(defaults: [registered: 1])
            UserDefaults.standard.set(2, forKey: own)
            let values = try Suite.standard.values()
            #expect(values[registered] == nil)
            #expect(values[own] == 2)
            UserDefaults.standard.set(3, forKey: registered)
            #expect(try Suite.standard.values()[registered] == 3)
        }
    }
#endif
