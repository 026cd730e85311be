import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

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

    /// The records of the redacted fixture, in a line each.
    private func redacted(by tool: Tool = molt, _ words: String...) async throws -> [String] {
        try fixture(await CommandRun(tool, ["fixture", path, "--redact"] + words)).records.map(\.line)
    }

    @Test func `a fixture has the store's contents`() async throws {
        try write([.json("ada", #"{"name": "Ada King"}"#), .json("eve", #"{"name":"Eve"}"#)])
        let found = try fixture(await run("fixture", path))
        try found.requireEqual(to: try StoreFixture(cacheFile: scratch.file("people.molt")))
        #expect(found.records.count == 2)
    }

    @Test func `settings are redacted in the form in which they are stored`() async throws {
        let profile = #"{"mail":"ada@mail.com","age":36,"status":"open"}"#
        let settings: [String: PropertyListValue] = [
            "title": "Ada", "on": true, "size": 14, "width": 20.5,
            "since": .date(.init(timeIntervalSinceReferenceDate: 7)),
            "never": .date(.init(timeIntervalSinceReferenceDate: 1e300)),
            "profile": .string(profile), "data": .data(Data(profile.utf8)), "raw": .data(Data([1, 2])),
            "draft.7": ["texts": ["Bob", "open"]],
        ]
        let url = scratch.file("0-everyday.json")
        func redacted(_ settings: [String: PropertyListValue], _ words: String...) async throws -> CommandRun {
            let store = StoreFixture(primary: .suite(.standard), version: 0, suites: [.standard: settings])
            try store.write(to: url, overwriting: true)
            let migrations: MigrationRegistry = [
                Migration(
                    to: 1,
                    "status",
                    .mapValue(.setting("data", in: .standard), "status", ["open": "new"]),
                    .mapValue(.settings(withPrefix: "draft.", in: .standard), ["texts", .each], ["open": "new"])
                )
            ]
            let app = Tool("app", "", RegisteredApp(migrations: migrations).commands)
            return await CommandRun(app, ["fixture", url.path, "--redact"] + words)
        }
        let found = try fixture(try await redacted(settings, "--keep", "profile.status,size")).suites[.standard]
        func json(_ status: String) -> String { #"{"mail":"xxx@xxxx.xxx","age":11,"status":"\#(status)"}"# }
        #expect(
            found == [
                "title": "Xxy", "on": true, "size": 14, "width": 11.1,
                "since": .date(.init(timeIntervalSinceReferenceDate: 1)),
                "never": .date(.init(timeIntervalSinceReferenceDate: 0)), "profile": .string(json("open")),
                "data": .data(Data(json("open").utf8)), "raw": .data(Data([0, 0])),
                "draft.7": ["texts": ["Xxx", "open"]],
            ]
        )
        try await redacted(["old": .data(Data("bplist00".utf8))])
            .expect(1, output: "", errors: "cannot replace values in the setting \"old\"")
    }

    private static let redactions: [(content: String, expected: String)] = [
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
    ]

    @Test(arguments: redactions)
    func `values are replaced by others of the same form`(content: String, expected: String) async throws {
        try write([.json("ada", content)])
        #expect(try await redacted() == ["xxx (Person): \(expected)"])
    }

    @Test func `nothing of a value is left`() async throws {
        try write([
            .json("ada-9", #"{"name":"Ada","born":1815}"#), .json("eve-8", #"{"name":"Eve"}"#),
            .json("bob-7", "1"), .photo("photo", [1, 2, 3], expiration: 1_700_000_000),
            .json("later", #"["ada-9","ada-8"]"#, expiration: 5_000_000_000),
        ])
        let run = await run("fixture", path, "--redact")
        let fixture = try fixture(run)
        // A value that is the key of a record still is one, and no other value is.
        // One of the last two has expired, the other has not.
        let expected = [
            #"xxx-1 (Person): {"name":"Xxx","born":1111}"#, #"xxx-2 (Person): {"name":"Xxy"}"#, "xxx-3 (Person): 1",
            "xxxxx (Photo): [0, 0, 0], until 2000-01-01T00:00:00Z",
            #"xxxxy (Person): ["xxx-1","xxx-4"], until 2100-01-01T00:00:00Z"#,
        ]
        #expect(fixture.records.map(\.line) == expected)
        #expect(fixture.json == run.output)
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
        let expected = [
            #"1111 (Person): {"id":1111,"status":1,"month":11}"#,
            #"1112 (Person): {"id":1112,"other":1111,"status":1,"month":11}"#,
        ]
        #expect(try await redacted() == expected)
    }

    @Test func `a value that a step names is kept at its property under each name, and nowhere else`() async throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "gender", .renameProperty("Person", "sex", to: "gender")),
            Migration(
                to: 2,
                "contact",
                .renameType("Person", to: "Contact"),
                .mapValue("Contact", "gender", ["m": "male"]).where("role", equals: "Guest"),
                .changeValue("Contact", ["flags", .each], to: .bool),
                .addProperty("Contact", "country", default: "Germany")
            ),
        ]
        let flags = #""flags":{"a":"1","b":0}"#
        try write([
            .json(
                "m",
                #"{"sex":"m","initial":"m",\#(flags),"n":0,"t":"1","country":"Germany","title":"Guest","role":"Guest"}"#
            )
        ])
        let tool = Tool("app", "", RegisteredApp(migrations: registry).commands)
        let expected =
            #"{"sex":"m","initial":"x",\#(flags),"n":1,"t":"2","country":"Xxxxxxx","title":"Xxxxx","role":"Guest"}"#
        #expect(try await redacted(by: tool) == ["x (Person): \(expected)"])
    }

    @Test func `the tool of a registry keeps what its steps name, so that they have the same effects`() async throws {
        let registry: MigrationRegistry = [
            Migration(
                to: 1,
                "steps",
                .mapValue("Person", "status", ["open": "active", ["code": 7]: "done"], otherwise: .fail),
                .changeValue("Person", "isOn", to: .bool),
                .changeValue("Person", "count", to: .integer),
                .changeValue("Person", "at", from: .iso8601, to: .deferredToDate),
                .changeValue("Person", "file", toPathIn: "Documents"),
                .splitProperty("Person", "pair", at: .first(" and "), into: ["one", "other"]),
                .addProperty("Person", "kind", default: "plain"),
                .mapValue("Person", "labels", in: .keys, ["both": "all"], otherwise: .keep),
                .changeDictionary("Person", "labels", to: .object),
                .splitIntoArray("Person", "list", separator: " and "),
                .renameProperty("Person", "text", to: "payload"),
                .parseJSONText("Person", "payload"),
                .mapValue("Person", ["payload", "kind"], ["new": "fresh"], otherwise: .fail),
                .extractRecords("Person", ["pets", .each], as: "Pet", key: .property("id")),
                .extractRecords("Person", ["notes", .each], as: "Note", key: .property("id"))
            )
        ]
        func person(_ status: String, _ first: Int, _ rest: String) -> String {
            #"{"status":\#(status),"isOn":"true","count":"\#(first)","at":"2024-02-29T12:00:00Z","pair":"Ada and Eve","#
                + #""labels":["both",1,\#(first),2,\#(first + 1),3],"list":"Ada and Eve","#
                + #""file":"file:///var/Documents/Cleo%20%C3%BC","#
                + #""text":"{\"kind\":\"new\",\"by\":[\"Ada\",true,null,\#(first)]}","#
                + #""pets":[{"id":\#(first)},{"id":\#(first + 1)}],"notes":[{"id":"n-\#(first)"}],\#(rest)}"#
        }
        let old = [
            person(#""open""#, 41, #""kind":"plain","name":"Cleo""#),
            person(#"{ "code":7 }"#, 51, #""owner":"ada","code":7"#),
        ]
        try write([.json("ada", old[0]), .json("bob", old[1])])
        let tool = Tool("app", "", RegisteredApp(migrations: registry).commands)
        let run = await CommandRun(tool, "fixture", path, "--redact")
        run.expect(hides: "Ada", "Eve", "Cleo", "41", "51", "2024")
        let redacted = try fixture(run)
        let lines = redacted.records.map(\.line)
        // An existing value does not matter to addProperty.
        #expect(lines[0].contains(#""kind":"xxxxx","name":"Xxxx""#))
        #expect(lines[0].contains(#"{\"kind\":\"new\",\"by\":[\"Xxx\",true,null,11]}"#), "\(lines[0])")
        // A member of a value that a step names is private elsewhere.
        #expect(lines[1].contains(#""owner":"xxx","code":1"#))

        let migrated = try redacted.migrated(through: registry)
        let original = try StoreFixture(cacheFile: scratch.file("people.molt")).migrated(through: registry)
        let forms = [migrated, original].map { $0.fixture.records.map { "\($0.typeName), \($0.key.count)" } }
        #expect(forms[0].count == 8)
        #expect(forms[0] == forms[1])
        let statuses = try ["xxx", "xxy"].map { try migrated.value(Status.self, forKey: $0)?.status }
        #expect(statuses == ["active", "done"])
    }

    @Test func `keys that differ only in case still do, and no others`() async throws {
        let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        let keys = ["Swift", "swift", "other", "SWIFT", "Other", "ẞ1", "ß1", "k1", "K1", "abcde", id, id.lowercased()]
        try write(keys.map { .json($0, #"{"key":"\#($0)"}"#, type: "Tag") })
        let registry: MigrationRegistry = [
            Migration(to: 1, "merge", .renameKeys("Tag", to: .lowercased, onConflict: .keep))
        ]
        let tool = Tool("app", "", RegisteredApp(migrations: registry).commands)
        let records = try fixture(await CommandRun(tool, "fixture", path, "--redact")).records
        let redacted = records.map(\.key)
        for (one, new) in zip(keys, redacted) {
            #expect((new == new.lowercased()) == (one == one.lowercased()))
            for (other, newOther) in zip(keys, redacted) {
                #expect((one == other) == (new == newOther))
                #expect((one.lowercased() == other.lowercased()) == (new.lowercased() == newOther.lowercased()))
            }
        }
        for record in records { #expect(record.content == .json(#"{"key":"\#(record.key)"}"#)) }
        #expect(redacted[0] == "Xxxxx")
    }

    @Test func `keys in two Unicode forms are refused if a step makes them one`() async throws {
        try write(["\u{E9}", "e\u{301}"].map { .json($0, "{}") })
        let registry: MigrationRegistry = [Migration(to: 1, "merge", .renameKeys("Person", to: .precomposed))]
        let tool = Tool("app", "", RegisteredApp(migrations: registry).commands)
        await CommandRun(tool, "fixture", path, "--redact").expect(
            1,
            output: "",
            errors: "two keys differ only in their"
        )
        #expect(try await redacted().count == 2)
    }

    private struct Status: Decodable {
        var status: String
    }

    @Test func `the ledger keeps its migrations, and loses its times`() async throws {
        var entry = LedgerEntry(name: "split-name", version: 1, appliedAt: Date(timeIntervalSince1970: 1_700_000_000))
        entry.appVersion = "2.1"
        entry.fingerprint = "f"
        try scratch.store("people.molt", version: 1, ledger: [entry], [.json("ada", "1")])
        let run = await run("fixture", path, "--redact")
        run.expect(hides: "2.1", "appliedAt")
        let names = try fixture(run).ledger.map(\.name)
        #expect(names == ["split-name"])
        await self.run("fixture", path).expect(says: "appliedAt")
    }

    @Test func `named properties keep their values`() async throws {
        try write([.json("ada", #"{"status":"on","tags":[{"kind":"a","name":"b"}],"address":{"zip":75}}"#)])
        let lines = try await redacted("--keep", "Person.status,Person.tags[].kind,Person.address")
        #expect(lines == [#"xxx (Person): {"status":"on","tags":[{"kind":"a","name":"x"}],"address":{"zip":75}}"#])
        await run("fixture", path, "--redact", "--keep", "Person.status,Person.stauts").expect(
            1,
            output: "",
            errors: "no record has the property \"Person.stauts\" of --keep; did you mean \"Person.status\"?"
        )
        await run("fixture", path, "--keep", "Person.status").expect(64, errors: "--keep needs --redact")
    }

    @Test func `records in quarantine are left out, and counted`() async throws {
        try write([.json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Eve"}"#)])
        try scratch.upgrade("people.molt")
        let run = await run("fixture", path, "--redact")
        run.expect(errors: "1 record in quarantine left out\n")
        let keys = try fixture(run).records.map(\.key)
        #expect(keys == ["xxx"])
    }
}

extension StoreFixture.Record {
    /// The key, the type, the content and the expiry.
    fileprivate var line: String {
        let text = content.isData ? "\(content.bytes)" : String(decoding: content.bytes, as: UTF8.self)
        return "\(key) (\(typeName)): \(text)" + (expiration.map { ", until \(DisplayText.time($0))" } ?? "")
    }
}
