import Foundation
import MoltDefaults
import Testing

@Suite("Edge cases of values that Defaults 4 wrote")
struct DefaultsV4BorderTests {
    @Test(
        arguments: [
            ("1.0", .int, .int(1)), ("1e2", .int, .int(100)), ("10e-1", .integer(Int8.self), .int(1)),
            ("-0", .int, .int(0)),
            ("-0.0", .integer(UInt8.self), .int(0)), ("0e5", .int, .int(0)),
            ("9007199254740993.0", .int, .int(9_007_199_254_740_993)),
            ("9223372036854775807", .int, .int(.max)),
            ("9223372036854775808", .integer(UInt64.self), .unsigned(1 << 63)),
            ("18446744073709551615", .integer(UInt64.self), .unsigned(.max)),
            ("1e19", .integer(UInt64.self), .unsigned(10_000_000_000_000_000_000)),
            ("255", .integer(UInt8.self), .int(255)), ("-128", .integer(Int8.self), .int(-128)),
            ("0.1", .double, .double(0.1)), ("1e+22", .double, .double(1e22)),
            ("5e-324", .double, .double(.leastNonzeroMagnitude)),
            ("0.1", .float, .double(Double(Float(0.1)))), ("16777217", .float, .double(16_777_216)),
            ("18446744073709551615", .double, .double(0x1p64)),
        ] as [(String, DefaultsForm, PropertyListValue)]
    )
    func `A number is read as Defaults 4 read it`(text: String, form: DefaultsForm, value: PropertyListValue) {
        #expect(DefaultsV4Conversion().convert(.string(text), as: form) == .converted(value))
        #expect(DefaultsV4Conversion().convert(value, as: form) == .alreadyCurrent)
    }

    @Test(arguments: [Double.nan, .infinity, -0.0])
    func `A native number that JSON cannot represent is current`(value: Double) {
        #expect(DefaultsV4Conversion().convert(.double(value), as: .double) == .alreadyCurrent)
        #expect(DefaultsV4Conversion().convert(.array([.double(value)]), as: .array(of: .float)) == .alreadyCurrent)
    }

