import Foundation
import Molt
import Testing

/// Situations that the tests of Defaults 5 do not cover, some with their number in the acceptance list.
///
/// X1 and X16 to X18 are keys without a stored value, so there is nothing to convert.
@Suite("Edge cases of values that Defaults 4 wrote") struct DefaultsV4CaseTests {
    private static let zones = DefaultsForm.codable
    private static let byNumber = DefaultsForm.dictionary(key: .of(UInt32.self), of: .string)
    private static let identifier: PropertyListValue = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    private static let quotedIdentifier: PropertyListValue = #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#

    private static let converted: [(PropertyListValue, DefaultsForm, PropertyListValue)] = [
        // Numbers, as Defaults 4 read them.
        ("1.0", .int, 1), ("1e2", .int, 100), ("10e-1", .integer(Int8.self), 1), ("-0", .int, 0), ("0e5", .int, 0),
        ("-0.0", .integer(UInt8.self), 0), ("9007199254740993.0", .int, 9_007_199_254_740_993),
        ("9223372036854775807", .int, .int(.max)), ("9223372036854775808", .integer(UInt64.self), .unsigned(1 << 63)),
        ("18446744073709551615", .integer(UInt64.self), .unsigned(.max)),
        ("1e19", .integer(UInt64.self), .unsigned(10_000_000_000_000_000_000)), ("255", .integer(UInt8.self), 255),
        ("-128", .integer(Int8.self), -128), ("0.1", .double, 0.1), ("1e+22", .double, 1e22),
        ("5e-324", .double, .double(.leastNonzeroMagnitude)), ("0.1", .float, .double(Double(Float(0.1)))),
        ("16777217", .float, 16_777_216.0), ("18446744073709551615", .double, .double(0x1p64)),
        // X31
        ("42", .integer(Int64.self), 42), ("42", .integer(UInt8.self), 42), ("42.5", .double, 42.5),
        // X9, X10
        ("[]", .array(of: .int), []), (" [1, 2]\n", .array(of: .int), [1, 2]),
        // X21
        ("2", .level, 2),
        // X24 to X26: Codable elements become strings of JSON text.
        (#"[{"id":"0","name":"n"}]"#, .array(of: zones), [#"{"id":"0","name":"n"}"#]),
        (#"["10 Minutes"]"#, .array(of: .codable), [#""10 Minutes""#]),
        (#"["https:\/\/e.com"]"#, .array(of: .url), [#""https:\/\/e.com""#]),
        // X27 to X30: keys other than `String` and `Int` alternate with values.
        (
            #"[1,{"id":"0","name":"n"}]"#, .dictionary(key: .of(UInt32.self), of: zones),
            ["1": #"{"id":"0","name":"n"}"#]
        ),
        (
            #"[1,{"id":"0","name":"n"}]"#, .dictionary(key: .of(UInt32.self), of: .timeZone),
            ["1": ["id": "0", "name": "n"]]
        ),
        ("[1,5]", .dictionary(key: .of(UInt32.self), of: .int), ["1": 5]),
        (#"{"1":5}"#, .dictionary(key: .of(Int.self), of: .int), ["1": 5]),
        (#"["10 Minutes",1]"#, .dictionary(key: .of(EnumForm.self), of: .int), ["10 Minutes": 1]),
        (#"["10 Minutes",1]"#, .dictionary(key: .rawValue, of: .int), ["10 Minutes": 1]),
        (#"[1,"a",2,"b"]"#, byNumber, ["1": "a", "2": "b"]), (#"{"1":"a","2":"b"}"#, byNumber, ["1": "a", "2": "b"]),
        (#"["1","a"]"#, byNumber, ["1": "a"]), ("[]", byNumber, [:]), ("{}", byNumber, [:]),
        ("[600000000,1,0.25,2]", .dictionary(key: .of(Double.self), of: .int), ["600000000.0": 1, "0.25": 2]),
        (
            #"["E621E1F8-C36C-495A-93FC-0C247A3E6E5F",[5,[{"a": 1}],-6,[]]]"#,
            .dictionary(key: .of(UUID.self), of: .dictionary(key: .of(Int64.self), of: .array(of: .codable))),
            ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F": ["5": [#"{"a": 1}"#], "-6": []]]
        ),
        // Of two properties with the same name, the last one counts.
        (#"{"a":"x","b":1,"a":2}"#, .dictionary(of: .int), ["a": 2, "b": 1]),
        // X33
        ("[0.5,1]", .closedRange(of: .double), [0.5, 1.0]),
        // Escapes are decoded in strings and kept in Codable text, like numbers, order and inner white space.
        (#"["\u00fc\/\ud83e\udd84","a\"\\\n"]"#, .array(of: .string), ["ü/🦄", "a\"\\\n"]),
        (
            #"["\u00fc\/\ud83e\udd84","a\"\\\n"]"#, .array(of: .codable),
            [#""\u00fc\/\ud83e\udd84""#, #""a\"\\\n""#]
        ),
        (
            " [ {\"z\" : 1.10,\"a\": 18446744073709551616 } ,2.50 ]", .array(of: .codable),
            ["{\"z\" : 1.10,\"a\": 18446744073709551616 }", "2.50"]
        ),
        (
            "[0.10000000000000000000000000000000000001]", .array(of: .decimal),
            ["0.10000000000000000000000000000000000001"]
        ),
        // A set keeps the order and duplicates of its elements.
        ("[3,1,1]", .set(of: .int), [3, 1, 1]),
        // Values that are native in part.
        ([quotedIdentifier, identifier], .array(of: .uuid), [identifier, identifier]),
        (["a": "[1,5]"], .dictionary(of: .range(of: .int)), ["a": [1, 5]]),
        ([#""10 Minutes""#, "1 Hour"], .array(of: .period), ["10 Minutes", "1 Hour"]),
        // A raw value may be any string that its type accepts.
        (#""hello""#, .rawValue(of: .string), "hello"),
        // Types with a coding of their own read the text of their Codable form.
        (#"{"store":[1.5]}"#, CodableSet<Date>.settingCoding.form, [.date(Date(timeIntervalSinceReferenceDate: 1.5))]),
        (#"[{"age":1}]"#, SettingCoding<[Toad]>.jsonData.form, .data(Data(#"[{"age":1}]"#.utf8))),
    ]

    @Test(arguments: converted)
    func `A value is converted once, alone and in containers that are native or JSON text`(
        stored: PropertyListValue,
        form: DefaultsForm,
        value: PropertyListValue
    ) {
        var cases: [(stored: PropertyListValue, form: DefaultsForm, value: PropertyListValue)] = [
            (stored, form, value), ([stored], .array(of: form), [value]),
            (["k": stored], .dictionary(of: form), ["k": value]),
        ]
        if case .string(let json) = stored {
            cases.append((.string("[\(json)]"), .array(of: form), [value]))
            cases.append((.string("{\"k\":[\(json)]}"), .dictionary(of: .set(of: form)), ["k": [value]]))
        }
        for (stored, form, value) in cases {
            #expect(DefaultsV4Conversion().convert(stored, as: form) == .converted(value))
            for target in [DefaultsRelease.v5, .v6dot2, .v6dot3] {
                let conversion = DefaultsV4Conversion(target: target)
                // Earlier releases keep the JSON text of some values.
                guard case .converted(let once) = conversion.convert(stored, as: form) else { continue }
                #expect(conversion.convert(once, as: form) == .alreadyCurrent, "\(target)")
            }
        }
    }

    @Test(
        arguments: [
            // X2, X12 to X15, X22
            (["a"], .array(of: .string)), (#""hello""#, .string), (#""\"x\"""#, .string), (42, .int), (0.1, .double),
            (true, .bool), (#"{"id":"0","name":"n"}"#, zones),
            // Numbers that JSON cannot represent.
            (.double(.nan), .double), (.double(.infinity), .double), (-0.0, .double),
            ([.double(.nan), .double(.infinity), -0.0], .array(of: .float)),
            ("0.10000000000000000000000000000000000001", .decimal),
            (-128, .rawValue(of: .integer(Int8.self))), (.unsigned(.max), .rawValue(of: .integer(UInt64.self))),
            // A native number without a fraction is an integer.
            (2.0, .int), (2.0, .rawValue(of: .int)), (2.0, .level),
            // Their types accept any string, and have no Codable form.
            (#""Froggy""#, Frog.settingCoding.form), ("1", PropertyListValue.settingCoding.form),
        ] as [(PropertyListValue, DefaultsForm)]
    )
    func `A value that is current stays as it is`(stored: PropertyListValue, form: DefaultsForm) {
        #expect(DefaultsV4Conversion().convert(stored, as: form) == .alreadyCurrent)
    }

    @Test func `A zero keeps its sign`() {
        let outcome = DefaultsV4Conversion().convert("-0", as: .double)
        guard case .converted(.double(let value)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(value.sign == .minus)
    }

    private static let refused: [(PropertyListValue, DefaultsForm, place: String, reason: String)] = [
        ("300", .integer(Int8.self), "", "a number beyond the limits of its type"),
        ("-1", .integer(UInt.self), "", "a number beyond the limits of its type"),
        ("9223372036854775808", .int, "", "a number beyond the limits of its type"),
        ("18446744073709551616", .integer(UInt64.self), "", "a number beyond the limits of its type"),
        ("1e400", .int, "", "a number beyond the limits of its type"),
        ("1e400", .double, "", "a number beyond the limits of its type"),
        ("1e39", .float, "", "a number beyond the limits of its type"),
        ("1e400", .date, "", "a number beyond the limits of its type"),
        ("1e200", .decimal, "", "a number beyond the limits of its type"),
        ("1.5", .int, "", "a number that is not whole"),
        ("1e-1", .int, "", "a number that is not whole"),
        ("\"1\"", .int, "", "a string, where an integer was expected"),
        ("true", .int, "", "a Boolean, where an integer was expected"),
        ("1", .bool, "", "a number, where a Boolean was expected"),
        ("\"true\"", .bool, "", "a string, where a Boolean was expected"),
        ("\"x\"", .date, "", "a string, where a date was expected"),
        ("1", .data, "", "a number, where data was expected"),
        ("\"SGk\"", .data, "", "a string that is not base64"),
        (#""SG\nk=""#, .data, "", "a string that is not base64"),
        (#""""#, .url, "", "a string that is not a URL"),
        ("1", .url, "", "a number, where a URL was expected"),
        (#""E621""#, .uuid, "", "a string that is not a UUID"),
        ("\"1\"", .decimal, "", "a string, where a decimal number was expected"),
        ("[1]", .range(of: .int), "", "1 elements, where two bounds were expected"),
        ("[5,1]", .range(of: .int), "", "bounds in the wrong order"),
        ("{}", .closedRange(of: .int), "", "an object, where a range was expected"),
        ("null", .int, "", "null, where an integer was expected"),
        ("null", .codable, "", "null, where JSON text of a Codable value was expected"),
        ("3", .level, "", "not a raw value of its type"),
        ("\"x\"", .keyedArchive, "", "a string, where a keyed archive was expected"),
        ("[1,2]", .dictionary(of: .int), "", "an array, where a dictionary was expected"),
        ("[1,2]", .dictionary(key: .of(Int.self), of: .int), "", "an array, where a dictionary was expected"),
        ("\u{FEFF}1", .int, "", "not JSON text: an unexpected byte, at byte 0"),
        ("01", .int, "", "not JSON text: not a JSON number, at byte 1"),
        ("1,", .int, "", "not JSON text: something follows the value, at byte 1"),
        ("1\0", .int, "", "not JSON text: something follows the value, at byte 1"),
        (" ", .int, "", "not JSON text: the text ends too early, at byte 1"),
        ("Asia/Taipei", .codable, "", "not JSON text: an unexpected byte, at byte 0"),
        ("x", .rawValue(of: .int), "", "not JSON text: an unexpected byte, at byte 0"),
        ("300", .rawValue(of: .integer(Int8.self)), "", "a number beyond the limits of its type"),
        // X3 to X8, X11
        (#"["a","#, .array(of: .string), "", "not JSON text: the text ends too early, at byte 5"),
        (#"{"a":1}"#, .array(of: .string), "", "an object, where an array was expected"),
        (#"[1,"x",3]"#, .array(of: .int), "[1]", "a string, where an integer was expected"),
        ("[1,null,3]", .array(of: .int), "[1]", "null, where an integer was expected"),
        ("", .array(of: .int), "", "an empty text"),
        ("null", .array(of: .int), "", "null, where an array was expected"),
        ("[1],[2]", .array(of: .int), "", "not JSON text: something follows the value, at byte 3"),
        // X19, X20, X23
        (#""Nope""#, .period, "", "not a raw value of its type"),
        (#"["10 Minutes","Nope"]"#, .array(of: .period), "[1]", "not a raw value of its type"),
        (
            #"{"a":["10 Minutes"],"k":["Nope"]}"#, .dictionary(of: .array(of: .period)), #"["k"][0]"#,
            "not a raw value of its type"
        ),
        // Keys and values in turn.
        ("[1]", byNumber, "[0]", "a key without a value"),
        (#"[1,"a",2]"#, byNumber, "[2]", "a key without a value"),
        (#"[-1,"a"]"#, byNumber, #"["-1"]"#, "its key does not have the type of the dictionary's keys"),
        (#"[[1],"a"]"#, byNumber, #"["[1]"]"#, "its key does not have the type of the dictionary's keys"),
        (#"{"x":"a"}"#, byNumber, #"["x"]"#, "its key does not have the type of the dictionary's keys"),
        ("[1,2]", byNumber, #"["1"]"#, "a number, where a string was expected"),
        ("{}", .timeZone, "", "the stored value does not have the form of its type, at id"),
        (
            .string(String(repeating: "[", count: 1000)), .array(of: .codable), "",
            "not JSON text: arrays and objects are nested deeper than 512, at byte 512"
        ),
        // A type without a Codable form.
        (
            #"[{"name":"n","count":3}]"#, [Mixed].settingCoding.form, "[0]",
            "JSON text of Mixed, which is not Codable and has no Codable form"
        ),
    ]

    @Test(arguments: refused)
    func `A value that Defaults 4 refused is not convertible, for a reason at a place`(
        stored: PropertyListValue,
        form: DefaultsForm,
        place: String,
        reason: String
    ) {
        for target in [DefaultsRelease.v5, .v6dot2, .v6dot3] {
            let outcome = DefaultsV4Conversion(target: target).convert(stored, as: form)
            let failure = outcome.failure.map { "\($0.path): \($0.reason)" }
            #expect(failure == "\(place): \(reason)")
        }
    }

    @Test(
        arguments: [
            (300, .integer(Int8.self)), (1.5, .int), (true, .int), (2, .bool), (1, .string), (.data(Data()), .string),
            (.date(.distantPast), .double), ("a", .date), (1e300, .float), ([:], .array(of: .int)),
            ([], .dictionary(of: .int)), (1, .codable), (.data(Data()), .url), (3, .level), ([5, 1], .range(of: .int)),
            ([1], .closedRange(of: .int)), (["id": 0], .timeZone), (["id": "0"], .timeZone),
            (1, .rawValue(of: .string)),
            (128, .rawValue(of: .integer(Int8.self))), (.unsigned(.max), .rawValue(of: .integer(Int8.self))),
            (-1, .rawValue(of: .integer(UInt64.self))),
        ] as [(PropertyListValue, DefaultsForm)]
    )
    func `A native value of another type is not convertible`(value: PropertyListValue, form: DefaultsForm) {
        #expect(DefaultsV4Conversion().convert(value, as: form).failure != nil)
    }
}
