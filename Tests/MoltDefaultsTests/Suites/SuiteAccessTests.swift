import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite struct `A live suite` {
    let scratch = ScratchSuite(named: TestHome.newSuiteName())
    var suite: Suite { scratch.suite }

    @Test func `reads back what was set, and UserDefaults sees it`() throws {
        try suite.set(["a": [1, true]], forKey: "key")
        let value = try suite.value(forKey: "key")
        #expect(value == ["a": [1, true]])
        let dictionary = try #require(try scratch.defaults.dictionary(forKey: "key"))
        let normalized = try PropertyListValue(normalizing: dictionary)
        #expect(normalized == value)
        try suite.removeValue(forKey: "key")
        try suite.removeValue(forKey: "never there")
        let removed = try suite.value(forKey: "key")
        #expect(removed == nil)
        try scratch.expect([:])
    }

    @Test func `reads unsaved values of UserDefaults`() throws {
        let defaults = try scratch.defaults
        try suite.set(1, forKey: "saved")
        defaults.set("text", forKey: "unsaved")
        defaults.set(2, forKey: "saved")
        var values = try ["unsaved", "saved"].map { try suite.value(forKey: $0) }
        #expect(values == ["text", 2])
        try suite.set(3, forKey: "other")
        try scratch.expect(["saved": 2, "unsaved": "text", "other": 3])
        defaults.removeObject(forKey: "saved")
        values = try ["unsaved", "saved"].map { try suite.value(forKey: $0) }
        #expect(values == ["text", nil])
        try scratch.expect(["unsaved": "text", "other": 3])
    }

    @Test func `ignores registered defaults, in a named suite and in the app's own settings`() throws {
        let key = "registered \(UUID().uuidString)"
        UserDefaults.standard.register(defaults: [key: 1])
        for suite in [suite, .standard] {
            func found() throws -> [PropertyListValue?] {
                try [suite.value(forKey: key), suite.values()[key]]
            }
            var values = try found()
            #expect(values == [nil, nil])
            try suite.set(1, forKey: key)
            values = try found()
            #expect(values == [1, 1])
            try suite.removeValue(forKey: key)
            values = try found()
            #expect(values == [nil, nil])
        }
    }

    @Test func `reads the app's own settings, unsaved values included`() throws {
        let key = "own \(UUID().uuidString)"
        defer { try? Suite.standard.removeValue(forKey: key) }
        UserDefaults.standard.set([true], forKey: key)
        let values = try [Suite.standard.value(forKey: key), Suite.standard.values()[key]]
        #expect(values == [[true], [true]])
        try Suite.standard.set("new", forKey: key)
        #expect(UserDefaults.standard.string(forKey: key) == "new")
    }

    @Test func `stores none of several values if one of them cannot be stored`() throws {
        try suite.set(1, forKey: "a")
        let deep = (1..<201).reduce([]) { (inner: PropertyListValue, _) in [inner] }
        failure {
            try suite.update(set: ["a": 2, "deep": deep], remove: ["a"])
        }?.expect(.cannotStore, key: "deep", store: scratch.name)
        try scratch.expect(["a": 1])
    }

    @Test func `refuses a key that differs from another one in its Unicode form alone`() throws {
        try suite.set(1, forKey: "caf\u{E9}")
        let message = "The suite has a key that differs from this one in its Unicode form alone. Use the same form."
        failure { try suite.set(2, forKey: "cafe\u{301}") }?.expect(.cannotStore, says: message)
        try suite.set(3, forKey: "caf\u{E9}")
        try scratch.expect(["caf\u{E9}": 3])
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
        let values = try scratch.values
        #expect(values.count == 41)
    }

    #if os(Linux)
        @Test func `leaves no file when it is erased`() throws {
            try suite.upgrade(with: [Migration(to: 1, "set", .settings(in: suite) { try $0.set(1, forKey: "a") })])
            try suite.backUp()
            suite.erase()
            let files = try scratch.otherFiles()
            #expect(files == [])
            #expect(!FileManager.default.fileExists(atPath: try scratch.file.path))
        }
    #endif
}

#if os(Linux)
    @Suite struct `Settings that the app sets through UserDefaults` {
        let scratch = ScratchSuite(named: TestHome.newSuiteName())

        @Test func `Settings are read, saved or not`() throws {
            let (defaults, values) = (try scratch.defaults, `Values from UserDefaults`.values)
            try scratch.expect([:])
            for (key, value) in values { defaults.set(value.object, forKey: key) }
            try scratch.expect(values)
            defaults.set(NSNumber(value: UInt64(5)), forKey: "small")
            defaults.set(NSNumber(value: Int8(1)), forKey: "narrow")
            defaults.set(Float(0.5), forKey: "float")
            defaults.set("é e\u{301} 🦄", forKey: "wide")
            let more = values.merging(["small": 5, "narrow": 1, "float": 0.5, "wide": "é e\u{301} 🦄"]) { $1 }
            try scratch.expect(more)
            let isInFile = try scratch.file(has: more)
            #expect(isInFile)
        }

        @Test func `Unsaved settings are read in the form that the suite will store`() throws {
            try scratch.suite.set(1, forKey: "other")
            try scratch.defaults.set(Date(timeIntervalSinceReferenceDate: 1.75), forKey: "date")
            try scratch.expect(["other": 1, "date": .date(Date(timeIntervalSinceReferenceDate: 1))])
        }

        @Test func `A string that differs only after a NUL is saved`() throws {
            try scratch.suite.set("a", forKey: "text")
            try scratch.defaults.set("a\u{0}b", forKey: "text")
            try scratch.suite.synchronize()
            try scratch.expect(["text": "a\u{0}b"])
        }

        @Test func `A setting that equals its registered default is saved on request`() throws {
            let key = "registered \(UUID().uuidString)"
            defer { try? Suite.standard.removeValue(forKey: key) }
            UserDefaults.standard.register(defaults: [key: 1])
            try Suite.standard.synchronize()
            var value = try Suite.standard.values()[key]
            #expect(value == nil)
            UserDefaults.standard.set(1, forKey: key)
            try Suite.standard.synchronize()
            value = try Suite.standard.values()[key]
            #expect(value == 1)
            let saved = try PropertyListReader.value(ScratchSuite(named: Suite.standard.domainName).bytes).dictionary
            #expect(saved?[key] == 1)
        }
    }
#endif