    @Test
    func `A zero keeps its sign`() {
        let outcome = DefaultsV4Conversion().convert(.string("-0"), as: .double)
        guard case .converted(.double(let value)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(value.sign == .minus)
    }

    @Test(
        arguments: [
            ("300", .integer(Int8.self), "a number beyond the limits of its type"),
            ("-1", .integer(UInt.self), "a number beyond the limits of its type"),
            ("9223372036854775808", .int, "a number beyond the limits of its type"),
            ("18446744073709551616", .integer(UInt64.self), "a number beyond the limits of its type"),
            ("1e400", .int, "a number beyond the limits of its type"),
            ("1e400", .double, "a number beyond the limits of its type"),
            ("1e39", .float, "a number beyond the limits of its type"),
            ("1e400", .date, "a number beyond the limits of its type"),
            ("1e200", .decimal, "a number beyond the limits of its type"),
            ("1.5", .int, "a number that is not whole"),
            ("1e-1", .int, "a number that is not whole"),
            ("\"1\"", .int, "a string, where an integer was expected"),
            ("true", .int, "a Boolean, where an integer was expected"),
            ("1", .bool, "a number, where a Boolean was expected"),
            ("\"true\"", .bool, "a string, where a Boolean was expected"),
            ("\"x\"", .date, "a string, where a date was expected"),
            ("1", .data, "a number, where data was expected"),
            ("\"SGk\"", .data, "a string that is not base64"),
            (#""SG\nk=""#, .data, "a string that is not base64"),
            (#""""#, .url, "a string that is not a URL"),
            ("1", .url, "a number, where a URL was expected"),
            (#""E621""#, .uuid, "a string that is not a UUID"),
            ("\"1\"", .decimal, "a string, where a decimal number was expected"),
            ("[1]", .range(of: .int), "1 elements, where two bounds were expected"),
            ("[5,1]", .range(of: .int), "bounds in the wrong order"),
            ("{}", .closedRange(of: .int), "an object, where a range was expected"),
            ("null", .int, "null, where an integer was expected"),
            ("null", .codable, "null, where JSON text of a Codable value was expected"),
            ("3", .level, "not a raw value of its type"),
            ("\"x\"", .keyedArchive, "a string, where a keyed archive was expected"),
            ("[1,2]", .dictionary(of: .int), "an array, where a dictionary was expected"),
            ("[1,2]", .dictionary(key: .of(Int.self), of: .int), "an array, where a dictionary was expected"),
            ("\u{FEFF}1", .int, "not JSON text: an unexpected byte, at byte 0"),
            ("01", .int, "not JSON text: not a JSON number, at byte 1"),
            ("1,", .int, "not JSON text: something follows the value, at byte 1"),
            ("1\0", .int, "not JSON text: something follows the value, at byte 1"),
            (" ", .int, "not JSON text: the text ends too early, at byte 1"),
            ("Asia/Taipei", .codable, "not JSON text: an unexpected byte, at byte 0"),
        ] as [(String, DefaultsForm, String)]
    )
    func `Text that Defaults 4 refused is not convertible`(text: String, form: DefaultsForm, reason: String) {
        for target in [DefaultsRelease.v5, .v6dot2, .v6dot3] {
            let outcome = DefaultsV4Conversion(target: target).convert(.string(text), as: form)
            guard case .notConvertible(let actual, let place) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(actual == reason)
            #expect(place.steps.isEmpty)
        }
    }

    @Test(
        arguments: [
            (.int(300), .integer(Int8.self)), (.double(1.5), .int), (.bool(true), .int), (.int(2), .bool),
            (.int(1), .string),
            (.data(Data()), .string), (.date(.distantPast), .double), (.string("a"), .date), (.double(1e300), .float),
            (.dictionary([:]), .array(of: .int)), (.array([]), .dictionary(of: .int)), (.int(1), .codable),
            (.data(Data()), .url), (.int(3), .level), (.array([.int(5), .int(1)]), .range(of: .int)),
            (.array([.int(1)]), .closedRange(of: .int)), (.dictionary(["id": .int(0)]), .timeZone),
        ] as [(PropertyListValue, DefaultsForm)]
    )
    func `A native value of another type is not convertible`(value: PropertyListValue, form: DefaultsForm) {
        guard case .notConvertible = DefaultsV4Conversion().convert(value, as: form) else {
            Issue.record("converted")
            return
        }
    }

    @Test
    func `Text nested too deep is not convertible`() {
        let text = String(repeating: "[", count: 100_000)
        let outcome = DefaultsV4Conversion().convert(.string(text), as: .array(of: .codable))
        let reason = "not JSON text: arrays and objects are nested deeper than 512, at byte 512"
        #expect(outcome == .notConvertible(reason: reason, place: ValuePlace()))
    }

    @Test
    func `The last of two properties with the same name counts`() {
        let outcome = DefaultsV4Conversion().convert(.string(#"{"a":"x","b":1,"a":2}"#), as: .dictionary(of: .int))
        #expect(outcome == .converted(.dictionary(["a": .int(2), "b": .int(1)])))
    }

    @Test
    func `Escapes are decoded in strings and kept in Codable text`() {
        let text = #"["\u00fc\/\ud83e\udd84","a\"\\\n"]"#
        let conversion = DefaultsV4Conversion()
        #expect(
            conversion.convert(.string(text), as: .array(of: .string))
                == .converted(.array([.string("ü/🦄"), .string("a\"\\\n")]))
        )
        #expect(
            conversion.convert(.string(text), as: .array(of: .codable))
                == .converted(.array([.string(#""\u00fc\/\ud83e\udd84""#), .string(#""a\"\\\n""#)]))
        )
    }

    @Test
    func `Codable text keeps its numbers, order and inner white space`() {
        let text = " [ {\"z\" : 1.10,\"a\": 18446744073709551616 } ,2.50 ]"
        #expect(
            DefaultsV4Conversion().convert(.string(text), as: .array(of: .codable))
                == .converted(.array([.string("{\"z\" : 1.10,\"a\": 18446744073709551616 }"), .string("2.50")]))
        )
    }

    @Test
    func `A decimal number keeps its digits`() {
        let text = "0.10000000000000000000000000000000000001"
        let conversion = DefaultsV4Conversion()
        #expect(conversion.convert(.string(text), as: .decimal) == .alreadyCurrent)
        #expect(
            conversion.convert(.string("[\(text)]"), as: .array(of: .decimal)) == .converted(.array([.string(text)]))
        )
    }

    @Test
    func `A set keeps the order and duplicates of its elements`() {
        #expect(
            DefaultsV4Conversion().convert(.string("[3,1,1]"), as: .set(of: .int))
                == .converted(.array([.int(3), .int(1), .int(1)]))
        )
    }

    @Test(
        arguments: [
            (#"[1,"a",2,"b"]"#, ["1": .string("a"), "2": .string("b")]),
            (#"{"1":"a","2":"b"}"#, ["1": .string("a"), "2": .string("b")]),
            (#"["1","a"]"#, ["1": .string("a")]),
            ("[]", [:]), ("{}", [:]),
        ] as [(String, [String: PropertyListValue])]
    )
    func `Alternating keys and values become a dictionary`(text: String, values: [String: PropertyListValue]) {
        #expect(
            DefaultsV4Conversion().convert(.string(text), as: .dictionary(key: .of(UInt32.self), of: .string))
                == .converted(.dictionary(values))
        )
    }

    @Test
    func `Dictionary keys are normalized to their type's spelling`() {
        #expect(
            DefaultsV4Conversion().convert("[600000000,1,0.25,2]", as: .dictionary(key: .of(Double.self), of: .int))
                == .converted(["600000000.0": 1, "0.25": 2])
        )
    }

    @Test
    func `Alternating keys and values become a dictionary inside another dictionary`() {
        let inner = DefaultsForm.dictionary(key: .of(Int64.self), of: .array(of: .codable))
        #expect(
            DefaultsV4Conversion().convert(
                .string(#"["E621E1F8-C36C-495A-93FC-0C247A3E6E5F",[5,[{"a": 1}],-6,[]]]"#),
                as: .dictionary(key: .of(UUID.self), of: inner)
            )
                == .converted(
                    .dictionary([
                        "E621E1F8-C36C-495A-93FC-0C247A3E6E5F": .dictionary([
                            "5": .array([.string(#"{"a": 1}"#)]), "-6": .array([]),
                        ])
                    ])
                )
        )
    }

    @Test(
        arguments: [
            ("[1]", "[0]", "a key without a value"),
            (#"[1,"a",2]"#, "[2]", "a key without a value"),
            (#"[-1,"a"]"#, #"["-1"]"#, "its key is not one of the dictionary's type"),
            (#"[[1],"a"]"#, #"["[1]"]"#, "its key is not one of the dictionary's type"),
            (#"{"x":"a"}"#, #"["x"]"#, "its key is not one of the dictionary's type"),
            ("[1,2]", #"["1"]"#, "a number, where a string was expected"),
        ]
    )
    func `The error for a bad key or value names its place`(text: String, place: String, reason: String) {
        let form = DefaultsForm.dictionary(key: .of(UInt32.self), of: .string)
        let outcome = DefaultsV4Conversion().convert(.string(text), as: form)
        guard case .notConvertible(reason, let actual) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(actual.fullDescription == place)
    }

    @Test
    func `A partly native value is converted to its form`() {
        let conversion = DefaultsV4Conversion()
        let identifier = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        #expect(
            conversion.convert(.array([.string("\"\(identifier)\""), .string(identifier)]), as: .array(of: .uuid))
                == .converted(.array([.string(identifier), .string(identifier)]))
        )
        #expect(
            conversion.convert(.dictionary(["a": .string("[1,5]")]), as: .dictionary(of: .range(of: .int)))
                == .converted(.dictionary(["a": .array([.int(1), .int(5)])]))
        )
        #expect(
            conversion.convert(.array([.string(#""10 Minutes""#), .string("1 Hour")]), as: .array(of: .period))
                == .converted(.array([.string("10 Minutes"), .string("1 Hour")]))
        )
    }

    @Test
    func `A raw value may be any string that its type accepts`() {
        let conversion = DefaultsV4Conversion()
        let form = DefaultsForm.rawValue(of: .string)
        #expect(conversion.convert(.string(#""hello""#), as: form) == .converted(.string("hello")))
        #expect(conversion.convert(.string("hello"), as: form) == .alreadyCurrent)
    }
}
