import Foundation
import MoltCommand
import TestSupport
import Testing

@testable import Molt

@Suite("molt schema") struct SchemaTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(molt, words) }

    /// Writes a store with JSON records by type, and returns its path.
    private func store(_ name: String, _ records: [(type: String, json: String)]) throws -> String {
        let stored = records.enumerated().map { index, record in
            StoreContents.StoredRecord(
                key: "k\(index)",
                typeName: record.type,
                content: Array(record.json.utf8),
                isData: record.type == "Photo",
                version: 0
            )
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
        let run = await run("schema", path)
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            run.output == """
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
        struct Shapes: Decodable {
            struct Shape: Decodable {
                struct Property: Decodable, Equatable {
                    var path: String
                    var kinds: [String: Int]
                    var records: Int
                    var isSometimesNull: Bool
                    var isSometimesMissing: Bool
                }
                var type: String
                var records: Int
                var isTruncated: Bool
                var properties: [Property]
            }
            var types: [Shape]
        }
        let path = try store("a.molt", [("Person", #"{"n":[1,null]}"#), ("Person", "{}")])
        let output = await run("schema", path, "--json").output
        let type = try #require(try JSONDecoder().decode(Shapes.self, from: Data(output.utf8)).types.first)
        #expect(type.type == "Person" && type.records == 2 && !type.isTruncated)
        #expect(
            type.properties == [
                .init(path: "n", kinds: ["array": 1], records: 1, isSometimesNull: false, isSometimesMissing: true),
                .init(
                    path: "n[]",
                    kinds: ["number": 1, "null": 1],
                    records: 1,
                    isSometimesNull: true,
                    isSometimesMissing: false
                ),
            ]
        )
    }

    @Test func `a dictionary with many keys is cut off, and named`() async throws {
        let scores = (0..<700).map { #""id\#($0)":1"# }.joined(separator: ",")
        let more = (0..<700).map { #""other\#($0)":1"# }.joined(separator: ",")
        let records = [scores, more].map { ("Game", #"{"a":1,"scores":{\#($0)}}"#) }
        let path = try store("a.molt", records)
        let output = await run("schema", path).output
        let lines = output.split(separator: "\n")
        #expect(lines.count == 1_004)
        #expect(output.contains("more than 1000 properties, and the others are left out. Most are in scores, whose"))
        let compared = await run("schema", path, try store("b.molt", Array(records.reversed())))
        #expect(compared.code == 0)
        #expect(compared.output.contains("Game has more than 1000 properties; only those"))
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
        let run = await run("schema", one, other)
        #expect(run.code == 1)
        #expect(
            run.output == """
                Type 'Gone' has been removed.
                Type 'New' has been added.
                Type 'Other' changed from 'number' to 'array'.
                Property 'Person.name' changed from 'string' to 'object'.
                Property 'Person.age' has been made optional.
                Property 'Person.nick' has been made optional.
                Property 'Person.old' has been removed.
                Property 'Person.new' has been added.

                """
        )
        let json = await self.run("schema", one, other, "--json")
        #expect(json.code == 1)
        #expect(json.output.contains(#""kind" : "typeChanged""#))
    }

    @Test func `the same shapes have no difference`() async throws {
        let one = try store("a.molt", [("Person", #"{"name":"Ada"}"#)])
        let run = await run("schema", one, try store("b.molt", [("Person", #"{"name":"Bob"}"#)]))
        #expect(run.code == 0)
        #expect(run.output == "The shapes of the records are the same.\n")
        #expect(await self.run("schema", try store("c.molt", [])).output == "The store has no records.\n")
        #expect(await self.run("schema", scratch.file("none.molt").path).code == 2)
    }
}
