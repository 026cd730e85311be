import Molt
import Testing

@Suite struct `Dictionaries as objects and alternating arrays` {
    private static let forms: [(before: String, form: Record.DictionaryForm, after: String)] = [
        (
            #"{"d": [ "home" , {"a" : 1.50,"b":[ ]}, "w\u006frk",null ] ,"x":1}"#, .object,
            #"{"d": {"home":{"a" : 1.50,"b":[ ]},"w\u006frk":null} ,"x":1}"#
        ),
        (#"{"d":[7,"x",-8,"y","é",[1,2]]}"#, .object, #"{"d":{"7":"x","-8":"y","é":[1,2]}}"#),
        (#"{"d":[]}"#, .object, #"{"d":{}}"#),
        (#"{"d":null}"#, .object, #"{"d":null}"#),
        (#"{"d":{ "b" : [ 1 ], "a":{"7":2}}}"#, .alternatingArray, #"{"d":["b",[ 1 ],"a",{"7":2}]}"#),
        (#"{"d":{"7":"x","-8":null}}"#, .alternatingArrayOfIntegers, #"{"d":[7,"x",-8,null]}"#),
        (#"{"d":{}}"#, .alternatingArrayOfIntegers, #"{"d":[]}"#),
        (#"{"d":{"b":{"n" : 1.0},"a":null}}"#, .arrayOfValues, #"{"d":[{"n" : 1.0},null]}"#),
        (#"{"d":{}}"#, .arrayOfValues, #"{"d":[]}"#), (#"{"d":null}"#, .arrayOfValues, #"{"d":null}"#),
        // Two Unicode forms of a letter are two keys.
        ("{\"d\":[\"\u{E9}\",1,\"e\u{301}\",2]}", .object, "{\"d\":{\"\u{E9}\":1,\"e\u{301}\":2}}"),
    ]

    @Test func `One becomes the other, in order and with the bytes of its values`() throws {
        for (before, form, after) in Self.forms {
            try expectChanged(before, to: after) { try $0.changeDictionary("d", to: form) }
        }
        try expectChanged(#"{"l":[["a",1],[],["b",2]]}"#, to: #"{"l":[{"a":1},{},{"b":2}]}"#) {
            try $0.changeDictionary(["l", .each], to: .object)
        }
        try expectChanged(#"["a",1]"#, to: #"{"a":1}"#) { try $0.changeDictionary([], to: .object) }
    }

    @Test(arguments: [
        (#"{"d":["canary",1,"b"]}"#, Record.DictionaryForm.object), (#"{"d":["canary",1,"canary",2]}"#, .object),
        (#"{"d":["7",1,7,2]}"#, .object), (#"{"d":["a",1,"\u0061",2]}"#, .object), (#"{"d":[1.5,1]}"#, .object),
        (#"{"d":[null,1]}"#, .object), (#"{"d":[{"a":1},1]}"#, .object), (#"{"d":{"canary":1}}"#, .object),
        (#"{"d":"canary"}"#, .object), (#"{"d":["canary",1]}"#, .alternatingArray),
        (#"{"d":{"canary":1,"canary":2}}"#, .alternatingArray),
        (#"{"d":{"canary":1}}"#, .alternatingArrayOfIntegers), (#"{"d":{"1.0":1}}"#, .alternatingArrayOfIntegers),
        (#"{"d":{"7":1,"\u0037":2}}"#, .alternatingArrayOfIntegers), (#"{"d":5}"#, .alternatingArray),
        (#"{"d":"canary"}"#, .arrayOfValues), (#"{"d":["canary",1]}"#, .arrayOfValues),
        (#"{"d":["canary"]}"#, .arrayOfValues),
        (#"{"d":{"canary":1,"canary":2}}"#, .arrayOfValues), (#"{"d":true}"#, .arrayOfValues),
    ])
    func `A value that is no such dictionary is refused, without its keys in the message`(
        json: String,
        form: Record.DictionaryForm
    ) throws {
        try expectRefused(json, .typeMismatch, "d", canary: "canary") { try $0.changeDictionary("d", to: form) }
    }

    private static let maps: [(before: String, part: Record.DictionaryPart, other: Record.OtherValue, after: String)] =
        [
            (#"{"d":{ "a" : 1, "b":2 ,"c":"a"}}"#, .keys, .keep, #"{"d":{ "b" : 1, "a":2 ,"c":"a"}}"#),
            (#"{"d":[ "a" , "b", "b","a" ,"c", 1]}"#, .keys, .keep, #"{"d":[ "b" , "b", "a","a" ,"c", 1]}"#),
            (#"{"d":{"\u0061":1,"7":2}}"#, .keys, .keep, #"{"d":{"b":1,"8":2}}"#),
            (#"{"d":[7,"x","7","y"]}"#, .keys, .keep, #"{"d":[8,"x","7","y"]}"#),
            (#"{"d":{"a":1,"c":2 , "b":3}}"#, .keys, .remove, #"{"d":{"b":1 , "a":3}}"#),
            (#"{"d":[ "c",1 , "a",2]}"#, .keys, .remove, #"{"d":[ "b",2]}"#),
            (#"{"d":[ "c",1 , "d",2 ]}"#, .keys, .remove, #"{"d":[]}"#),
            (#"{"d":{"c":2}}"#, .keys, .value("other"), #"{"d":{"other":2}}"#),
            (#"{"d":["a","a", "b" ,"c","z",null]}"#, .values, .keep, #"{"d":["a","b", "b" ,"c","z",null]}"#),
            (#"{"d":{"a":"a","c":"x"}}"#, .values, .remove, #"{"d":{"a":"b"}}"#),
            (#"{"d":[{"k":1},"a"]}"#, .values, .fail, #"{"d":[{"k":1},"b"]}"#),
            (#"{"d":null,"x":["a"]}"#, .keys, .fail, #"{"d":null,"x":["a"]}"#),
        ]

    @Test func `Keys and values are told apart, and all else keeps its bytes`() throws {
        for (before, part, other, after) in Self.maps {
            try expectChanged(before, to: after) {
                try $0.mapValue("d", in: part, ["a": "b", "b": "a", 7: 8], otherwise: other)
            }
        }
    }

    @Test(arguments: [
        (#"{"d":{"a":"canary","b":1}}"#, Record.DictionaryPart.keys, Record.OtherValue.keep),
        (#"{"d":["a","canary","b",1]}"#, .keys, .keep), (#"{"d":{"canary":1}}"#, .keys, .fail),
        (#"{"d":{"canary":1,"d":2}}"#, .keys, .value("x")), (#"{"d":["a","canary"]}"#, .values, .fail),
        (#"{"d":["a","canary","b"]}"#, .values, .keep), (#"{"d":"canary"}"#, .keys, .keep),
        (#"{"d":{"canary":1}}"#, .keys, .value([1])),
    ])
    func `Two entries with one key, and what is not named, are refused`(
        json: String,
        part: Record.DictionaryPart,
        other: Record.OtherValue
    ) throws {
        try expectRefused(json, .typeMismatch, "d", canary: "canary") {
            try $0.mapValue("d", in: part, ["a": "b"], otherwise: other)
        }
    }

    private enum Place: String, Codable { case home, work }
    private struct Old: Codable { var phones: [Place: Int] }
    private struct New: Codable { var phones: [String: Int] }

    @Test func `What Codable writes for the keys of an enum is read with strings as keys, and the reverse`() throws {
        var record = Record()
        try record.replaceContent(with: Old(phones: [.home: 1, .work: 2]))
        #expect(record["phones"]?.array != nil)
        try record.mapValue("phones", in: .keys, ["work": "office"])
        try record.changeDictionary("phones", to: .object)
        #expect(try record.decoded(as: New.self).phones == ["home": 1, "office": 2])
        try record.mapValue("phones", in: .keys, ["office": "work"])
        try record.changeDictionary("phones", to: .alternatingArray)
        #expect(try record.decoded(as: Old.self).phones == [.home: 1, .work: 2])
    }
}

@Suite struct `Strings with separators as arrays` {
    @Test(arguments: [
        ("", "[]"), ("a", #"["a"]"#), ("a,b", #"["a","b"]"#), (",", #"["",""]"#), ("a,,b,", #"["a","","b",""]"#),
        (" a, b", #"[" a"," b"]"#), ("é\\u0301\\\"\\n,🦄", #"["é"# + "\u{301}" + #"\"\n","🦄"]"#),
    ])
    func `A string becomes an array and the same string again`(text: String, array: String) throws {
        let before = "{\"t\":\"\(text)\",\"x\":1}"
        try expectChanged(before, to: "{\"t\":\(array),\"x\":1}") { try $0.splitIntoArray("t", separator: ",") }
        var record = try Record(json: before.utf8)
        let string = try record.string("t")
        try record.splitIntoArray("t", separator: ",")
        try record.joinArray("t", separator: ",")
        #expect(ExactName.isSame(try record.string("t"), string))
    }

    @Test func `Spaces and empty elements can be left out`() throws {
        try expectChanged(#"{"t":" a, b c ,,\t, d"}"#, to: #"{"t":["a","b c","d"]}"#) {
            try $0.splitIntoArray("t", separator: ",", trimming: true)
        }
        try expectChanged(#"{"t":[" , ",null]}"#, to: #"{"t":[[],null]}"#) {
            try $0.splitIntoArray(["t", .each], separator: ",", trimming: true)
        }
        // A space and an accent after it are one character.
        try expectChanged("{\"t\":\"a, \u{301}b\"}", to: "{\"t\":[\"a\",\"\u{301}b\"]}") {
            try $0.splitIntoArray("t", separator: ",", trimming: true)
        }
    }

    @Test(arguments: [
        (#"{"t":["a","can,ary"]}"#, ","), (#"{"t":[""]}"#, ","), (#"{"t":["canary-","b"]}"#, "--"),
        (#"{"t":["canary",1]}"#, ","), (#"{"t":[null]}"#, ","), (#"{"t":"canary"}"#, ","), (#"{"t":["a"]}"#, ""),
    ])
    func `An array whose string would have other elements is refused`(json: String, separator: String) throws {
        try expectRefused(json, .typeMismatch, "t", canary: "canary") { try $0.joinArray("t", separator: separator) }
    }

    @Test func `Other values are refused, and null and a missing property are not changed`() throws {
        for json in [#"{"t":["canary"]}"#, #"{"t":7}"#] {
            try expectRefused(json, .typeMismatch, "t", canary: "canary") { try $0.splitIntoArray("t", separator: ",") }
        }
        for json in [#"{"t":null}"#, "{}"] {
            try expectChanged(json, to: json) { record in
                try MigrationStep.splitIntoArray("A", "t", separator: ",").change(&record)
                try MigrationStep.joinArray("A", "t", separator: ",").change(&record)
            }
        }
    }
}
