import Foundation
import Generators
import Molt
import TestSupport
import Testing

@Suite struct `Splitting and joining strings` {
    @Test(arguments: [
        (#"{"n":"Ada Lovelace","x":1}"#, #"{"x":1,"a":"Ada","b":"Lovelace"}"#),
        (#"{"n":"Ada King Lovelace"}"#, #"{"a":"Ada","b":"King Lovelace"}"#),
        (#"{"n":"Plato"}"#, #"{"a":"Plato","b":""}"#), (#"{"n":""}"#, #"{"a":"","b":""}"#),
        (#"{"n":" "}"#, #"{"a":" ","b":""}"#), (#"{"n":" Plato"}"#, #"{"a":" Plato","b":""}"#),
        (#"{"n":"Plato "}"#, #"{"a":"Plato ","b":""}"#), (#"{"n":"Ada  Lovelace"}"#, #"{"a":"Ada","b":" Lovelace"}"#),
        (#"{"n":null}"#, #"{"a":null,"b":null}"#), (#"{"n":"A\"da\u0020\u00c9va"}"#, #"{"a":"A\"da","b":"Éva"}"#),
        (#"{"n":"Zoë Ünal 🦄"}"#, #"{"a":"Zoë","b":"Ünal 🦄"}"#),
    ])
    func `A string is split at the first space with text on both sides`(before: String, after: String) throws {
        try expectChanged(before, to: after) { try $0.split("n", into: ["a", "b"]) }
    }

    @Test func `Parts may replace the property, or be inside an object in its place`() throws {
        let json = #"{"name":"Ada Lovelace","x":1}"#
        try expectChanged(json, to: #"{"name":"Ada","x":1,"surname":"Lovelace"}"#) {
            try $0.split("name", into: ["name", "surname"])
        }
        try expectChanged(json, to: #"{"x":1,"name":{"first":"Ada","last":"Lovelace"}}"#) {
            try $0.split("name", into: [["name", "first"], ["name", "last"]])
        }
        try expectChanged(#"{"name":"Plato"}"#, to: #"{"a":"Plato","b":null}"#) {
            try $0.split("name", into: ["a", "b"], missing: .null)
        }
    }

    @Test func `What cannot be split leaves the record as it is, and the error has no value`() throws {
        let cases: [(String, String, MoltError.Code)] = [
            (#"{"n":12345}"#, "n", .typeMismatch), (#"{"n":["12345"]}"#, "n", .typeMismatch),
            (#"{"n":"12345 6","b":0}"#, "b", .propertyExists), (#"{"m":"12345"}"#, "n", .propertyMissing),
            (#"{"n":"12345 6","c":7}"#, "c.d", .typeMismatch),
        ]
        for (json, path, code) in cases {
            let places: [PropertyPath] = json.contains(#""c""#) ? ["a", ["c", "d"]] : ["a", "b"]
            try expectRefused(json, code, path, canary: "12345") { try $0.split("n", into: places) }
        }
    }

    @Test(arguments: [
        (#"{"a":"Ada","b":"Lovelace","x":1}"#, #"{"x":1,"n":"Ada Lovelace"}"#),
        (#"{"a":"Plato","b":""}"#, #"{"n":"Plato"}"#), (#"{"a":null,"b":"Plato"}"#, #"{"n":"Plato"}"#),
        (#"{"b":"Plato"}"#, #"{"n":"Plato"}"#), (#"{"a":null,"b":null}"#, #"{"n":null}"#),
        (#"{"a":"","b":null}"#, #"{"n":""}"#), (#"{"a":"\u0041","b":"\"b"}"#, #"{"n":"\u0041 \"b"}"#),
    ])
    func `Strings are joined without the missing, null and empty ones`(before: String, after: String) throws {
        try expectChanged(before, to: after) { try $0.join(["a", "b"], into: "n") }
    }

    @Test func `Two parts cannot be put at one place`() throws {
        let json = #"{"n":"a b"}"#
        for paths: [PropertyPath] in [["a", "a"], [["a", "b"], "a"], ["a", ["a", "b"]], [], ["a"]] {
            try expectRefused(json, .typeMismatch) { try $0.split("n", into: paths) }
        }
        try expectRefused(json, .typeMismatch) { try $0.split("n", at: .first(""), into: ["a", "b"]) }
        try expectRefused(json, .typeMismatch) { try $0.join(["n", "n"], into: "m") }
    }

    @Test func `What cannot be joined leaves the record as it is`() throws {
        let cases: [(String, MoltError.Code)] = [
            (#"{"a":"x","b":2}"#, .typeMismatch), (#"{"a":"x","n":"y"}"#, .propertyExists),
            (#"{"c":"x"}"#, .propertyMissing),
        ]
        for (json, code) in cases { try expectRefused(json, code) { try $0.join(["a", "b"], into: "n") } }
    }

    @Test func `Joined strings may replace one of the properties`() throws {
        try expectChanged(#"{"first":"Ada","last":"L"}"#, to: #"{"first":"L, Ada"}"#) {
            try $0.join(["last", "first"], into: "first", separator: ", ")
        }
    }

    /// Compared with a reference on Swift's strings, over thousands of documents.
    @Test(arguments: 0..<TestRun.choose(1, long: 3))
    func `Random strings are split as by a reference, and joined again to the same`(seed: Int) throws {
        var random = SeededGenerator(seed: 1 + UInt64(seed))
        let pieces = ["a", "bc", " ", " ", "  ", ", ", "é", "🦄", "\"", "\\", "\n", "\u{301}", "0"]
        for _ in 0..<1_000 {
            let text = (0..<random.below(9)).map { _ in pieces[random.below(pieces.count)] }.joined()
            let count = 2 + random.below(3)
            let separator = [" ", ", ", "  "][random.below(3)]
            let isFirst = random.below(2) == 0
            let names = (0..<count).map { PropertyPath("p\($0)") }
            var record = try Record("{}")
            record["n"] = .string(text)
            try record.split("n", at: isFirst ? .first(separator) : .last(separator), into: names)
            let found = try names.map { try record.string($0) }
            let expected = Self.reference(text, separator, count, isFirst: isFirst)
            #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(text.debugDescription)")
            try record.join(names, into: "n", separator: separator)
            #expect(try Array(record.string("n").utf8) == Array(text.utf8))
        }
    }

    private static func reference(_ text: String, _ separator: String, _ count: Int, isFirst: Bool) -> [String] {
        var parts = [Array(text.utf8)]
        let separator = Array(separator.utf8)
        func split(_ bytes: [UInt8]) -> ([UInt8], [UInt8])? {
            let places = bytes.indices.filter { place in
                place > 0 && place + separator.count < bytes.count
                    && Array(bytes[place..<place + separator.count]) == separator
            }
            guard let place = isFirst ? places.first : places.last else { return nil }
            return (Array(bytes[..<place]), Array(bytes[(place + separator.count)...]))
        }
        while parts.count < count, let (left, right) = split(isFirst ? parts[parts.count - 1] : parts[0]) {
            parts.replaceSubrange(isFirst ? parts.count - 1..<parts.count : 0..<1, with: [left, right])
        }
        return (parts + Array(repeating: [], count: count - parts.count)).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Values

    @Test(arguments: [
        (#"{"s":"open"}"#, #"{"s":"active"}"#), (#"{"s":"op\u0065n"}"#, #"{"s":"active"}"#),
        (#"{"s":"other"}"#, #"{"s":"other"}"#), (#"{"s":1}"#, #"{"s":"one"}"#), (#"{"s":null}"#, #"{"s":null}"#),
        (#"{"s":[1, 2]}"#, #"{"s":true}"#), (#"{"s":1.0}"#, #"{"s":1.0}"#),
        (#"{"s":{"width": 1, "height":2}}"#, #"{"s":"small"}"#),
        (#"{"s":{"width":1,"height":3}}"#, #"{"s":{"width":1,"height":3}}"#),
        (#"{"s":"cafe\u0301"}"#, #"{"s":"decomposed"}"#), (#"{"s":"caf\u00e9"}"#, #"{"s":"caf\u00e9"}"#),
    ])
    func `Values are replaced by others, however they are written`(before: String, after: String) throws {
        let values: [RecordValue: RecordValue] = [
            "open": "active", 1: "one", [1, 2]: true, "cafe\u{301}": "decomposed",
            ["width": 1, "height": 2]: "small",
        ]
        try expectChanged(before, to: after) { try $0.mapValue("s", values) }
    }

    @Test func `Other values are kept, refused, replaced or removed`() throws {
        let json = #"{"s":"secret","t":1}"#
        try expectChanged(json, to: json) { try $0.mapValue("s", [:]) }
        try expectRefused(json, .typeMismatch, canary: "secret") { try $0.mapValue("s", ["a": "b"], otherwise: .fail) }
        try expectChanged(json, to: #"{"s":["x"],"t":1}"#) {
            try $0.mapValue("s", ["a": "b"], otherwise: .value(["x"]))
        }
        try expectChanged(json, to: #"{"t":1}"#) { try $0.mapValue("s", ["a": "b"], otherwise: .remove) }
        try expectChanged(#"{"s":null}"#, to: #"{"s":"none"}"#) {
            try $0.mapValue("s", [.null: "none"], otherwise: .fail)
        }
        try expectRefused("{}", .propertyMissing) { try $0.mapValue("s", ["a": "b"]) }
    }

    @Test func `A property is copied byte for byte`() throws {
        let json = #"{"a": {"b" : 1.50},"c":{}}"#
        try expectChanged(json, to: #"{"a": {"b" : 1.50},"c":{"d":{"b" : 1.50}}}"#) {
            try $0.copy("a", to: ["c", "d"])
        }
        try expectRefused(json, .propertyExists) { try $0.copy("a", to: "c") }
        try expectRefused(json, .typeMismatch) { try $0.copy("a", to: ["a", "x"]) }
        try expectRefused(json, .propertyMissing) { try $0.copy("x", to: "y") }
    }
}
