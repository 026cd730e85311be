import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `A live suite` {
    let scratch = ScratchSuite(named: TestHome.newSuiteName())
    var suite: Suite { scratch.suite }

    @Test func `reads back what was set, and UserDefaults sees it`() throws {
        try suite.set(["a": [1, true]], forKey: "key")
        let value = try suite.value(forKey: "key")
        #expect(value == ["a": [1, true]])
        let dictionary = try #require(try scratch.defaults.dictionary(forKey: "key"))
        try expect(PropertyListValue(normalizing: dictionary), is: value)
        try suite.removeValue(forKey: "key")
        try suite.removeValue(forKey: "never there")
        try expect(suite.value(forKey: "key"), is: nil)
        try scratch.expect([:])
    }

    @Test func `reads unsaved values of UserDefaults`() throws {
        let defaults = try scratch.defaults
        try suite.set(1, forKey: "saved")
        defaults.set("text", forKey: "unsaved")
        defaults.set(2, forKey: "saved")
        try expect([suite.value(forKey: "unsaved"), suite.value(forKey: "saved")], is: ["text", 2])
        try suite.set(3, forKey: "other")
        try scratch.expect(["saved": 2, "unsaved": "text", "other": 3])
        defaults.removeObject(forKey: "saved")
        try expect(suite.value(forKey: "saved"), is: nil)
        try scratch.expect(["unsaved": "text", "other": 3])
    }

    @Test func `ignores registered defaults, in a named suite and in the app's own settings`() throws {
        let key = "registered \(UUID().uuidString)"
        UserDefaults.standard.register(defaults: [key: 1])
        for suite in [suite, .standard] {
            func found() throws -> [PropertyListValue?] {
                try [suite.value(forKey: key), suite.values()[key]]
            }
            try expect(found(), is: [nil, nil])
            try suite.set(1, forKey: key)
            try expect(found(), is: [1, 1])
            try suite.removeValue(forKey: key)
            try expect(found(), is: [nil, nil])
        }
    }

    @Test func `reads the app's own settings, unsaved values included`() throws {
        let key = "own \(UUID().uuidString)"
        defer { try? Suite.standard.removeValue(forKey: key) }
        UserDefaults.standard.set([true], forKey: key)
        try expect([Suite.standard.value(forKey: key), Suite.standard.values()[key]], is: [[true], [true]])
        try Suite.standard.set("new", forKey: key)
        #expect(UserDefaults.standard.string(forKey: key) == "new")
    }

    @Test func `stores none of several values if one of them cannot be stored`() throws {
        try suite.set(1, forKey: "a")
        let deep = (1..<201).reduce([]) { (inner: PropertyListValue, _) in [inner] }
        MoltError.thrown {
            try suite.update(set: ["a": 2, "deep": deep], remove: ["a"])
        }?.expect(.cannotStore, key: "deep", store: scratch.name)
        try scratch.expect(["a": 1])
    }

    @Test func `refuses a key that differs from another one in its Unicode form alone`() throws {
        try suite.set(1, forKey: "caf\u{E9}")
        let message =
            "have a key that differs from \"cafe\u{301}\" in its Unicode form alone. Use the form that it has."
        let error = MoltError.thrown { try suite.set(2, forKey: "cafe\u{301}") }
        error?.expect(.cannotStore)
        #expect(error?.message == "The settings in \(suite.attachedName) \(message)")
        try suite.set(3, forKey: "caf\u{E9}")
        try scratch.expect(["caf\u{E9}": 3])
    }

    #if os(Linux)
        @Test func `leaves no file when it is erased`() throws {
            try suite.upgrade(with: [Migration(to: 1, "set", .changeSettings(in: suite) { try $0.set(1, forKey: "a") })]
            )
            try suite.backUp()
            suite.erase()
            try expect(scratch.otherFiles(), is: [])
            #expect(!FileManager.default.fileExists(atPath: try scratch.file.path))
        }
    #endif
}

#if os(Linux)
    @Suite struct `Settings that the app sets through UserDefaults` {
        let scratch = ScratchSuite(named: TestHome.newSuiteName())

        @Test func `Settings are read, saved or not, in the form that the suite will store`() throws {
            let (defaults, values) = (try scratch.defaults, `Values from UserDefaults`.values)
            try scratch.expect([:])
            for (key, value) in values { defaults.set(value.object, forKey: key) }
            try scratch.expect(values)
            defaults.set(NSNumber(value: UInt64(5)), forKey: "small")
            defaults.set(NSNumber(value: Int8(1)), forKey: "narrow")
            defaults.set(Float(0.5), forKey: "float")
            defaults.set("é e\u{301} 🦄", forKey: "wide")
            defaults.set(Date(timeIntervalSinceReferenceDate: 1.75), forKey: "date")
            // It differs from the old text only after a NUL.
            defaults.set("a\u{0}b", forKey: "text")
            let changed: [String: PropertyListValue] = [
                "small": 5, "narrow": 1, "float": 0.5, "wide": "é e\u{301} 🦄",
                "date": .date(Date(timeIntervalSinceReferenceDate: 1)), "text": "a\u{0}b",
            ]
            let more = values.merging(changed) { $1 }
            try scratch.expect(more)
            try scratch.expectFile(more)
        }

        @Test func `A setting that equals its registered default is saved on request`() throws {
            let key = "registered \(UUID().uuidString)"
            defer { try? Suite.standard.removeValue(forKey: key) }
            UserDefaults.standard.register(defaults: [key: 1])
            try Suite.standard.synchronize()
            try expect(Suite.standard.values()[key], is: nil)
            UserDefaults.standard.set(1, forKey: key)
            try Suite.standard.synchronize()
            try expect(Suite.standard.values()[key], is: 1)
            let saved = try PropertyListReader.value(ScratchSuite(named: Suite.standard.domainName).bytes).dictionary
            #expect(saved?[key] == 1)
        }
    }
#endif
