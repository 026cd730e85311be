import Foundation
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("molt fixture") struct FixtureTests {
    private let scratch: ScratchDirectory
    private var path: String { scratch.file("people.molt").path }

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(molt, words) }

    private func write(_ records: [StoreContents.StoredRecord]) throws {
        try scratch.store("people.molt", records)
    }

    /// Reads the printed fixture.
    private func fixture(_ run: CommandRun) throws -> StoreFixture {
        try #require(run.code == 0, "\(run.errors)")
        let url = scratch.file("fixture.json")
        try Data(run.output.utf8).write(to: url)
        return try StoreFixture(contentsOf: url)
    }

    /// The contents of the redacted fixture's records.
    private func redacted(_ words: String...) async throws -> [String] {
        let run = await CommandRun(molt, ["fixture", path, "--redact"] + words)
        return try fixture(run).records.map { String(decoding: $0.content.bytes, as: UTF8.self) }
    }

    @Test func `a fixture has the store's contents`() async throws {
        try write([.json("ada", #"{"name": "Ada King"}"#), .json("eve", #"{"name":"Eve"}"#)])
        let found = try fixture(await run("fixture", path))
        try found.requireEqual(to: try StoreFixture(cacheFile: scratch.file("people.molt")))
        #expect(found.records.map(\.key) == ["ada", "eve"])
    }

    @Test(arguments: [
        (
            #"{"name":"Ada King, 2nd","n":-120.50e+23,"t":true,"z":null}"#,
            #"{"name":"Xxx Xxxx, 1xx","n":-111.11e+23,"t":true,"z":null}"#
        ),
        (#"{ "a" : [ 0, 7, "x\n\"y\/\\" ] }"#, #"{ "a" : [ 1, 1, "x\n\"x/\\" ] }"#),
        // The first scalar makes one character of itself and the next one.
        ("[\"\u{6DD}\\n\",\"\u{6DD}\\\"\",\"\u{600}1\"]", #"["x\n","x\"","x1"]"#),
        (#"["\u00e9\u4e2d9","é中9","e\#u{301}"]"#, #"["xx1","xx1","xx"]"#),
        (#"["ada@mail.com","https://e.com/a?b=2","😀 12:30"]"#, #"["xxx@xxxx.xxx","xxxxx://x.xxx/x?x=1","x 11:11"]"#),
        (
            #"["2024-02-29T23:59:58.123Z","2024-02-29","E621E1F8-c36c-495A-93FC-0C247A3E6E5F"]"#,
            #"["1111-11-11T11:11:11.111Z","1111-11-11","11111111-1111-1111-1111-111111111111"]"#
        ),
        ("18446744073709551615", "11111111111111111111"), ("\"Ada\"", "\"Xxx\""), ("{\"a\":", "{\"x\":"),
        (#"{"a":"Ada","a":"Bob"}"#, #"{"a":"Xxx","a":"Xxy"}"#),
    ])
    func `values are replaced by others of the same form`(content: String, expected: String) async throws {
        try write([.json("ada", content)])
        #expect(try await redacted() == [expected])
    }

    @Test func `nothing of a value is left`() async throws {
        try write([
            .json("ada-9", #"{"name":"Ada","born":1815}"#), .json("eve-8", #"{"name":"Eve"}"#),
            .json("bob-7", "1"), .photo("photo", [1, 2, 3], expiration: 1_700_000_000),
            .json("later", #"["ada-9","ada-8"]"#, expiration: 5_000_000_000),
        ])
        let fixture = try fixture(await run("fixture", path, "--redact"))
        #expect(fixture.records.map(\.key) == ["xxx-1", "xxx-2", "xxx-3", "xxxxx", "xxxxy"])
        #expect(fixture.records.map(\.typeName) == ["Person", "Person", "Person", "Photo", "Person"])
        // A value that is the key of a record still is one, and no other value is.
        #expect(fixture.records[4].content == .json(#"["xxx-1","xxx-4"]"#))
        #expect(fixture.records[3].content == .data(Data(count: 3)))
        // One has expired, the other has not.
        #expect(fixture.records[3].expiration == Date(timeIntervalSince1970: 946_684_800))
        #expect(fixture.records[4].expiration == Date(timeIntervalSince1970: 4_102_444_800))
        let again = await run("fixture", path, "--redact").output
        #expect(try self.fixture(await run("fixture", path, "--redact")).json == again)
    }

    @Test func `equal texts stay equal, different ones different, and all of them of their kind`() async throws {
        // All numbers of some forms, and more keys of the last form than there are.
        let numbers = Array(0..<100)
        let dates = (1970..<2030).map { "\($0)-02-29T12:00:00Z" }
        let ids = (0..<20).map { _ in UUID().uuidString }
        let keys = (0x4E2D..<0x4E4D).compactMap { UnicodeScalar($0).map(String.init) }
        let lists = Lists(n: numbers, ids: ids + ids, at: dates)
        var stored: [StoreContents.StoredRecord] = keys.map { .json($0, #"{"id":"\#($0)"}"#) }
        stored += numbers.map { .json("\($0)", #"{"id":\#($0)}"#) }
        stored.append(.json("lists", String(decoding: try JSONEncoder().encode(lists), as: UTF8.self)))
        try write(stored)
        let records = try fixture(await run("fixture", path, "--redact")).records
        #expect(Set(records.map(\.key)).count == keys.count + numbers.count + 1)
        for (index, record) in records.dropLast().enumerated() {
            let id = index < keys.count ? "\"\(record.key)\"" : record.key
            #expect(record.content == .json(#"{"id":\#(id)}"#))
        }

        let redacted = try JSONDecoder().decode(Lists.self, from: Data(try #require(records.last).content.bytes))
        #expect(Set(redacted.n).count == numbers.count)
        #expect(redacted.n.map { "\($0)".count } == lists.n.map { "\($0)".count })
        #expect(Set(redacted.at).count == dates.count)
        #expect(redacted.at.allSatisfy { (try? Date($0, strategy: .iso8601)) != nil && !dates.contains($0) })
        #expect(Set(redacted.ids.compactMap { UUID(uuidString: $0) }).count == ids.count)
        #expect(redacted.ids.prefix(20) == redacted.ids.suffix(20))
    }

    private struct Lists: Codable {
        var n: [Int]
        var ids: [String]
        var at: [String]
    }

    @Test func `small raw values stay valid, and numbers that are keys stay equal to them`() async throws {
        try write([
            .json("4711", #"{"id":4711,"status":0,"month":12}"#),
            .json("4712", #"{"id":4712,"other":4711,"status":2,"month":10}"#),
        ])
        let records = try fixture(await run("fixture", path, "--redact")).records
        #expect(records.map(\.key) == ["1111", "1112"])
        #expect(records[0].content == .json(#"{"id":1111,"status":1,"month":11}"#))
        #expect(records[1].content == .json(#"{"id":1112,"other":1111,"status":1,"month":11}"#))
    }

    @Test func `a value that a step names is kept at its property under each name, and nowhere else`() async throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "gender", .renameProperty("Person", "sex", to: "gender")),
            Migration(
                to: 2,
                "contact",
                .renameType("Person", to: "Contact"),
                .mapValue("Contact", "gender", ["m": "male"]),
                .changeValue("Contact", ["flags", .each], to: .bool),
                .addProperty("Contact", "country", default: "Germany")
            ),
        ]
        let flags = #""flags":{"a":"1","b":0}"#
        try write([
            .json("m", #"{"sex":"m","initial":"m",\#(flags),"n":0,"t":"1","country":"Germany","title":"Germany"}"#)
        ])
        let tool = Tool("app", "", RegisteredApp(migrations: registry).commands)
        let records = try fixture(await CommandRun(tool, ["fixture", path, "--redact"])).records
        #expect(records.map(\.key) == ["x"])
        #expect(
            records[0].content
                == .json(#"{"sex":"m","initial":"x",\#(flags),"n":1,"t":"2","country":"Xxxxxxx","title":"Xxxxxxx"}"#)
        )
    }

    @Test func `the tool of a registry keeps what its steps name, so that they have the same effects`() async throws {
        let registry: MigrationRegistry = [
            Migration(
                to: 1,
                "steps",
                .mapValue("Person", "status", ["open": "active", ["code": 7]: "done"], otherwise: .fail),
                .changeValue("Person", "isOn", to: .bool),
                .changeValue("Person", "count", to: .integer),
                .changeValue("Person", "at", from: .iso8601, to: .secondsSinceReferenceDate),
                .splitProperty("Person", "pair", at: .first(" and "), into: ["one", "other"]),
                .addProperty("Person", "kind", default: "plain"),
                .extractRecords("Person", ["pets", .each], as: "Pet", key: .property("id")),
                .extractRecords("Person", ["notes", .each], as: "Note", key: .property("id"))
            )
        ]
        func person(_ status: String, _ first: Int, _ rest: String) -> String {
            #"{"status":\#(status),"isOn":"true","count":"\#(first)","at":"2024-02-29T12:00:00Z","pair":"Ada and Eve","#
                + #""pets":[{"id":\#(first)},{"id":\#(first + 1)}],"notes":[{"id":"n-\#(first)"}],\#(rest)}"#
        }
        let old = [
            person(#""open""#, 41, #""kind":"plain","name":"Cleo""#),
            person(#"{ "code":7 }"#, 51, #""owner":"ada","code":7"#),
        ]
        try write([.json("ada", old[0]), .json("bob", old[1])])
        let tool = Tool("app", "", RegisteredApp(migrations: registry).commands)
        let redacted = try fixture(await CommandRun(tool, ["fixture", path, "--redact"]))
        let texts = redacted.records.map { String(decoding: $0.content.bytes, as: UTF8.self) }
        // An existing value does not matter to addProperty.
        #expect(texts[0].contains(#""kind":"xxxxx","name":"Xxxx""#))
        // A member of a value that a step names is private elsewhere.
        #expect(texts[1].contains(#""owner":"xxx","code":1"#))
        for word in ["Ada", "Eve", "Cleo", "41", "51", "2024"] { #expect(!redacted.json.contains(word), "\(word)") }

        let migrated = try redacted.migrated(through: registry)
        let original = try StoreFixture(cacheFile: scratch.file("people.molt")).migrated(through: registry)
        let records = [migrated, original].map(\.fixture.records)
        #expect(records[0].count == 8)
        #expect(records[0].map(\.typeName) == records[1].map(\.typeName))
        #expect(records[0].map(\.key.count) == records[1].map(\.key.count))
        let statuses = try ["xxx", "xxy"].map { try migrated.value(Status.self, forKey: $0)?.status }
        #expect(statuses == ["active", "done"])
    }

    private struct Status: Decodable {
        var status: String
    }

    @Test func `the ledger keeps its migrations, and loses its times`() async throws {
        let entry = LedgerEntry(
            name: "split-name",
            version: 1,
            appliedAt: Date(timeIntervalSince1970: 1_700_000_000),
            appVersion: "2.1",
            fingerprint: "f"
        )
        try scratch.store("people.molt", version: 1, ledger: [entry], [.json("ada", "1")])
        let run = await run("fixture", path, "--redact")
        #expect(try fixture(run).ledger.map(\.name) == ["split-name"])
        #expect(!run.output.contains("2.1") && !run.output.contains("appliedAt"))
        #expect(await self.run("fixture", path).output.contains("appliedAt"))
    }

    @Test func `named properties keep their values`() async throws {
        try write([.json("ada", #"{"status":"on","tags":[{"kind":"a","name":"b"}],"address":{"zip":75}}"#)])
        #expect(
            try await redacted("--keep", "Person.status,Person.tags[].kind,Person.address")
                == [#"{"status":"on","tags":[{"kind":"a","name":"x"}],"address":{"zip":75}}"#]
        )
        let wrong = await run("fixture", path, "--redact", "--keep", "Person.status,Person.stauts")
        #expect(wrong.code == 1)
        #expect(wrong.output.isEmpty)
        #expect(
            wrong.errors.contains(
                "no record has the property \"Person.stauts\" of --keep; did you mean \"Person.status\"?"
            )
        )
        #expect(await run("fixture", path, "--keep", "Person.status").errors.contains("--keep needs --redact"))
    }

    @Test func `records in quarantine are left out, and counted`() async throws {
        try write([.json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Eve"}"#)])
        try scratch.upgrade("people.molt")
        let run = await run("fixture", path, "--redact")
        #expect(try fixture(run).records.map(\.key) == ["xxx"])
        #expect(run.errors.contains("1 record in quarantine left out\n"))
    }
}
