import Foundation
import Testing

@testable import Molt

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

    @Test(.throughEveryEntryPoint)
    func `A conversion decodes the old model, encodes the new one, and keeps key, type and expiry`() async throws {
        let store = try OldStore(
            (0..<1_200).map { number in
                StoredRecord("Person", "p\(number)", #"{"fullName":"N\#(number) Of \#(number)"}"#, expiration: 4e9)
            }
        )

        let after = try await store.upgraded(Self.split)

        #expect(after.records.count == 1_200)
        for (number, record) in after.records.enumerated() {
            #expect(record.key == "p\(number)")
            #expect(record.type == "Person")
            #expect(record.expiration == 4e9)
            #expect(record.text == #"{"firstName":"N\#(number)","lastName":"Of \#(number)"}"#)
        }
    }

    @Test(.throughEveryEntryPoint, arguments: [0, 1, 255, 256, 700])
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
