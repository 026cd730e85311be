import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `A typed key reads what other code has written` {
    private func read<Value: SettingValue>(
        _ type: Value.Type,
        _ stored: PropertyListValue
    ) throws -> Value? {
        let scratch = try ScratchSuite(["key": stored])
        return try? scratch.suite.value(for: SettingKey<Value?>("key"))
    }

    @Test func `if it can mean only one thing`() throws {
        let booleans: [(PropertyListValue, Bool?)] = [
            ("YES", true), ("true", true), ("1", true), ("No", false), ("FALSE", false), ("0", false), (1, true),
            (0, false), (.double(1), true), ("on", nil), (2, nil), ("", nil), (.date(Date()), nil),
        ]
        for (stored, value) in booleans { #expect(try read(Bool.self, stored) == value, "\(stored)") }
        let integers: [(PropertyListValue, Int8?)] = [
            ("12", 12), ("-128", -128), ("128", nil), ("1.0", nil), (" 1", nil), ("", nil), (true, nil), (1, 1),
        ]
        for (stored, value) in integers { #expect(try read(Int8.self, stored) == value, "\(stored)") }
        let numbers: [(PropertyListValue, Double?)] = [
            ("1.5", 1.5), ("-2e3", -2000), ("0x1p3", nil), ("inf", nil), ("nan", nil), ("1e999", nil), (true, nil),
            ("", nil),
        ]
        for (stored, value) in numbers { #expect(try read(Double.self, stored) == value, "\(stored)") }
        #expect(try read(Float.self, "1.5") == 1.5)
        #expect(try read(CGFloat.self, "1.5") == 1.5)
        #expect(try read(String.self, 12) == nil)
        #expect(try read(String.self, true) == nil)
        #expect(try read([Int].self, "1") == nil)
    }

    @Test func `such as URLs of UserDefaults`() throws {
        let scratch = try ScratchSuite()
        let key = SettingKey<URL?>("url")
        let file = URL(fileURLWithPath: "/tmp/a b")
        try scratch.defaults.set(file, forKey: "url")
        try scratch.suite.synchronize()
        #expect(try scratch.suite.value(for: key)?.absoluteString == file.absoluteString)
        try scratch.suite.set("~/x", forKey: "url")
        #expect(try scratch.suite.value(for: key)?.path == NSHomeDirectory() + "/x")
        let web = try #require(URL(string: "https://example.com/a?b=c"))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: web as NSURL, requiringSecureCoding: true)
        try scratch.suite.set(.data(archive), forKey: "url")
        #expect(try scratch.suite.value(for: key) == web)
        let plain = SettingKey<URL>("url", default: file)
        #expect(try scratch.suite.value(for: plain) == web)
        // What Molt writes is JSON text, which no path looks like.
        try scratch.suite.set(file, for: plain)
        #expect(try scratch.suite.value(for: plain).absoluteString == file.absoluteString)
        let exact = SettingKey<URL>("url", coding: URL.settingCoding, default: file)
        try scratch.suite.set(.data(archive), forKey: "url")
        MoltError.thrown { try scratch.suite.value(for: exact) }?.expect(.typeMismatch, key: "url")
    }

    @Test func `unless the key has a coding of its own`() throws {
        let scratch = try ScratchSuite(["key": "YES"])
        let exact = SettingKey<Bool>("key", coding: Bool.settingCoding, default: false)
        let error = try #require(MoltError.thrown { try scratch.suite.value(for: exact) })
        error.expect(.typeMismatch, key: "key")
        #expect(error.store == scratch.name)
        let key = SettingKey<Bool>("key", default: false)
        #expect(try scratch.suite.value(for: key))
        try scratch.suite.set(false, for: key)
        try scratch.expect(["key": false])
    }
}
