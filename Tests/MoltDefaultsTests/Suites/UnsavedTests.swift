#if os(Linux)
    import Foundation
    @testable import Molt
    import Testing

    @Suite struct `Settings that the app sets through UserDefaults` {
        let scratch = ScratchSuite(named: TestHome.newSuiteName())

        @Test func `Settings are read, saved or not`() throws {
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

        @Test func `Unsaved settings are read in the form that the suite will store`() throws {
            let date = Date(timeIntervalSinceReferenceDate: 1.75)
            try scratch.suite.set(1, forKey: "other")
            try scratch.defaults.set(date, forKey: "date")
            #expect(try scratch.values["date"] == .date(Date(timeIntervalSinceReferenceDate: 1)))
        }

        @Test func `A string that differs only after a NUL is saved`() throws {
            try scratch.suite.set("a", forKey: "text")
            let text = "a\u{0}b"
            try scratch.defaults.set(text, forKey: "text")
            try scratch.suite.synchronize()
            #expect(try scratch.suite.values()["text"] == .string(text))
        }

        @Test func `A setting that equals its registered default is saved on request`() throws {
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
    }
#endif
