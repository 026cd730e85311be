import Foundation
import MoltDefaults
import Testing

/// A situation that the tests of Defaults 5 do not cover, with its number in the acceptance list.
struct DefaultsV4Case: Sendable, CustomTestStringConvertible {
    var name: String
    var stored: PropertyListValue
    var form: DefaultsForm
    var outcome: Outcome
    var target = DefaultsRelease.latest

    enum Outcome: Sendable {
        case becomes(PropertyListValue)
        case stays
        case cannot(_ place: String, _ reason: String)
    }

    init(
        _ name: String,
        _ stored: PropertyListValue,
        _ form: DefaultsForm,
        _ outcome: Outcome,
        target: DefaultsRelease = .latest
    ) {
        self.name = name
        self.stored = stored
        self.form = form
        self.outcome = outcome
        self.target = target
    }

    var testDescription: String { name }

    private static let identifier = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    private static let zone = PropertyListValue.dictionary(["id": .string("0"), "name": .string("n")])
    private static let zoneText = #"{"id":"0","name":"n"}"#

    // X1 and X16 to X18 are keys without a stored value, so there is nothing to convert.
    static let cases: [DefaultsV4Case] = [
        DefaultsV4Case("X2 already native", .array([.string("a")]), .array(of: .string), .stays),
        DefaultsV4Case(
            "X3 malformed JSON",
            .string(#"["a","#),
            .array(of: .string),
            .cannot("", "not JSON text: the text ends too early, at byte 5")
        ),
        DefaultsV4Case(
            "X4 wrong JSON shape",
            .string(#"{"a":1}"#),
            .array(of: .string),
            .cannot("", "an object, where an array was expected")
        ),
        DefaultsV4Case(
            "X5 one bad element",
            .string(#"[1,"x",3]"#),
            .array(of: .int),
            .cannot("[1]", "a string, where an integer was expected")
        ),
        DefaultsV4Case(
            "X6 null element",
            .string("[1,null,3]"),
            .array(of: .int),
            .cannot("[1]", "null, where an integer was expected")
        ),
        DefaultsV4Case("X7 empty string", .string(""), .array(of: .int), .cannot("", "an empty text")),
        DefaultsV4Case(
            "X8 JSON null",
            .string("null"),
            .array(of: .int),
            .cannot("", "null, where an array was expected")
        ),
        DefaultsV4Case("X9 empty array", .string("[]"), .array(of: .int), .becomes(.array([]))),
        DefaultsV4Case(
            "X10 surrounding whitespace",
            .string(" [1, 2]\n"),
            .array(of: .int),
            .becomes(.array([.int(1), .int(2)]))
        ),
        DefaultsV4Case(
            "X11 two roots",
            .string("[1],[2]"),
            .array(of: .int),
            .cannot("", "not JSON text: something follows the value, at byte 3")
        ),
        DefaultsV4Case("X12 native String that is itself JSON-quoted", .string(#""hello""#), .string, .stays),
        DefaultsV4Case("X13 same, twice", .string(#""\"x\"""#), .string, .stays),
        DefaultsV4Case("X14 native Int", .int(42), .int, .stays),
        DefaultsV4Case("X14 native Double", .double(0.1), .double, .stays),
        DefaultsV4Case("X15 native Bool", .bool(true), .bool, .stays),
        DefaultsV4Case(
            "X19 unknown enum raw value",
            .string(#""Nope""#),
            .period,
            .cannot("", "not a raw value of its type")
        ),
        DefaultsV4Case(
            "X20 one unknown in array",
            .string(#"["10 Minutes","Nope"]"#),
            .array(of: .period),
            .cannot("[1]", "not a raw value of its type")
        ),
        DefaultsV4Case(
            "X20 one unknown in dict",
            .string(#"{"a":["10 Minutes"],"k":["Nope"]}"#),
            .dictionary(of: .array(of: .period)),
            .cannot(#"["k"][0]"#, "not a raw value of its type")
        ),
        DefaultsV4Case("X21 Int-raw enum", .string("2"), .level, .becomes(.int(2))),
        DefaultsV4Case(
            "X22 Codable struct, still Codable",
            .string(zoneText),
            .codable(as: CodableTimeZone.self),
            .stays
        ),
        DefaultsV4Case(
            "X23 missing field",
            .string(#"{"id":"0"}"#),
            .codable(as: CodableTimeZone.self),
            .cannot("", "the stored value does not have the form of its type, at name")
        ),
        DefaultsV4Case(
            "X24 [Codable] to array of JSON strings",
            .string("[\(zoneText)]"),
            .array(of: .codable(as: CodableTimeZone.self)),
            .becomes(.array([.string(zoneText)]))
        ),
        DefaultsV4Case(
            "X25 [Codable enum]",
            .string(#"["10 Minutes"]"#),
            .array(of: .codable),
            .becomes(.array([.string(#""10 Minutes""#)]))
        ),
        DefaultsV4Case(
            "X26 [URL]",
            .string(#"["https:\/\/e.com"]"#),
            .array(of: .url),
            .becomes(.array([.string(#""https:\/\/e.com""#)]))
        ),
        DefaultsV4Case(
            "X27 dict with non-String/Int key, v4's real bytes",
            .string("[1,\(zoneText)]"),
            .dictionary(key: .of(UInt32.self), of: .codable(as: CodableTimeZone.self)),
            .becomes(.dictionary(["1": .string(zoneText)]))
        ),
        DefaultsV4Case(
            "X28 same, element only NativeType",
            .string("[1,\(zoneText)]"),
            .dictionary(key: .of(UInt32.self), of: .timeZone),
            .becomes(.dictionary(["1": zone]))
        ),
        DefaultsV4Case(
            "X29 [UInt32:Int]",
            .string("[1,5]"),
            .dictionary(key: .of(UInt32.self), of: .int),
            .becomes(.dictionary(["1": .int(5)]))
        ),
        DefaultsV4Case(
            "X29 [Int:Int]",
            .string(#"{"1":5}"#),
            .dictionary(key: .of(Int.self), of: .int),
            .becomes(.dictionary(["1": .int(5)]))
        ),
        DefaultsV4Case(
            "X30 enum-keyed dict, v4's real bytes",
            .string(#"["10 Minutes",1]"#),
            DefaultsForm(.dictionary(DefaultsForm.periodKey, .int)),
            .becomes(.dictionary(["10 Minutes": .int(1)]))
        ),
        DefaultsV4Case(
            "X30 with an enum that is not at hand",
            .string(#"["10 Minutes",1]"#),
            .dictionary(key: .rawValue, of: .int),
            .becomes(.dictionary(["10 Minutes": .int(1)]))
        ),
        DefaultsV4Case("X31 Int64 in v4", .string("42"), .integer(Int64.self), .becomes(.int(42))),
        DefaultsV4Case("X31 UInt8 in v4", .string("42"), .integer(UInt8.self), .becomes(.int(42))),
        DefaultsV4Case("X31 CGFloat in v4", .string("42.5"), .double, .becomes(.double(42.5))),
        DefaultsV4Case("X32 UUID", .string(#""\#(identifier)""#), .uuid, .becomes(.string(identifier))),
        DefaultsV4Case("X32 UUID", .string(#""\#(identifier)""#), .uuid, .stays, target: .v5),
        DefaultsV4Case(
            "X32 UUID",
            .string(#""\#(identifier)""#),
            .uuid,
            .becomes(.string(identifier)),
            target: .v6dot2
        ),
        DefaultsV4Case(
            "X33 Range",
            .string("[1,5]"),
            DefaultsForm(.range(.int, isClosed: false)),
            .becomes(.array([.int(1), .int(5)]))
        ),
        DefaultsV4Case(
            "X33 Range",
            .string("[1,5]"),
            DefaultsForm(.range(.int, isClosed: false)),
            .stays,
            target: .v6dot2
        ),
        DefaultsV4Case(
            "X33 ClosedRange",
            .string("[0.5,1]"),
            DefaultsForm(.range(.double, isClosed: true)),
            .becomes(.array([.double(0.5), .double(1)]))
        ),
    ]
}

@Suite("Cases that the tests of Defaults 5 do not cover")
struct DefaultsV4CaseTests {
    @Test(arguments: DefaultsV4Case.cases)
    func `The value is converted, or the outcome gives the reason why not`(item: DefaultsV4Case) {
        let conversion = DefaultsV4Conversion(target: item.target)
        let outcome = conversion.convert(item.stored, as: item.form)
        switch item.outcome {
        case .becomes(let value):
            #expect(outcome == .converted(value))
            #expect(conversion.convert(value, as: item.form) == .alreadyCurrent)
        case .stays:
            #expect(outcome == .alreadyCurrent)
        case .cannot(let place, let reason):
            guard case .notConvertible(reason, let actual) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(actual.fullDescription == place)
        }
    }
}
