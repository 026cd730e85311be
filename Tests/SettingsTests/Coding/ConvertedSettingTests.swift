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

    @Test func `unless the key has a coding of its own`() throws {
        let scratch = try ScratchSuite(["key": "YES"])
        let exact = SettingKey<Bool>("key", coding: Bool.settingCoding, default: false)
        MoltError.thrown { try scratch.suite.value(for: exact) }?.expect(.typeMismatch, key: "key")
        let key = SettingKey<Bool>("key", default: false)
        #expect(try scratch.suite.value(for: key))
        try scratch.suite.set(false, for: key)
        try scratch.expect(["key": false])
    }
}
