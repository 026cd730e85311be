import Foundation
import Testing

@testable import Molt

/// A test from Defaults 5.0.0's own suite, by its place there: a stored text and the typed key that is used afterwards.
struct DefaultsV4Row: Sendable, CustomTestStringConvertible {
    var number: Int
    var testDescription: String
    var stored: String
    /// The value that Defaults 5 stores after its conversion.
    var result: PropertyListValue
    var form: DefaultsForm
    /// Reads the converted value, sets another and reads that.
    var use: @Sendable (any SettingsAccess) throws -> Void

    init<Value: DefaultsSerializable & Equatable & Sendable>(
        _ number: Int,
        _ stored: String,
        _ result: PropertyListValue,
        _ value: Value,
        next: Value?
    ) {
        self.init(number, stored, result, DefaultsKey<Value?>("key"), value, next: next)
    }

    init<Value: DefaultsSerializable & Equatable & Sendable>(
        _ number: Int,
        _ stored: String,
        _ result: PropertyListValue,
        _ key: DefaultsKey<Value>,
        _ value: Value,
        next: Value
    ) {
        self.number = number
        testDescription = "\(number) \(Value.self)"
        self.stored = stored
        self.result = result
        form = key.form
        use = { settings in
            // A suite on Linux stores dates in whole seconds.
            let expected = settings is Suite ? try Value.decoded(from: result.asStored()) : value
            #expect(try settings.value(for: key) == expected)
            try settings.set(next, for: key)
            #expect(try settings.value(for: key) == next)
        }
    }

