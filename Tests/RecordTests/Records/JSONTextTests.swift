import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `JSON text in a property` {
    @Test(arguments: [
        (#"{\"n\":1.10, \"b\":12345678901234567890,\"a\":1e400}"#, #"{"n":1.10, "b":12345678901234567890,"a":1e400}"#),
        ("[]", "[]"), (#" \n[ 1 ,\t-0.0 ]\r "#, "[ 1 ,\t-0.0 ]"), (#"{\"a\":1,\"a\":2}"#, #"{"a":1,"a":2}"#),
        (#"{\"\u00e9\\u00e9\\n\":\"🦄\\\"\\\\\"}"#, #"{"é\u00e9\n":"🦄\"\\"}"#),
    ])
    func `becomes the value byte by byte, and the same text again`(text: String, value: String) throws {
        let before = "{ \"t\":\"\(text)\" , \"x\":1.0}"
        let after = "{ \"t\":\(value) , \"x\":1.0}"
        try expectChanged(before, to: after) { try $0.parseJSONText("t") }
        var record = try Record(json: after.utf8)
        try record.encodeAsJSONText("t")
        #expect(try record.string("t") == value)
        try record.parseJSONText("t")
        #expect(record.text == after)
    }

    @Test(arguments: [
        ("\"\"", "the text ends too early"), (#""canary""#, "an unexpected byte, at byte 0"),
        (#""{\"canary\":01}""#, "at byte 11"), (#""[1] canary""#, "something follows the value"),
        (#""\"canary\"""#, "is JSON text of a string"), (#""5""#, "is JSON text of a number"),
        (#""true""#, "of a Boolean"), (#""null""#, "of null"), ("7", "is a number, not a string with JSON text"),
        (#"{"canary":1}"#, "is an object, not"), (#"["canary"]"#, "is an array, not"),
        (#""[\"\\u0001molt:date:0\"]""#, "a control character"), (#""[\"\\u0001\\u006dolt:date:0\"]""#, "a control"),
    ])
    func `is refused if it is no text of an object or array, without its values`(value: String, words: String) throws {
        let json = "{\"t\":\(value)}"
        try expectRefused(json, .typeMismatch, "t", says: words, canary: "canary") { try $0.parseJSONText("t") }
        try expectChanged(json, to: json) { try $0.parseJSONText("t", otherwise: .keep) }
        try expectChanged(json, to: "{}") { try $0.parseJSONText("t", otherwise: .remove) }
        try expectChanged(json, to: #"{"t":{}}"#) { try $0.parseJSONText("t", otherwise: .value([:])) }
    }

    @Test(arguments: [(#""{}""#, "is a string, not an object"), ("1", "is a number"), ("true", "is a Boolean")])
    func `is not made of other values`(value: String, words: String) throws {
        let json = "{\"t\":\(value)}"
        try expectRefused(json, .typeMismatch, "t", says: words) { try $0.encodeAsJSONText("t") }
        try expectChanged(json, to: json) { try $0.encodeAsJSONText("t", otherwise: .keep) }
    }

    @Test func `may be as deep as content may be, and no deeper`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        try expectChanged("{\"t\":\"\(nested(511))\"}", to: "{\"t\":\(nested(511))}") { try $0.parseJSONText("t") }
        let deep = "[{\"t\":\"\(nested(511))\"}]"
        try expectRefused(deep, .typeMismatch, "[].t", says: "nested deeper than 512") {
            try $0.parseJSONText([.each, "t"])
        }
        try expectRefused("{\"t\":\"\(nested(513))\"}", .typeMismatch, "t", says: "512") { try $0.parseJSONText("t") }
        try expectChanged("{\"t\":\(nested(511))}", to: "{\"t\":\"\(nested(511))\"}") { try $0.encodeAsJSONText("t") }
    }

    @Test func `is found in elements and in whole contents, and null and a missing property stay`() throws {
        let rest = #"{"t":null},{}],"t":"{}"}"#
        try expectChanged(#"{"l":[{"t":"[1]"},"# + rest, to: #"{"l":[{"t":[1]},"# + rest) {
            try MigrationStep.parseJSONText("A", ["l", .each, "t"]).change(&$0)
        }
        try expectChanged(#"["[1]","{}"]"#, to: "[[1],{}]") { try $0.parseJSONText(.each) }
        try expectChanged(#" "{\"a\":1}" "#, to: #"{"a":1}"#) { try $0.parseJSONText([]) }
        try expectChanged(#"{"a": 1}"#, to: #""{\"a\": 1}""#) { try $0.encodeAsJSONText([]) }
        for json in [#"{"t":null}"#, "{}"] {
            try expectChanged(json, to: json) { record in
                try MigrationStep.parseJSONText("A", "t").change(&record)
                try MigrationStep.encodeAsJSONText("A", "t").change(&record)
            }
        }
        try expectRefused("{}", .propertyMissing, "t") {
            try MigrationStep.parseJSONText("A", "t", ifMissing: .fail).change(&$0)
        }
        try expectRefused("{}", .propertyMissing, "t") { try $0.encodeAsJSONText("t") }
    }
}
