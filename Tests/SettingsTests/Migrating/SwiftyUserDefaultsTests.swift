import Foundation
import Molt
import Testing

@Suite("Migration of settings of SwiftyUserDefaults") struct SwiftyUserDefaultsTests {
    private static func json(_ text: String) -> PropertyListValue { .data(Data(text.utf8)) }

    @Test func `The settings of any release are converted for typed keys, and the report covers each key`() throws {
        let url = try #require(URL(string: "https://e.com"))
        let (homepage, flag) = (SettingKey<URL?>("homepage"), SettingKey<Bool?>("flag"))
        let zones = SettingKey<[CodableTimeZone]?>("zones")
        // Some keys as 3.x, some as 4.0 and some as 5.x wrote them.
        let stored: [String: PropertyListValue] = [
            "launches": 3, "native": ["a", "b"], "json": Self.json(#"["a","b"]"#), "ratios": Self.json("[1.5]"),
            "blobs": Self.json(#"["AQI="]"#), "zone": Self.json(#"{"id":"0","name":"Asia\/Taipei"}"#),
            "period": "1 Hour", "torn": Self.json(#"["a"#), "frogs": ["Froggy", "Bob"],
            "homepage": try SwiftyRow.archive(url), "flag": "YES",
            "zones": try SwiftyRow.archive(Data(#"[{"id":"0","name":"n"}]"#.utf8)),
        ]
        let scratch = try ScratchSuite(stored)
        let keys: [SettingKeys] = [
            .key("launches", .int), .key("native", .array(of: .string)), .key("json", .array(of: .string)),
            .key("ratios", .array(of: .double)), .key("blobs", .array(of: .data)), .key("zone", .codable),
            .key("period", .rawValue(of: .string)), .key("torn", .array(of: .string)), .key("absent", .int), homepage,
            flag, zones,
        ]

        let report = try ScratchCache().upgrade([.swiftyUserDefaults(to: 1, suite: scratch.suite, keys: keys)])

        let converted: [String: PropertyListValue] = [
            "json": ["a", "b"], "ratios": [1.5], "blobs": [.data(Data([1, 2]))],
            "zone": #"{"id":"0","name":"Asia\/Taipei"}"#, "homepage": #""https:\/\/e.com""#, "flag": true,
            "zones": [#"{"id":"0","name":"n"}"#],
        ]
        #expect(try scratch.values == stored.merging(converted) { $1 })
        var outcomes = converted.mapValues { _ in MigrationReport.KeyOutcome.Outcome.converted }
        for key in ["launches", "native", "period"] { outcomes[key] = .alreadyCurrent }
        outcomes["torn"] = .notConvertible
        outcomes["absent"] = .absent
        #expect(report.keyOutcomes == outcomes)
        #expect(scratch.suite[SettingKey<[Double]>("ratios", default: [])] == [1.5])
        #expect(scratch.suite[homepage] == url)
        #expect(scratch.suite[zones] == [CodableTimeZone(id: "0", name: "n")])
    }
}