    /// The three tests of a type: alone, in a collection, and in a collection that was Codable.
    private static func numbers<Number: DefaultsSerializable & Codable & Hashable & Sendable>(
        _ first: Int,
        _ text: String,
        _ result: PropertyListValue,
        _ value: Number,
        next: Number
    ) -> [DefaultsV4Row] {
        [
            DefaultsV4Row(first, text, result, value, next: next),
            DefaultsV4Row(first + 1, "[\(text)]", [result], MyBag([value]), next: MyBag([next])),
            DefaultsV4Row(first + 2, #"{"items":[\#(text)]}"#, [result], CodableBag([value]), next: CodableBag([next])),
        ]
    }

    private static let hello = Data("Hello World!".utf8)
    private static let helloText = #""SGVsbG8gV29ybGQh""#
    private static let bye = Data("Bye".utf8)
    private static let date = Date(timeIntervalSinceReferenceDate: 642_000_000.5)
    private static let otherDate = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private static let url = URL(string: "https://sindresorhus.com") ?? URL(filePath: "")
    private static let urlText = #"["https:\/\/sindresorhus.com"]"#
    private static let urls: PropertyListValue = [#""https:\/\/sindresorhus.com""#]
    private static let abc = #"["a","b","c"]"#
    private static let abcs: PropertyListValue = ["a", "b", "c"]
    private static let zone = TimeZone(id: "0", name: "Asia/Taipei")
    private static let otherZone = TimeZone(id: "1", name: "Asia/Tokyo")
    private static let chosen = ChosenTimeZone(id: "0", name: "Asia/Taipei")
    private static let otherChosen = ChosenTimeZone(id: "1", name: "Asia/Tokyo")
    private static let zoneText = #"{"name":"Asia\/Taipei","id":"0"}"#
    private static let otherZoneText = #"{"id":"0","name":"Asia\/Taipei"}"#
    private static let nativeZone: PropertyListValue = ["id": "0", "name": "Asia/Taipei"]

    static let rows: [DefaultsV4Row] =
        numbers(1, helloText, .data(hello), hello, next: bye)
        + [DefaultsV4Row(4, #"{"store":[\#(helloText)]}"#, [.data(hello)], CodableSet([hello]), next: [bye])]
        + numbers(5, "642000000.5", .date(date), date, next: otherDate)
        + numbers(8, "false", false, false, next: true)
        + numbers(11, "-9223372036854775808", .int(.min), Int.min, next: .max)
        + numbers(14, "0", 0, UInt.min, next: .max)
        + numbers(17, "0", 0.0, Double(0), next: .infinity)
        + numbers(20, "0", 0.0, Float(0), next: .infinity)
        + numbers(23, "0", 0.0, CGFloat(0), next: .infinity)
        + numbers(26, "-128", -128, Int8.min, next: .max)
        + numbers(29, "0", 0, UInt8.min, next: .max)
        + numbers(32, "-32768", -32768, Int16.min, next: .max)
        + numbers(35, "0", 0, UInt16.min, next: .max)
        + numbers(38, "-2147483648", -2_147_483_648, Int32.min, next: .max)
        + numbers(41, "0", 0, UInt32.min, next: .max)
        + numbers(44, "-9223372036854775808", .int(.min), Int64.min, next: .max)
        + numbers(47, "0", 0, UInt64.min, next: .max)
        + collections + types

    private static let collections: [DefaultsV4Row] = [
        DefaultsV4Row(50, urlText, urls, [url], next: [url, url]),
        DefaultsV4Row(51, urlText, urls, MyBag([url]), next: MyBag([url, url])),
        DefaultsV4Row(52, abc, abcs, DefaultsKey("key", default: []), ["a", "b", "c"], next: ["a"]),
        DefaultsV4Row(53, abc, abcs, ["a", "b", "c"], next: ["d"]),
        DefaultsV4Row(54, abc, abcs, ["a", "b", "c"], next: []),
        DefaultsV4Row(55, #"[{"a":0,"b":1}]"#, [["a": 0, "b": 1]], [["a": 0, "b": 1]], next: [["c": 2], [:]]),
        DefaultsV4Row(56, abc, abcs, Set(["a", "b", "c"]), next: ["a"]),
        DefaultsV4Row(57, #"["Hello World!"]"#, ["Hello World!"], MyBag(["Hello World!"]), next: MyBag([])),
        DefaultsV4Row(58, #"{"items":\#(abc)}"#, abcs, CodableBag(["a", "b", "c"]), next: CodableBag(["d"])),
        DefaultsV4Row(59, "[\(zoneText)]", [nativeZone], MyBag([zone]), next: MyBag([zone, otherZone])),
        DefaultsV4Row(60, "[\(otherZoneText)]", [nativeZone], MySet([zone]), next: MySet([zone, otherZone])),
    ]

    private static let types: [DefaultsV4Row] = [
        DefaultsV4Row(61, otherZoneText, nativeZone, DefaultsKey("key", default: otherZone), zone, next: otherZone),
        DefaultsV4Row(62, zoneText, nativeZone, zone, next: otherZone),
        DefaultsV4Row(63, "[\(otherZoneText)]", [nativeZone], [zone], next: [zone, otherZone]),
        DefaultsV4Row(64, "[\(zoneText)]", [nativeZone], Set([zone]), next: [zone, otherZone]),
        DefaultsV4Row(65, otherZoneText, nativeZone, chosen, next: otherChosen),
        DefaultsV4Row(66, "[\(otherZoneText)]", [nativeZone], [chosen], next: [chosen, otherChosen]),
        DefaultsV4Row(
            67,
            #"{"items":[\#(zoneText)]}"#,
            [nativeZone],
            CodableBag([chosen]),
            next: CodableBag([otherChosen])
        ),
        DefaultsV4Row(68, #"{"Hank":"Chen"}"#, ["Hank": "Chen"], ["Hank": "Chen"], next: nil),
        DefaultsV4Row(69, #"{"0":\#(otherZoneText)}"#, ["0": nativeZone], ["0": zone], next: ["1": otherZone]),
        DefaultsV4Row(70, #"{"123":\#(zoneText)}"#, ["123": nativeZone], [UInt32(123): zone], next: [.max: otherZone]),
        DefaultsV4Row(
            71,
            #"{"1234":\#(otherZoneText)}"#,
            ["1234": nativeZone],
            [UniqueID(1234): zone],
            next: [UniqueID(.min): otherZone]
        ),
        DefaultsV4Row(
            72,
            #"{"12345":{"1234":\#(otherZoneText)}}"#,
            ["12345": ["1234": nativeZone]],
            [UniqueID(12345): [UniqueID(1234): zone]],
            next: [UniqueID(0): [UniqueID(.max): otherZone]]
        ),
        DefaultsV4Row(73, #""10 Minutes""#, "10 Minutes", EnumForm.tenMinutes, next: .oneHour),
        DefaultsV4Row(74, #"["10 Minutes"]"#, ["10 Minutes"], [EnumForm.tenMinutes], next: [.oneHour, .halfHour]),
        DefaultsV4Row(75, #"["10 Minutes"]"#, ["10 Minutes"], Set([EnumForm.tenMinutes]), next: [.oneHour, .halfHour]),
    ]
}

@Suite("Defaults 5's own tests")
struct DefaultsV4RowTests {
    @Test(arguments: DefaultsV4Row.rows)
    func `The stored text is converted, and a typed key reads it and what is set after it`(row: DefaultsV4Row) throws {
        for settings in [DictionarySettings(), Suite(TestHome.newSuiteName())] as [any SettingsAccess] {
            try settings.set(.string(row.stored), forKey: "key")
            let stored = try #require(try settings.value(forKey: "key"))
            for target in [DefaultsRelease.v5, .latest] {
                let conversion = DefaultsV4Conversion(target: target)
                #expect(conversion.convert(stored, as: row.form) == .converted(row.result))
                #expect(conversion.convert(row.result, as: row.form) == .alreadyCurrent)
            }
            try settings.set(row.result, forKey: "key")
            try row.use(settings)
        }
    }

    @Test
    func `All 75 tests of Defaults 5 are covered`() {
        #expect(DefaultsV4Row.rows.map(\.number) == Array(1...75))
    }
}
