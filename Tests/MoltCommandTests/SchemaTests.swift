import Foundation
import Molt
import MoltCommand
import TestSupport
import Testing

@Suite("molt schema") struct SchemaTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(molt, words) }

    /// Writes a store with JSON records by type, and returns its path.
    private func store(_ name: String, _ records: [(type: String, json: String)]) throws -> String {
        let stored = records.enumerated().map { index, record -> StoreContents.StoredRecord in
            record.type == "Photo"
                ? .photo("k\(index)", Array(record.json.utf8)) : .json("k\(index)", record.json, type: record.type)
        }
        return try scratch.store(name, stored)
    }

    @Test func `each property has its kinds, its count, and whether it is optional`() async throws {
        let path = try store(
            "a.molt",
            [
                ("Person", #"{"name":"Ada","address":{"city":"Paris","zip":1},"tags":["a","b"],"a b":true}"#),
                ("Person", #"{"name":null,"address":{"city":"London"},"tags":[],"a b":1.5}"#),
                ("Person", #"{"name":"Eve","address":null,"tags":[{"id":1},{}],"a b":false}"#),
                ("Array<Int>", "[1,2]"), ("Photo", "abc"), ("Broken", "{"),
            ]
        )
        await run("schema", path).expect(
            output: """
                Array<Int>: 1 record, array
                property  kinds   records
                --------  ------  -------
                []        number        1

                Broken: 1 record, unreadable

                Person: 3 records, object
                property      kinds            records
                ------------  ---------------  -------  -----------------
                name          string, null           3  sometimes null
                address       object, null           3  sometimes null
                address.city  string                 2
                address.zip   number                 1  sometimes missing
                tags          array                  3
                tags[]        object, string         2
                tags[].id     number                 1  sometimes missing
                ["a b"]       number, boolean        3

                Photo: 1 record, data

                """
        )
    }

    @Test func `JSON has the same`() async throws {
        let path = try store("a.molt", [("Person", #"{"n":[1,null]}"#), ("Person", "{}")])
        await run("schema", path, "--json").expect(
            json: """
                {"file": "\(path)", "types": [
                    {"isTruncated": false, "kinds": {"object": 2}, "properties": [
                        {"isSometimesMissing": true, "isSometimesNull": false, "kinds": {"array": 1},
                         "path": "n", "records": 1},
                        {"isSometimesMissing": false, "isSometimesNull": true, "kinds": {"null": 1, "number": 1},
                         "path": "n[]", "records": 1}
                    ], "records": 2, "type": "Person"}
                ]}
                """
        )
    }

    @Test func `a dictionary with many keys is cut off, and named`() async throws {
        let scores = (0..<700).map { #""id\#($0)":1"# }.joined(separator: ",")
        let more = (0..<700).map { #""other\#($0)":1"# }.joined(separator: ",")
        let records = [scores, more].map { ("Game", #"{"a":1,"scores":{\#($0)}}"#) }
        let path = try store("a.molt", records)
        let run = await run("schema", path)
        run.expect(says: "more than 1000 properties, and the others are left out. Most are in scores, whose")
        #expect(run.output.split(separator: "\n").count == 1_004)
        let other = try store("b.molt", Array(records.reversed()))
        await self.run("schema", path, other).expect(says: "Game has more than 1000 properties; only those")
    }

    @Test func `two stores are compared`() async throws {
        let one = try store(
            "a.molt",
            [
                ("Person", #"{"name":"Ada","age":1,"old":{"x":[1]},"nick":"A","same":null}"#), ("Gone", "1"),
                ("Other", "1"),
            ]
        )
        let other = try store(
            "b.molt",
            [
                ("Person", #"{"name":{"first":"Ada"},"age":null,"nick":"A","same":1,"new":{"y":1}}"#),
                ("Person", #"{"name":{"first":"Ada"},"age":2,"same":null,"new":{"y":1}}"#), ("Other", "[1]"),
                ("New", "1"),
            ]
        )
        await run("schema", one, other).expect(
            1,
            output: """
                Type "Gone" has been removed.
                Type "New" has been added.
                Type "Other" changed from "number" to "array".
                Property "Person.name" changed from "string" to "object".
                Property "Person.age" has been made optional.
                Property "Person.nick" has been made optional.
                Property "Person.old" has been removed.
                Property "Person.new" has been added.

                """
        )
        await run("schema", one, other, "--json").expect(1, says: #""kind" : "typeChanged""#)
    }

    @Test func `the same shapes have no difference`() async throws {
        let one = try store("a.molt", [("Person", #"{"name":"Ada"}"#)])
        let other = try store("b.molt", [("Person", #"{"name":"Bob"}"#)])
        await run("schema", one, other).expect(output: "The shapes of the records are the same.\n")
        await run("schema", try store("c.molt", [])).expect(output: "The store has no records.\n")
        await run("schema", scratch.file("none.molt").path).expect(2)
    }
}
