import Foundation
import Molt
import Testing

/// A setting in a library's old form that no migration names.
@Suite("A forgotten key") struct ForgottenKeyTests {
    private let cache: ScratchCache

    init() throws {
        cache = try ScratchCache()
    }

    private func forgotten(_ report: MigrationReport) -> [String] {
        report.keys.filter { $0.outcome == .notNamed }.map(\.key)
    }

    @Test func `is in the report of a conversion from Defaults 4, unless another migration converts it`() throws {
        let scratch = try ScratchSuite([
            "tags": #"["a"]"#, "sizes": "[1,2]", "owner": #"{"name":"Ada"}"#, "url": #""https://a.b""#, "own": "[3]",
            "text": "plain", "bracket": "[draft", "count": 3, "since": .date(Date()),
        ])
        let suite = scratch.suite
        let migrations: MigrationRegistry = [
            .defaultsV4ToV5(to: 1, suite: suite, keys: [.key("tags", .array(of: .string))], except: ["own"]),
            .defaultsV4ToV5(to: 2, "sizes", suite: suite, keys: [.key("sizes", .array(of: .int))]),
        ]

        let report = try cache.upgrade(migrations)

        #expect(forgotten(report) == ["owner", "url", "owner", "url"])
        let line = """
            not named: "owner" of \(suite.attachedName): it probably has an old form, and no migration converts it: \
            add it to the keys, or to `except`
            """
        #expect(report.description.contains(line))
        let values = try scratch.values
        #expect(values["owner"] == #"{"name":"Ada"}"#)
        #expect(values["sizes"] == [1, 2])
    }

    @Test func `is in the report of a conversion from SwiftyUserDefaults`() throws {
        let scratch = try ScratchSuite([
            "tags": .data(Data(#"["a"]"#.utf8)), "json": .data(Data(#"{"a":1}"#.utf8)),
            "archive": try SwiftyRow.archive(["a"]), "photo": .data(Data([0xFF, 0xD8])), "text": "[1]",
        ])
        let report = try cache.upgrade([
            .swiftyUserDefaults(to: 1, suite: scratch.suite, keys: [.key("tags", .array(of: .string))])
        ])
        #expect(forgotten(report) == ["archive", "json"])
    }
}
