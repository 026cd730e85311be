import Foundation
import Molt
import Testing

/// One value in each of the forms in which SwiftyUserDefaults 3, 4 and 5 and Defaults store it.
struct SwiftyRow: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var form: DefaultsForm
    /// As SwiftyUserDefaults 3.0.1 and 4.0.0 store it.
    var swifty4: PropertyListValue
    /// As SwiftyUserDefaults 5 stores it.
    var swifty5: PropertyListValue
    /// As Defaults stores it.
    var defaults: PropertyListValue

    /// Whether SwiftyUserDefaults 5 stores it as JSON data.
    var isJSON: Bool { swifty5 != swifty4 || testDescription.contains("Codable") }

    private init(
        _ name: String,
        _ form: DefaultsForm,
        _ swifty4: PropertyListValue,
        _ swifty5: PropertyListValue? = nil,
        defaults: PropertyListValue? = nil
    ) {
        testDescription = name
        self.form = form
        self.swifty4 = swifty4
        self.swifty5 = swifty5 ?? swifty4
        self.defaults = defaults ?? swifty4
    }

    private static func json(_ text: String) -> PropertyListValue { .data(Data(text.utf8)) }

    static func archive(_ object: Any) throws -> PropertyListValue {
        .data(try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false))
    }

    static func rows() throws -> [SwiftyRow] {
        let date = Date(timeIntervalSinceReferenceDate: 642_000_000.5)
        let url = try #require(URL(string: "https://e.com/a?b=1#ü"))
        let home = try JSONEncoder().encode(URL(fileURLWithPath: NSString("~/a").expandingTildeInPath))
        let urlText: PropertyListValue = #""https:\/\/e.com\/a?b=1#%C3%BC""#
        let zone = #"{"id":"0","name":"Asia\/Taipei"}"#
        let zones = DefaultsForm.codable
        return [
            SwiftyRow("String", .string, "a"),
            SwiftyRow("String that looks like JSON", .string, "[1]"),
            SwiftyRow("Int", .int, 42),
            SwiftyRow("Double", .double, 0.1),
            SwiftyRow("Bool", .bool, true),
            SwiftyRow("Data", .data, .data(Data([1, 2]))),
            SwiftyRow("Data that looks like JSON", .data, json("[1]")),
            SwiftyRow("Date", .date, .date(date)),
            SwiftyRow("URL", .url, try archive(url), defaults: urlText),
            SwiftyRow("path in the home", .url, "~/a", defaults: .string(String(decoding: home, as: UTF8.self))),
            SwiftyRow("path of a file", .url, "/tmp/a b", defaults: #""file:\/\/\/tmp\/a%20b""#),
            SwiftyRow("[String]", .array(of: .string), ["a", "b/c"], json(#"["a","b\/c"]"#)),
            SwiftyRow("[Int]", .array(of: .int), [1, -2], json("[1,-2]")),
            SwiftyRow("[UInt64]", .array(of: .integer(UInt64.self)), [.unsigned(.max)], json("[18446744073709551615]")),
            SwiftyRow("[Double]", .array(of: .double), [1.5], json("[1.5]")),
            SwiftyRow("[Bool]", .array(of: .bool), [true, false], json("[true,false]")),
            SwiftyRow("[Data]", .array(of: .data), [.data(Data([1, 2]))], json(#"["AQI="]"#)),
            SwiftyRow("[Date]", .array(of: .date), [.date(date)], json("[642000000.5]")),
            SwiftyRow("empty", .array(of: .string), [], json("[]")),
            SwiftyRow("[URL]", .array(of: .url), try archive([url, url]), defaults: [urlText, urlText]),
            SwiftyRow("Codable", zones, json(zone), defaults: .string(zone)),
            SwiftyRow("[Codable]", .array(of: zones), json("[ \(zone) ]"), defaults: [.string(zone)]),
            SwiftyRow("Codable, of a type not at hand", .codable, json("1.10"), defaults: "1.10"),
            SwiftyRow("RawRepresentable", .period, "10 Minutes"),
            SwiftyRow("RawRepresentable of Int", .level, 2),
            SwiftyRow("[RawRepresentable]", .array(of: .period), ["10 Minutes", "1 Hour"]),
            SwiftyRow("NSCoding", .keyedArchive, try archive(NSNull())),
            SwiftyRow("[String: Any]", .dictionary(of: .int), ["a": 1]),
            SwiftyRow("[[String: Any]]", .array(of: .dictionary(of: .int)), [["a": 1], [:]]),
            SwiftyRow("a type with a coding of its own", Frog.settingCoding.form, "Froggy"),
            SwiftyRow("an array of it", [Frog].settingCoding.form, ["a", "b"]),
        ]
    }
}

@Suite("Conversion of settings of SwiftyUserDefaults") struct SwiftyConversionTests {
    private let conversion = SwiftyConversion()

    @Test func `Every form is converted, and is current afterwards`() throws {
        for row in try SwiftyRow.rows() {
            for stored in [row.swifty4, row.swifty5] {
                let outcome = conversion.convert(stored, as: row.form)
                #expect(
                    outcome == (stored == row.defaults ? .alreadyCurrent : .converted(row.defaults)),
                    "\(row.testDescription)"
                )
            }
            #expect(conversion.convert(row.defaults, as: row.form) == .alreadyCurrent, "\(row.testDescription)")
        }
    }

    @Test func `An archive around JSON data is unwrapped`() throws {
        for row in try SwiftyRow.rows() where row.isJSON {
            let once = try SwiftyRow.archive(#require(row.swifty5.data))
            for stored in [once, try SwiftyRow.archive(#require(once.data))] {
                #expect(conversion.convert(stored, as: row.form) == .converted(row.defaults), "\(row.testDescription)")
            }
        }
    }

    @Test func `Archives of plain values are unwrapped`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 642_000_000.5)
        let relative = try #require(URL(string: "b", relativeTo: URL(string: "https://e.com/a/")))
        let rows: [(Any, DefaultsForm, PropertyListValue)] = [
            ("a", .string, "a"), ("ü🦄", .string, "ü🦄"), (42, .int, 42), (-1, .int, -1), (1.5, .double, 1.5),
            (true, .bool, true), (date, .date, .date(date)), (["a", "b"], .array(of: .string), ["a", "b"]),
            ([1, 300, 70_000, 5_000_000_000], .set(of: .int), [1, 300, 70_000, 5_000_000_000]),
            ([Data([1])], .array(of: .data), [.data(Data([1]))]), ([date], .array(of: .date), [.date(date)]),
            (["a": [1]], .dictionary(of: .array(of: .int)), ["a": [1]]),
            (NSMutableArray(array: ["a"]), .array(of: .string), ["a"]), (relative, .url, #""https:\/\/e.com\/a\/b""#),
            (Array(repeating: "a", count: 20), .array(of: .string), .array(Array(repeating: "a", count: 20))),
        ]
        for (object, form, value) in rows {
            let stored = try SwiftyRow.archive(object)
            #expect(conversion.convert(stored, as: form) == .converted(value), "\(object)")
        }
    }

    @Test(
        arguments: [
            ("42", .int, 42), ("-5", .integer(Int64.self), -5),
            ("18446744073709551615", .integer(UInt64.self), .unsigned(.max)),
            ("1.5", .double, 1.5), ("1e2", .float, 100.0), ("true", .bool, true), ("T", .bool, true),
            ("YES", .bool, true), ("y", .bool, true), ("1", .bool, true), ("False", .bool, false), ("f", .bool, false),
            ("no", .bool, false), ("N", .bool, false), ("0", .bool, false),
        ] as [(String, DefaultsForm, PropertyListValue)]
    )
    func `A string is converted to a number or a Boolean`(text: String, form: DefaultsForm, value: PropertyListValue) {
        #expect(conversion.convert(.string(text), as: form) == .converted(value))
    }

    @Test(
        arguments: [
            ("x", .int, "a string that is not an integer"),
            ("1.5", .int, "a string that is not an integer"),
            ("300", .integer(Int8.self), "a number beyond the limits of its type"),
            ("x", .double, "a string that is not a number"),
            ("maybe", .bool, "a string that is not a Boolean"),
            ("https://e.com", .url, "not JSON text: an unexpected byte, at byte 0"),
            ("", .url, "an empty text"),
            (
                .data(Data("[1,".utf8)), .array(of: .int),
                "data that is not JSON text: the text ends too early, at byte 3"
            ),
            (.data(Data([0xFF])), .codable, "data that is not JSON text"),
            (.data(Data("{}".utf8)), .array(of: .int), "an object, where an array was expected"),
            (.int(1), .data, "an integer, where data was expected"),
            (.int(1), .keyedArchive, "an integer, where data was expected"),
            (.date(.distantPast), .codable, "a date, where JSON text of a Codable value was expected"),
            (["a"], .array(of: .int), "[0]: not JSON text: an unexpected byte, at byte 0"),
            (.data(Data(#"["a",1]"#.utf8)), .array(of: .string), "[1]: a number, where a string was expected"),
        ] as [(PropertyListValue, DefaultsForm, String)]
    )
    func `A value that cannot be converted gives the place and the reason`(
        stored: PropertyListValue,
        form: DefaultsForm,
        text: String
    ) {
        #expect(failure(stored, form) == text)
    }

    /// The reason why a value is not converted, after the place if it is inside the value; nil if it is converted.
    private func failure(_ stored: PropertyListValue, _ form: DefaultsForm) -> String? {
        conversion.convert(stored, as: form).failure.map { $0.path.isEmpty ? $0.reason : "\($0.path): \($0.reason)" }
    }

    @Test func `An archive of a class that the app does not have is named, with what to do`() throws {
        let data = try HandmadeArchive.binary([
            HandmadeArchive.object(class: 2, ""), HandmadeArchive.type("FormerNewt"),
        ])
        let stored = PropertyListValue.data(data)
        let reason = """
            an archive of the class "FormerNewt", which this app does not have: if the class was renamed, call \
            `NSKeyedUnarchiver.setClass(_:forClassName:)` with its old name.
            """
        #expect(conversion.convert(stored, as: .keyedArchive) == .alreadyCurrent)
        // Another process may have the class, so that it does not fail the upgrade.
        let scratch = try ScratchSuite(["newt": stored, "newts": .array([stored])])
        let report = try ScratchCache().upgrade([
            .swiftyUserDefaults(to: 1, suite: scratch.suite, keys: [.key("newt", .keyedArchive)], strict: true),
            .defaultsV4ToV5(
                to: 2,
                suite: scratch.suite,
                keys: [.key("newts", .array(of: .keyedArchive))],
                strict: true
            ),
        ])
        report.expectKeys("newt: unreadable, \(reason)", "newts: unreadable, \(reason)")
        #expect(try scratch.values["newt"] == stored)
        #expect(failure(.data(data.dropLast()), .keyedArchive) == "data that is not a keyed archive")
    }

    @Test func `An archive of the app's own objects cannot take another form`() throws {
        let stored = try SwiftyRow.archive([Newt(name: "a")])
        for form in [.array(of: .string), .codable, .array(of: .url), .string] as [DefaultsForm] {
            #expect(failure(stored, form) == "an archive that is damaged, or of objects that only the app can read")
        }
    }
}
