import Foundation
import Testing

@testable import Molt

@Suite("Transforming a record in place", .through(.migrator))
struct TransformTests {
    private static let records = [
        StoredRecord("Person", "ada", #"{"age":36}"#),
        StoredRecord("Person", "bob", #"{"age":-1}"#),
        StoredRecord("Person", "eve", #"{"age":7}"#, expiration: 4_000_000_000),
        StoredRecord("City", "rome", #"{"age":2777}"#),
    ]

    @Test(.throughEveryEntryPoint)
    func `A transformation changes properties, keys and expiry, drops records, and leaves other types alone`()
        async throws
    {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade(
            .transform("Person") { person in
                switch person.key {
                case "ada": person.expiration = Date(timeIntervalSince1970: 5_000_000_000.5)
                case "bob": return person.drop()
                default: person.expiration = nil
                }
                person["age"] = .int(try person.int("age") + 1)
                person.key = "person/" + person.key
            }
        )

        let after = try store.snapshot()
        #expect(after.keys == ["person/ada", "person/eve", "rome"])
        #expect(after.records.map(\.text) == [#"{"age":37}"#, #"{"age":8}"#, #"{"age":2777}"#])
        #expect(after.records.map(\.expiration) == [5_000_000_000.5, nil, nil])
        #expect("\(report.counts)" == "3 read, 2 changed, 1 dropped")
    }

    @Test func `Records may swap their keys`() async throws {
        let next = ["ada": "bob", "bob": "eve", "eve": "ada"]

        let after = try await OldStore(Self.records).upgraded(.transform("Person") { $0.key = next[$0.key] ?? $0.key })

        #expect(after.keys == ["bob", "eve", "ada", "rome"])
        #expect(after["bob"]?.text == #"{"age":36}"#)
        #expect(after["ada"]?.expiration == 4_000_000_000)
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

    @Test func `A key that another record has, or would get, fails the upgrade, and the error names both`()
        async throws
    {
        let store = try OldStore(Self.records)
        let error = try await store.failure(
            .deleteType("X"),
            .transform("Person") { if $0.key == "eve" { $0.key = "rome" } }
        )
        error.expect(.keyExists, key: "eve", type: "Person", id: MigrationID(name: "change", version: 1), step: 2)
        error.expect(says: "\"rome\"")
        try await store.failure(.transform("Person") { $0.key = "same" })
            .expect(.keyExists, key: "ada", says: "\"same\"")
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

@Suite("Steps that convert a record to a new type")
struct ConvertTests {
    private struct PersonV1: Codable { var fullName: String }
    private struct PersonV2: Codable, Equatable {
        var firstName: String
        var lastName: String
    }

    private static let split = MigrationStep.convert("Person", from: PersonV1.self, to: PersonV2.self) { old in
        let parts = old.fullName.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Refusal(value: old.fullName) }
        return PersonV2(firstName: parts[0], lastName: parts[1])
    }

    @Test func `A conversion decodes the old model, encodes the new one, and keeps key, type and expiry`()
        async throws
    {
        let store = try OldStore(
            (0..<1_200).map { number in
                StoredRecord("Person", "p\(number)", #"{"fullName":"N\#(number) Of \#(number)"}"#, expiration: 4e9)
            }
        )

        let after = try await store.upgraded(Self.split)

        let expected: [String] = (0..<1_200).map { number in
            let text = #"{"firstName":"N\#(number)","lastName":"Of \#(number)"}"#
            return "Person \"p\(number)\" v1 \(text) until 4000000000.0"
        }
        #expect(after.records.map(\.description) == expected)
    }

    @Test(arguments: [0, 1, 255, 256, 700])
    func `The error names the first record that fails, however many cores there are`(bad: Int) async throws {
        let store = try OldStore(
            (0..<701).map { number in
                StoredRecord("Person", "p\(number)", #"{"fullName":"\#(number < bad ? "Ada L" : "Plato")"}"#)
            }
        )

        let error = try await store.failure(Self.split)
        error.expect(.stepFailed, key: "p\(bad)", type: "Person", migration: "change", refusal: "Plato")
        error.expect(summary: "convert Person from PersonV1 to PersonV2")
    }

    @Test func `Content of another shape is an error that names the record and its type`() async throws {
        let store = try OldStore([
            StoredRecord("Person", "ada", #"{"fullName":"Ada L"}"#), StoredRecord("Person", "bob", #"{"name":"Bob"}"#),
        ])

        let error = try await store.failure(Self.split)
        error.expect(.typeMismatch, key: "bob", type: "Person", says: "PersonV1", "written as Person")
        #expect(error.underlying is DecodingError)
    }

    @Test func `Conversions of several versions run in one pass`() async throws {
        struct PersonV3: Codable {
            var name: PersonV2
            var version: Int
        }
        let store = try OldStore([StoredRecord("Person", "ada", #"{"fullName":"Ada Lovelace"}"#)])

        let report = try await store.upgrade([
            Migration(to: 1, "split", Self.split),
            Migration(
                to: 2,
                "nest",
                .convert("Person", from: PersonV2.self, to: PersonV3.self) { PersonV3(name: $0, version: 3) }
            ),
        ])

        #expect(try store.snapshot()["ada"]?.text == #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"version":3}"#)
        #expect(report.entries.map(\.counts.read) == [1, 1])
        #expect(report.entries.map(\.counts.changed) == [1, 1])
    }
}
