import Foundation
import Molt
import Testing

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

    @Test(arguments: EntryPoint.allCases)
    func `A conversion decodes the old model, encodes the new one, and keeps key, type and expiry`(
        entry: EntryPoint
    ) async throws {
        let store = try OldStore(
            (0..<1_200).map { number in
                StoredRecord("Person", "p\(number)", #"{"fullName":"N\#(number) Of \#(number)"}"#, expiration: 4e9)
            },
            through: entry
        )

        let after = try await store.upgraded(registry(Self.split))

        #expect(after.records.count == 1_200)
        for (number, record) in after.records.enumerated() {
            #expect(record.key == "p\(number)")
            #expect(record.type == "Person")
            #expect(record.expiration == 4e9)
            #expect(record.text == #"{"firstName":"N\#(number)","lastName":"Of \#(number)"}"#)
        }
    }

    @Test(arguments: EntryPoint.allCases, [0, 1, 255, 256, 700])
    func `The error names the first record that fails, however many cores there are`(
        entry: EntryPoint,
        bad: Int
    ) async throws {
        let store = try OldStore(
            (0..<701).map { number in
                StoredRecord("Person", "p\(number)", #"{"fullName":"\#(number < bad ? "Ada L" : "Plato")"}"#)
            },
            through: entry
        )

        let error = try await store.failure(registry(Self.split))

        #expect(error.code == .stepFailed)
        #expect(error.underlying as? Refusal == Refusal(value: "Plato"))
        #expect(error.recordKey == "p\(bad)")
        #expect(error.recordType == "Person")
        #expect(error.migration?.name == "change")
        #expect(error.step?.summary == "convert Person from PersonV1 to PersonV2")
    }

    @Test func `Content of another shape is an error that names the record and its type`() async throws {
        let store = try OldStore([
            StoredRecord("Person", "ada", #"{"fullName":"Ada L"}"#), StoredRecord("Person", "bob", #"{"name":"Bob"}"#),
        ])

        let error = try await store.failure(registry(Self.split))

        #expect(error.code == .typeMismatch)
        #expect(error.recordKey == "bob")
        #expect(error.recordType == "Person")
        #expect(error.message.contains("PersonV1"))
        #expect(error.message.contains("written as Person"))
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

        #expect(
            try store.snapshot()["ada"]?.text
                == #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"version":3}"#
        )
        #expect(report.entries.map(\.counts.read) == [1, 1])
        #expect(report.entries.map(\.counts.changed) == [1, 1])
    }
}
