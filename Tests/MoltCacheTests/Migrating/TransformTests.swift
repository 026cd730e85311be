import Foundation
import Testing

@testable import Molt

@Suite("Transforming a record in place", .throughEveryEntryPoint)
struct TransformTests {
    private static let records = [
        StoredRecord("Person", "ada", #"{"age":36}"#),
        StoredRecord("Person", "bob", #"{"age":-1}"#),
        StoredRecord("Person", "eve", #"{"age":7}"#, expiration: 4_000_000_000),
        StoredRecord("City", "rome", #"{"age":2777}"#),
    ]

    @Test func `A transformation changes properties, and leaves other types alone`() async throws {
        let store = try OldStore(Self.records)

        let after = try await store.upgraded(.transform("Person") { $0["age"] = .int(try $0.int("age") + 1) })

        #expect(
            after.texts == [
                "ada": #"{"age":37}"#, "bob": #"{"age":0}"#, "eve": #"{"age":8}"#, "rome": #"{"age":2777}"#,
            ]
        )
        #expect(after["eve"]?.expiration == 4_000_000_000)
    }

    @Test func `A transformation may drop records`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade(.transform("Person") { if try $0.int("age") < 0 { $0.drop() } })

        #expect(try store.snapshot().keys == ["ada", "eve", "rome"])
        #expect(report.counts.dropped == 1)
        #expect(report.counts.read == 3)
        #expect(report.counts.changed == 0)
    }

    @Test func `A transformation may change keys`() async throws {
        let after = try await OldStore(Self.records).upgraded(.transform("Person") { $0.key = "person/" + $0.key })

        #expect(after.keys == ["person/ada", "person/bob", "person/eve", "rome"])
        #expect(after.records.map(\.text) == Self.records.map(\.text))
    }

    @Test func `A key may change to another Unicode spelling`() async throws {
        let after = try await OldStore([StoredRecord("Person", "e\u{301}", "{}")]).upgraded([
            Migration(to: 1, "a", .transform("Person") { $0.key = "\u{E9}" }),
            Migration(to: 2, "b", .transform("Person") { $0.key = "e\u{301}" }),
            Migration(to: 3, "c", .transform("Person") { $0.key = "\u{E9}" }),
        ])

        #expect(after.keys.map { Array($0.utf8) } == [[0xC3, 0xA9]])
    }

    @Test func `Records may swap their keys`() async throws {
        let next = ["ada": "bob", "bob": "eve", "eve": "ada"]

        let after = try await OldStore(Self.records).upgraded(.transform("Person") { $0.key = next[$0.key] ?? $0.key })

        #expect(after.keys == ["bob", "eve", "ada", "rome"])
        #expect(after["bob"]?.text == #"{"age":36}"#)
    }

    @Test func `A record may take the key of one that is dropped in the same step`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .transform("Person") { person in
                if person.key == "bob" { person.drop() }
                if person.key == "ada" { person.key = "bob" }
            }
        )

        #expect(after.texts == ["bob": #"{"age":36}"#, "eve": #"{"age":7}"#, "rome": #"{"age":2777}"#])
    }

    @Test func `Changing a key to another record's key fails, and the error names both`() async throws {
        let error = try await OldStore(Self.records).failure(
            .deleteType("X"),
            .transform("Person") { if $0.key == "eve" { $0.key = "rome" } }
        )
        error.expect(.keyExists, key: "eve", type: "Person", id: MigrationID(name: "change", version: 1), step: 2)
        error.expect(says: "\"rome\"")
    }

    @Test func `Two records that would get the same key fail`() async throws {
        try await OldStore(Self.records).failure(.transform("Person") { $0.key = "same" })
            .expect(.keyExists, key: "ada", says: "\"same\"")
    }

    @Test func `A transformation may set, move and remove the expiry`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .transform("Person") { person in
                switch person.key {
                case "ada": person.expiration = Date(timeIntervalSince1970: 5_000_000_000.5)
                case "eve": person.expiration = nil
                default: break
                }
            }
        )

        #expect(after["ada"]?.expiration == 5_000_000_000.5)
        #expect(after["bob"]?.expiration == nil)
        #expect(after["eve"]?.expiration == nil)
    }

    @Test func `A transformation may change a record's type, which decides the later steps`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .transform("Person") { if try $0.int("age") < 18 { $0.typeName = "Child" } },
            .addProperty("Child", "school", default: "none"),
            .renameProperty("Person", "age", to: "years")
        )

        #expect(after.types == ["ada": "Person", "bob": "Child", "eve": "Child", "rome": "City"])
        #expect(after["ada"]?.text == #"{"years":36}"#)
        #expect(after["eve"]?.text == #"{"age":7,"school":"none"}"#)
    }

    @Test func `An error from the closure becomes the underlying error of one that names migration, step and record`()
        async throws
    {
        let store = try OldStore(Self.records)

        let error = try await store.failure([
            Migration(to: 1, "fine", .transform("Person") { $0["age"] = 1 }),
            Migration(
                to: 3,
                "refuses",
                .deleteType("City"),
                .transform("Person") { if $0.key == "bob" { throw Refusal(value: "no") } }
            ),
        ])

        error.expect(.stepFailed, key: "bob", type: "Person", id: MigrationID(name: "refuses", version: 3), step: 2)
        error.expect(summary: "transform Person", refusal: "no")
        #expect(error.store == (EntryPoint.current == .inMemory ? ":memory:" : store.url.path))
    }

    @Test func `A failed assignment through a subscript fails the step when the closure returns`() async throws {
        try await OldStore([StoredRecord("Person", "odd", "[1]")]).failure(.transform("Person") { $0["age"] = 1 })
            .expect(.typeMismatch, key: "odd", property: "age")
    }

    @Test func `Raw data can be read, replaced, and turned into JSON and back`() async throws {
        let store = try OldStore(
            [StoredRecord("Data", "blob", data: [0, 255, 1]), StoredRecord("Data", "text", #"{"a":1}"#)]
        )

        let after = try await store.upgraded(
            .transform("Data") { record in
                if let data = record.data {
                    try record.replaceContent(with: ["bytes": data.count])
                } else {
                    try record.replaceContent(with: Data([7, 7]))
                }
            }
        )

        #expect(after["blob"]?.text == #"{"bytes":3}"#)
        #expect(after["blob"]?.isData == false)
        #expect(after["text"]?.content == [7, 7])
        #expect(after["text"]?.isData == true)
    }
}
