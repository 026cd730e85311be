import Foundation
import Testing

@testable import Molt

@Suite("Migration of settings of SwiftyUserDefaults") struct SwiftyUserDefaultsTests {
    private let cache: ScratchCache

    init() throws {
        cache = try ScratchCache()
    }

    private static func json(_ text: String) -> PropertyListValue { .data(Data(text.utf8)) }

    /// Some keys as 3.x, some as 4.0 and some as 5.x wrote them.
    private static let stored: [String: PropertyListValue] = [
        "launches": 3,
        "native": ["a", "b"],
        "json": json(#"["a","b"]"#),
        "ratios": json("[1.5]"),
        "blobs": json(#"["AQI="]"#),
        "zone": json(#"{"id":"0","name":"Asia\/Taipei"}"#),
        "period": "1 Hour",
        "torn": json(#"["a"#),
        "frogs": ["Froggy", "Bob"],
    ]

    private static let keys: [DefaultsKeys] = [
        .key("launches", .int), .key("native", .array(of: .string)), .key("json", .array(of: .string)),
        .key("ratios", .array(of: .double)), .key("blobs", .array(of: .data)), .key("zone", .codable),
        .key("period", .rawValue(of: .string)), .key("torn", .array(of: .string)), .key("absent", .int),
    ]

    @Test func `The settings of any release are converted for typed keys, and the report covers each key`() throws {
        let scratch = try ScratchSuite(Self.stored)
        let report = try cache.upgrade([.swiftyUserDefaults(to: 1, suite: scratch.suite, keys: Self.keys)])
        var expected = Self.stored
        expected["json"] = ["a", "b"]
        expected["ratios"] = [1.5]
        expected["blobs"] = [.data(Data([1, 2]))]
        expected["zone"] = .string(#"{"id":"0","name":"Asia\/Taipei"}"#)
        #expect(try scratch.values == expected)
        #expect(
            report.outcomes == [
                "launches": .alreadyCurrent, "native": .alreadyCurrent, "period": .alreadyCurrent,
                "json": .converted, "ratios": .converted, "blobs": .converted, "zone": .converted,
                "torn": .notConvertible, "absent": .absent,
            ]
        )
        #expect(scratch.suite[DefaultsKey<[Double]>("ratios", default: [])] == [1.5])
    }

    @Test func `Typed keys read archives that release 3 wrote`() throws {
        let url = try #require(URL(string: "https://e.com"))
        let zone = CodableTimeZone(id: "0", name: "n")
        let scratch = try ScratchSuite([
            "homepage": try SwiftyRow.archive(url),
            "zones": try SwiftyRow.archive(JSONEncoder().encode([zone])),
            "flag": "YES",
        ])
        let homepage = DefaultsKey<URL?>("homepage")
        let zones = DefaultsKey<[CodableTimeZone]?>("zones")
        let flag = DefaultsKey<Bool?>("flag")
        let report = try cache.upgrade([
            .swiftyUserDefaults(to: 1, suite: scratch.suite, keys: [homepage, zones, flag])
        ])
        #expect(report.keys.map(\.outcome) == [.converted, .converted, .converted])
        #expect(try scratch.suite.value(for: homepage) == url)
        #expect(try scratch.suite.value(for: zones) == [zone])
        #expect(try scratch.suite.value(for: flag) == true)
    }
}
