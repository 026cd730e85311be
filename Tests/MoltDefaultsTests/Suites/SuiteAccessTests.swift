import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite struct `A live suite` {
    let scratch = ScratchSuite(named: TestHome.newSuiteName())
    var suite: Suite { scratch.suite }

    @Test func `reads back what was set, and UserDefaults sees it`() throws {
        try suite.set(["a": [1, true]], forKey: "key")
        #expect(try suite.value(forKey: "key") == ["a": [1, true]])
        let dictionary = try #require(try scratch.defaults.dictionary(forKey: "key"))
        #expect(try PropertyListValue(normalizing: dictionary) == ["a": [1, true]])
        try suite.removeValue(forKey: "key")
        try suite.removeValue(forKey: "never there")
        #expect(try suite.value(forKey: "key") == nil)
        #expect(try suite.values() == [:])
    }

    @Test func `reads unsaved values of UserDefaults`() throws {
        try suite.set(1, forKey: "saved")
        try scratch.defaults.set("text", forKey: "unsaved")
        try scratch.defaults.set(2, forKey: "saved")
        #expect(try suite.value(forKey: "unsaved") == "text")
        #expect(try suite.value(forKey: "saved") == 2)
        try suite.set(3, forKey: "other")
        #expect(try suite.values() == ["saved": 2, "unsaved": "text", "other": 3])
        try scratch.defaults.removeObject(forKey: "saved")
        #expect(try suite.value(forKey: "saved") == nil)
        #expect(try suite.values() == ["unsaved": "text", "other": 3])
    }

    @Test func `ignores registered defaults, in a named suite and in the app's own settings`() throws {
        let key = "registered \(UUID().uuidString)"
        UserDefaults.standard.register(defaults: [key: 1])
        for suite in [suite, .standard] {
            #expect(try suite.value(forKey: key) == nil)
            #expect(try suite.values()[key] == nil)
            try suite.set(1, forKey: key)
            #expect(try suite.value(forKey: key) == 1)
            #expect(try suite.values()[key] == 1)
            try suite.removeValue(forKey: key)
            #expect(try suite.value(forKey: key) == nil)
        }
    }

    @Test func `reads the app's own settings, unsaved values included`() throws {
        let key = "own \(UUID().uuidString)"
        defer { try? Suite.standard.removeValue(forKey: key) }
        UserDefaults.standard.set([true], forKey: key)
        #expect(try Suite.standard.value(forKey: key) == [true])
        #expect(try Suite.standard.values()[key] == [true])
        try Suite.standard.set("new", forKey: key)
        #expect(UserDefaults.standard.string(forKey: key) == "new")
    }

    @Test func `stores none of several values if one of them cannot be stored`() throws {
        try suite.set(1, forKey: "a")
        let deep = (1..<201).reduce([]) { (inner: PropertyListValue, _) in [inner] }
        #expect(throws: MoltError.self) {
            try suite.update(set: ["a": 2, "deep": deep], remove: ["a"])
        }?.expect(.cannotStore, key: "deep", store: scratch.name)
        #expect(try suite.values() == ["a": 1])
    }

    @Test func `refuses a key that differs from another one in its Unicode form alone`() throws {
        try suite.set(1, forKey: "caf\u{E9}")
        let error = #expect(throws: MoltError.self) { try suite.set(2, forKey: "cafe\u{301}") }
        #expect(error?.code == .cannotStore)
        #expect(
            error?.message
                == "The suite has a key that differs from this one in its Unicode form alone. Use the same form."
        )
        try suite.set(3, forKey: "caf\u{E9}")
        #expect(try suite.values() == ["caf\u{E9}": 3])
    }

    @Test func `loses nothing when several threads write at once`() throws {
        let suite = suite
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            do {
                try suite.set(.int(Int64(number)), forKey: "\(number)")
                try suite.set(.int(Int64(number)), forKey: "of all")
            } catch {
                Issue.record(error)
            }
        }
        #expect(try suite.values().count == 41)
    }

    #if os(Linux)
        @Test func `leaves no file when it is erased`() throws {
            try suite.upgrade(with: [Migration(to: 1, "set", .settings(in: suite) { try $0.set(1, forKey: "a") })])
            try suite.backUp()
            suite.erase()
            #expect(try scratch.otherFiles() == [])
            #expect(try !FileManager.default.fileExists(atPath: scratch.file.path))
        }
    #endif
}

#if os(Linux)
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
