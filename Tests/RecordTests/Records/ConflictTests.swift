import Molt
import TestSupport
import Testing

@Suite struct `A property whose new place has a value` {
    private typealias Policy = ConflictPolicy<RecordValue>

    private static let merge = Policy.merge { value, other in value = [value, other] }

    private static let both = #"{"mail":"a","n":1,"email":"b"}"#

    @Test func `stays, replaces it, or is merged with it`() throws {
        let renamed: [(Policy, String)] = [
            (.keep, #"{"n":1,"email":"b"}"#), (.replace, #"{"email":"a","n":1}"#),
            (Self.merge, #"{"email":["b","a"],"n":1}"#),
        ]
        for (policy, text) in renamed {
            try expectChanged(Self.both, to: text) { try $0.rename("mail", to: "email", onConflict: policy) }
        }
        let moved: [(Policy, String)] = [
            (.keep, #"{"n":1,"email":"b"}"#), (.replace, #"{"n":1,"email":"a"}"#),
            (Self.merge, #"{"n":1,"email":["b","a"]}"#),
        ]
        for (policy, text) in moved {
            try expectChanged(Self.both, to: text) { try $0.move("mail", to: "email", onConflict: policy) }
        }
        let copied: [(Policy, String)] = [
            (.keep, Self.both), (.replace, #"{"mail":"a","n":1,"email":"a"}"#),
            (Self.merge, #"{"mail":"a","n":1,"email":["b","a"]}"#),
        ]
        for (policy, text) in copied {
            try expectChanged(Self.both, to: text) { try $0.copy("mail", to: "email", onConflict: policy) }
        }
    }

    @Test func `is refused by default, and the message says what to do`() throws {
        let changes: [(inout Record) throws -> Void] = [
            { try $0.rename("mail", to: "email") }, { try $0.move("mail", to: "email") },
            { try $0.copy("mail", to: "email") },
        ]
        for change in changes {
            try expectRefused(Self.both, .propertyExists, "email", says: "Say with `onConflict:` which value", change)
            try expectRefused(Self.both, .propertyExists, "email", says: "see `replacing:`", change)
        }
    }

    @Test(arguments: [
        // Null counts as missing, on either side.
        (#"{"mail":"a","email":null}"#, #"{"email":"a"}"#), (#"{"mail":null,"email":"b"}"#, #"{"email":"b"}"#),
        (#"{"mail":null,"email":null}"#, #"{"email":null}"#),
        // Equal values are no conflict, and what is there stays as it was written.
        (#"{"mail":{"a":1,"b":[2]},"email":{"b": [2], "a":1}}"#, #"{"email":{"b": [2], "a":1}}"#),
        (#"{"mail":"\u0061","email":"a"}"#, #"{"email":"a"}"#),
    ])
    func `is no conflict if one is null or both are equal`(before: String, after: String) throws {
        for policy in [Policy.fail, .keep, .replace, .merge { _, _ in throw MoltErrorExpected() }] {
            try expectChanged(before, to: after) { try $0.rename("mail", to: "email", onConflict: policy) }
            try expectChanged(before, to: after) { try $0.move("mail", to: "email", onConflict: policy) }
        }
        try expectRefused(#"{"mail":1,"email":1.0}"#, .propertyExists, "email") { try $0.rename("mail", to: "email") }
    }

    private struct MoltErrorExpected: Error {}

    @Test func `is found in objects and in each element`() throws {
        let objects = #"{"a":{"x":1,"y":2},"z":3}"#
        try expectChanged(objects, to: #"{"a":{"y":1},"z":3}"#) {
            try $0.rename(["a", "x"], to: "y", onConflict: .replace)
        }
        try expectChanged(objects, to: #"{"a":{"y":2},"z":1}"#) {
            try $0.move(["a", "x"], to: "z", onConflict: .replace)
        }
        // The new place may contain the old one.
        try expectChanged(objects, to: #"{"a":1,"z":3}"#) { try $0.move(["a", "x"], to: "a", onConflict: .replace) }
        let list = #"[{"x":1,"y":2},{"x":3},{"y":4},{"x":5,"y":null}]"#
        try expectChanged(list, to: #"[{"y":2},{"y":3},{"y":4},{"y":5}]"#) {
            try $0.rename([.each, "x"], to: "y", onConflict: .keep)
        }
        try expectChanged(list, to: #"[{"y":1},{"y":3},{"y":4},{"y":5}]"#) {
            try $0.move([.each, "x"], to: [.each, "y"], onConflict: .replace)
        }
    }

    @Test func `takes the place of the object that it was in`() throws {
        let node = #"{"node":{"next":{"next":null,"v":1}}}"#
        try expectChanged(node, to: #"{"node":{"next":null,"v":1}}"#) {
            try $0.move(["node", "next"], to: "node", onConflict: .replace)
        }
        try expectChanged(node, to: #"{"node":7}"#) {
            try $0.move(["node", "next"], to: "node", onConflict: .merge { value, _ in value = 7 })
        }
    }

    @Test func `keeps its bytes, also if it replaces the other one`() throws {
        try expectChanged(#"{"a":{ "n": 1.50 },"b":0}"#, to: #"{"b":{ "n": 1.50 }}"#) {
            try $0.rename("a", to: "b", onConflict: .replace)
        }
    }

    @Test func `is unchanged if the closure throws, or its value is nested too deeply`() throws {
        var record = try Record(Self.both)
        #expect(throws: MoltErrorExpected.self) {
            try record.rename("mail", to: "email", onConflict: .merge { _, _ in throw MoltErrorExpected() })
        }
        #expect(record.text == Self.both)
        let deep = Policy.merge { value, _ in for _ in 0..<600 { value = [value] } }
        try expectRefused(Self.both, .typeMismatch) { try $0.rename("mail", to: "email", onConflict: deep) }
        try expectRefused(Self.both, .typeMismatch) { try $0.move("mail", to: "email", onConflict: deep) }
    }
}
