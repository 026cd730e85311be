import Foundation
import MoltCommand
import TestSupport
import Testing

@testable import Molt

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
        let run = await run("diff", one, other)
        #expect(run.code == 0)
        #expect(run.output == "0 added, 0 removed, 0 changed, 8 the same\n")
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
        let run = await run("diff", one, other)
        #expect(run.code == 1)
        #expect(
            run.output == """
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
        let output = await run("diff", one, other).output
        #expect(output.contains("  content: a, b → b, a; the same properties in another order\n"), "\(output)")
        #expect(output.contains("  data: JSON of 8 bytes → 1 byte\n"), "\(output)")
    }

    @Test func `schema versions, ledgers and quarantines are compared`() async throws {
        let records: [StoreContents.StoredRecord] = [
            .json("ada", #"{"name":"Ada King","phone":1}"#), .json("eve", #"{"name":"Eve"}"#),
        ]
        let (old, new) = (try scratch.store("a.molt", records), try scratch.store("b.molt", records))
        try scratch.upgrade("b.molt")
        let run = await run("diff", old, new)
        #expect(run.code == 1)
        #expect(run.output.hasPrefix("0 added, 1 removed, 1 changed, 0 the same\nschema version: 0 → 2\n"))
        #expect(run.output.contains("migration \"split-name\" (version 1, ran): only in the second store\n"))
        #expect(run.output.contains("records in quarantine: 0 → 1\n"))
        #expect(run.output.contains("  number: missing → 1\n"))
        let reversed = await self.run("diff", new, old).output
        #expect(reversed.contains("migration \"strict\" (version 2, ran): only in the first store\n"))
    }

    @Test func `JSON is one object with whole values`() async throws {
        let long = String(repeating: "x", count: 200)
        let one = try scratch.store("a.molt", [.json("ada", #"{"n":1.0}"#), .json("bob", "1")])
        let other = try scratch.store("b.molt", [.json("ada", #"{"n":"\#(long)"}"#)])
        let run = await run("diff", one, other, "--json")
        #expect(run.code == 1)
        struct Changes: Decodable {
            struct Record: Decodable {
                struct Difference: Decodable, Equatable {
                    var aspect: String
                    var path: String
                    var before: String?
                    var after: String?
                }
                var change: String
                var key: String
                var type: String
                var differences: [Difference]
            }
            var counts: [String: Int]
            var records: [Record]
        }
        let changes = try JSONDecoder().decode(Changes.self, from: Data(run.output.utf8))
        #expect(changes.counts == ["added": 0, "removed": 1, "changed": 1, "onlyVersion": 0, "same": 0])
        #expect(changes.records.map(\.change) == ["changed", "removed"])
        #expect(
            changes.records[0].differences == [.init(aspect: "content", path: "n", before: "1.0", after: "\"\(long)\"")]
        )
        #expect(changes.records[1].differences == [.init(aspect: "content", path: "", before: "1", after: nil)])
    }

    @Test func `only the first 100 records of a kind are listed unless all are wanted`() async throws {
        let one = try scratch.store("a.molt", (0..<1_300).map { .json("k\($0)", "1") })
        let other = try scratch.store("b.molt", (100..<1_300).map { .json("k\($0)", $0 < 700 ? "1" : "2") })
        let some = await run("diff", one, other)
        #expect(some.output.hasPrefix("0 added, 100 removed, 600 changed, 600 the same\n"))
        #expect(some.output.split(separator: "\n").filter { $0.hasPrefix("removed") }.count == 100)
        #expect(some.output.split(separator: "\n").filter { $0.hasPrefix("changed") }.count == 100)
        #expect(some.output.hasSuffix("\nNot listed: 500 more changed; --all lists all of them.\n"))
        let all = await run("diff", one, other, "--all").output
        #expect(all.split(separator: "\n").filter { $0.hasPrefix("changed") }.count == 600)
        #expect(!all.contains("--all"))
    }

    @Test func `one type can be compared`() async throws {
        let one = try scratch.store("a.molt", [.json("ada", "1"), .json("x", "1", type: "Alien")])
        let other = try scratch.store("b.molt", [.json("ada", "2"), .json("x", "1")])
        #expect(await run("diff", one, other, "--type", "Alien").output.hasPrefix("0 added, 0 removed, 1 changed, 0"))
        let misspelled = await run("diff", one, other, "--type", "Alian")
        #expect(misspelled.code == 2)
        #expect(misspelled.errors.contains("no records of the type \"Alian\"; did you mean \"Alien\"?"))
    }

    @Test func `errors have an exit code of their own`() async throws {
        let one = try scratch.store("a.molt", [.json("ada", "1")])
        let missing = await run("diff", one, scratch.file("none.molt").path)
        #expect(missing.code == 2)
        #expect(missing.errors.contains("There is no cache at"))
        #expect(await run("diff", one).code == 64)
        #expect(await run("diff", "--help").output.contains("1 if they differ, 2 for an error"))
    }
}
