import Foundation
import Molt
import MoltCommand
import TestSupport
import Testing

@Suite("molt diff") struct DiffTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(molt, words) }

    @Test func `equal stores have no difference, whatever the keys and the order of their records`() async throws {
        let keys = ["\u{E9}", "e\u{301}", "\u{FF5E}", "\u{1F600}", "", "a\u{0}b", "a"]
        var records = keys.map { StoreContents.StoredRecord.json($0, "1") }
        records.append(.photo("photo", [1, 2]))
        let (one, other) = (try scratch.store("a.molt", records), try scratch.store("b.molt", records.reversed()))
        await run("diff", one, other).expect(output: "0 added, 0 removed, 0 changed, 8 the same\n")
    }

    @Test func `records are compared property by property`() async throws {
        let one = try scratch.store(
            "a.molt",
            [
                .json("ada", #"{"name":"Ada","address":{"city":"Paris","lines":["a","b"]},"age":null}"#),
                .json("bob", #"{"name":"Bob"}"#), .json("same", "1"), .photo("photo", [1, 2]),
                .json("moved", "1", type: "Alien", expiration: 4_000_000_000),
            ]
        )
        let other = try scratch.store(
            "b.molt",
            [
                .json("eve", #"{"name":"Eve"}"#), .photo("photo", [1, 3, 4]),
                .json("moved", "1", version: 2), .json("same", "1"),
                .json("ada", #"{"name":"Ada","address":{"city":"London","lines":["a","c"]},"nick":"A"}"#),
            ]
        )
        await run("diff", one, other).expect(
            1,
            output: """
                1 added, 1 removed, 3 changed, 1 the same

                changed "ada" (Person)
                  address.city: "Paris" → "London"
                  address.lines[1]: "b" → "c"
                  age: null → missing
                  nick: missing → "A"
                removed "bob" (Person): {"name":"Bob"}
                added "eve" (Person): {"name":"Eve"}
                changed "moved" (Person)
                  type: Alien → Person
                  version: 0 → 2
                  expiry: 2096-10-02T07:06:40Z → never
                changed "photo" (Photo)
                  data: 2 bytes → 3 bytes; they differ from byte 1

                """
        )
    }

    @Test func `differences that values do not show are named`() async throws {
        let one = try scratch.store("a.molt", [.json("a", #"{"a":1,"b":2}"#), .json("b", #"{"a": 1}"#)])
        let other = try scratch.store("b.molt", [.json("a", #"{"b":2,"a":1}"#), .photo("b", [1])])
        await run("diff", one, other).expect(
            1,
            says: "  content: a, b → b, a; the same properties in another order\n",
            "  data: JSON of 8 bytes → 1 byte\n"
        )
    }

    @Test func `schema versions, ledgers and quarantines are compared`() async throws {
        let records: [StoreContents.StoredRecord] = [
            .json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Eve"}"#),
        ]
        let (old, new) = (try scratch.store("a.molt", records), try scratch.store("b.molt", records))
        try scratch.upgrade("b.molt")
        await run("diff", old, new).expect(
            1,
            begins: "0 added, 1 removed, 1 changed, 0 the same\nschema version: 0 → 2\n",
            says: "migration \"split-name\" (version 1, ran): only in the second store\n",
            "records in quarantine: 0 → 1\n",
            "  number: missing → 1\n"
        )
        await run("diff", new, old).expect(1, says: "migration \"strict\" (version 2, ran): only in the first store\n")

        let row = LedgerEntry(name: "split-name", version: 1, outcome: .createdAtVersion, appliedAt: Date())
        let fresh = try scratch.store("c.molt", version: 1, ledger: [row], records)
        let words = "migration \"split-name\": version 1, applied on a new store → version 1, ran\n"
        await run("diff", fresh, new).expect(1, says: words)
        let json = await run("diff", old, fresh, "--json")
        #expect(json.output.contains("version 1, bornFresh"))
    }

    @Test func `JSON is one object with whole values`() async throws {
        let long = String(repeating: "x", count: 200)
        let one = try scratch.store("a.molt", [.json("ada", #"{"n":1.0}"#), .json("bob", "1")])
        let other = try scratch.store("b.molt", [.json("ada", #"{"n":"\#(long)"}"#)])
        await run("diff", one, other, "--json").expect(
            1,
            json: #"""
                {"after": {"file": "\#(other)", "quarantined": 0, "schemaVersion": 0},
                 "before": {"file": "\#(one)", "quarantined": 0, "schemaVersion": 0},
                 "counts": {"added": 0, "changed": 1, "onlyVersion": 0, "removed": 1, "same": 0},
                 "migrations": [],
                 "records": [
                    {"change": "changed", "differences": [
                        {"after": "\"\#(long)\"", "aspect": "content", "before": "1.0", "path": "n"}
                    ], "key": "ada", "type": "Person"},
                    {"change": "removed", "differences": [{"aspect": "content", "before": "1", "path": ""}],
                     "key": "bob", "type": "Person"}
                 ]}
                """#
        )
    }

    @Test func `only the first 100 records of a kind are listed unless all are wanted`() async throws {
        let one = try scratch.store("a.molt", (0..<1_300).map { .json("k\($0)", "1") })
        let other = try scratch.store("b.molt", (100..<1_300).map { .json("k\($0)", $0 < 700 ? "1" : "2") })
        func listed(_ run: CommandRun, _ change: String) -> Int {
            run.output.split(separator: "\n").count { $0.hasPrefix(change) }
        }
        let some = await run("diff", one, other)
        some.expect(
            1,
            begins: "0 added, 100 removed, 600 changed, 600 the same\n",
            ends: "\nNot listed: 500 more changed; --all lists all of them.\n"
        )
        #expect(listed(some, "removed") == 100)
        #expect(listed(some, "changed") == 100)
        let all = await run("diff", one, other, "--all")
        all.expect(1, hides: "--all")
        #expect(listed(all, "changed") == 600)
    }

    @Test func `one type can be compared`() async throws {
        let one = try scratch.store("a.molt", [.json("ada", "1"), .json("x", "1", type: "Alien")])
        let other = try scratch.store("b.molt", [.json("ada", "2"), .json("x", "1")])
        await run("diff", one, other, "--type", "Alien").expect(1, begins: "0 added, 0 removed, 1 changed, 0")
        await run("diff", one, other, "--type", "Alian").expect(
            2,
            errors: "no records of the type \"Alian\"; did you mean \"Alien\"?"
        )
    }

    @Test func `errors have an exit code of their own`() async throws {
        let one = try scratch.store("a.molt", [.json("ada", "1")])
        await run("diff", one, scratch.file("none.molt").path).expect(2, errors: "There is no cache at")
        await run("diff", one).expect(64)
        await run("diff", "--help").expect(says: "1 if they differ, 2 for an error")
    }
}
