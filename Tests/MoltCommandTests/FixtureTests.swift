import Foundation
import Molt
import MoltCache
import MoltCommand
import MoltCore
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
        (#"{"a":"Ada","a":"Bob"}"#, #"{"a":"Xxx","a":"Xxx"}"#),
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
        #expect(fixture.records.map(\.key) == ["xxx-1", "xxx-12", "xxx-13", "xxxxx", "xxxxx2"])
        #expect(fixture.records.map(\.typeName) == ["Person", "Person", "Person", "Photo", "Person"])
        // A value that is the key of a record still is one.
        #expect(fixture.records[4].content == .json(#"["xxx-1","xxx-1"]"#))
        #expect(fixture.records[3].content == .data(Data(count: 3)))
        // One has expired, the other has not.
        #expect(fixture.records[3].expiration == Date(timeIntervalSince1970: 946_684_800))
        #expect(fixture.records[4].expiration == Date(timeIntervalSince1970: 4_102_444_800))
        let again = await run("fixture", path, "--redact").output
        #expect(try self.fixture(await run("fixture", path, "--redact")).json == again)
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

    @Test func `a redacted store can be upgraded`() async throws {
        try write([.json("ada", #"{"name":"Ada King","phone":30}"#)])
        let migrated = try fixture(await run("fixture", path, "--redact")).migrated(through: migrations)
        let person = try migrated.value(Person.self, forKey: "xxx")
        #expect(person == Person(firstName: "Xxx", lastName: "Xxxx"))
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
