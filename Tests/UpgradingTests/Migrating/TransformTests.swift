import Foundation
import Molt
import Testing

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
        try store.snapshot().expect(
            #"Person person/ada {"age":37} until 5000000000.5"#,
            #"Person person/eve {"age":8}"#,
            #"City rome {"age":2777}"#
        )
        #expect("\(report.counts)" == "3 read, 2 changed, 1 dropped")
    }

    @Test func `Records may swap their keys`() async throws {
        let next = ["ada": "bob", "bob": "eve", "eve": "ada"]
        let store = try OldStore(Self.records)
        let after = try await store.upgraded(.transform("Person") { $0.key = next[$0.key] ?? $0.key })
        after.expect(
            #"Person bob {"age":36}"#,
            #"Person eve {"age":-1}"#,
            #"Person ada {"age":7} until 4000000000.0"#,
            #"City rome {"age":2777}"#
        )
    }

    @Test func `A record may take the key of one that is dropped in the same step`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .transform("Person") { person in
                if person.key == "bob" { person.drop() }
                if person.key == "ada" { person.key = "bob" }
            }
        )
        after.expect(
            #"Person bob {"age":36}"#,
            #"Person eve {"age":7} until 4000000000.0"#,
            #"City rome {"age":2777}"#
        )
    }

    @Test func `A key that another record has, or would get, fails the upgrade and is named`() async throws {
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
        after.expect(
            #"Person ada {"years":36}"#,
            #"Child bob {"age":-1,"school":"none"}"#,
            #"Child eve {"age":7,"school":"none"} until 4000000000.0"#,
            #"City rome {"age":2777}"#
        )
    }

    @Test func `An error from the closure is the cause of one that names migration, step and record`() async throws {
        let error = try await OldStore(Self.records).failure([
            Migration(to: 1, "fine", .transform("Person") { $0["age"] = 1 }),
            Migration(
                to: 3,
                "refuses",
                .deleteType("City"),
                .transform("Person") { if $0.key == "bob" { throw Refusal(value: "no") } }
            ),
        ])
        error.expect(.stepFailed, key: "bob", type: "Person", id: MigrationID(name: "refuses", version: 3), step: 2)
        error.expect(refusal: "no")
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
        after.expect(#"Data blob {"bytes":3}"#, "Data text data [7, 7]")
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

    /// People of whom the first have two names.
    private func store(_ count: Int, valid: Int) throws -> OldStore {
        try OldStore(
            (0..<count).map { number in
                let name = number < valid ? "N\(number) Of \(number)" : "Plato"
                return StoredRecord("Person", "p\(number)", #"{"fullName":"\#(name)"}"#, expiration: 4e9)
            }
        )
    }

    @Test func `A conversion from the old model to the new one keeps key, type and expiry`() async throws {
        let after = try await store(1_200, valid: 1_200).upgraded(Self.split)
        let expected: [String] = (0..<1_200).map { number in
            let text = #"{"firstName":"N\#(number)","lastName":"Of \#(number)"}"#
            return "Person \"p\(number)\" v1 \(text) until 4000000000.0"
        }
        #expect(after.records.map(\.description) == expected)
    }

    @Test func `The error names the first record that fails, however many cores there are`() async throws {
        for bad in [0, 1, 255, 256, 700] {
            let error = try await store(701, valid: bad).failure(Self.split)
            error.expect(.stepFailed, key: "p\(bad)", type: "Person", migration: "change", refusal: "Plato")
            error.expect(summary: "convert Person from PersonV1 to PersonV2")
        }
    }

    @Test func `Content of another shape is an error that names the record and its type`() async throws {
        let error = try await OldStore([StoredRecord("Person", "bob", #"{"name":"Bob"}"#)]).failure(Self.split)
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

        try store.snapshot()
            .expect(#"Person ada {"name":{"firstName":"Ada","lastName":"Lovelace"},"version":3}"#)
        let counts = report.entries.map { "\($0.counts)" }
        #expect(counts == ["1 read, 1 changed", "1 read, 1 changed"])
    }
}
