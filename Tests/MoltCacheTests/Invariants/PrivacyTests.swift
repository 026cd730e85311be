import Foundation
import Molt
import Testing

/// Invariants 9 and 11: an error stops the upgrade and names the record, but no message contains a value.
@Suite("Values in errors and reports")
struct PrivacyTests {
    private static let canary = "CANARY-4711"

    private struct Wrong: Codable { var name: Int }

    private struct Unwritable: Codable {
        var name: String
        var number = Double.nan
    }

    private struct Leak: Error, CustomStringConvertible, LocalizedError {
        var description: String { "leak \(PrivacyTests.canary)" }
        var errorDescription: String? { description }
    }

    private static let records = [
        StoredRecord("Person", "ok", #"{"name":"fine","other":1}"#),
        StoredRecord("Person", "bad", #"{"name":"\#(canary)","other":"\#(canary)","list":["\#(canary)"]}"#),
    ]

    struct Failure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: MigrationError.Code
        var key: String? = "bad"
        var step: MigrationStep
        var records = PrivacyTests.records
    }

    @Test(
        arguments: [
            Failure(
                testDescription: "a closure that throws what it read",
                code: .stepFailed,
                step: .transform("Person") { if $0.key == "bad" { throw Leak() } }
            ),
            Failure(
                testDescription: "a value read as another type",
                code: .typeMismatch,
                step: .transform("Person") { if $0.key == "bad" { _ = try $0.int("name") } }
            ),
            Failure(
                testDescription: "content of another shape",
                code: .typeMismatch,
                key: "ok",
                step: .convert("Person", from: Wrong.self, to: Wrong.self) { $0 }
            ),
            Failure(
                testDescription: "a rename onto a property",
                code: .propertyExists,
                key: "ok",
                step: .renameProperty("Person", "name", to: "other")
            ),
            Failure(
                testDescription: "a missing property",
                code: .propertyMissing,
                key: "ok",
                step: .renameProperty("Person", "list", to: "tags", ifMissing: .fail)
            ),
            Failure(
                testDescription: "a block that throws what it read",
                code: .stepFailed,
                step: .run { migration in
                    try migration.enumerate("Person") { old, _ in if old.key == "bad" { throw Leak() } }
                }
            ),
            Failure(
                testDescription: "a key that is taken",
                code: .keyExists,
                key: "ok",
                step: .transform("Person") { $0.key = "same" }
            ),
            Failure(
                testDescription: "content that is not JSON",
                code: .malformedContent,
                step: .transform("Person") { _ in },
                records: [StoredRecord("Person", "bad", #"{"name":"\#(canary)" "other"}"#)]
            ),
            Failure(
                testDescription: "a value that cannot be set",
                code: .typeMismatch,
                step: .transform("Person") { if $0.key == "bad" { $0[["name", "x"]] = .string(canary) } }
            ),
            Failure(
                testDescription: "a value that cannot be encoded",
                code: .typeMismatch,
                key: "new",
                step: .run { try $0.create("Person", forKey: "new", Unwritable(name: canary)) }
            ),
        ]
    )
    func `An error names migration, step, record and type, and contains no value`(_ failure: Failure) async throws {
        for entry in EntryPoint.allCases {
            let store = try OldStore(failure.records, through: entry)

            let migrations = registry(failure.step)
            let error = try await store.failure(migrations)

            #expect(error.code == failure.code)
            #expect(error.migration == MigrationID(name: "change", version: 1))
            #expect(
                error.step == MigrationError.StepPosition(number: 1, summary: "\(migrations.migrations[0].steps[0])")
            )
            #expect(error.recordKey == failure.key)
            #expect(error.recordType == "Person")
            #expect(error.store != nil)
            for text in [
                error.message, error.description, error.debugDescription, error.localizedDescription, "\(error)",
                String(reflecting: error),
            ] {
                #expect(!text.contains(Self.canary), "\(text)")
            }
            #expect(error.description.contains("\"\(failure.key ?? "")\""))
            #expect(!error.description.contains("\n"))
        }
    }

    @Test func `Events, plans and reports contain no value`() async throws {
        let texts = Log<String>()
        var configuration = CodableCache.Configuration()
        configuration.monitor = MigrationMonitor { event in
            switch event {
            case .planned(let plan): texts.append("\(plan)")
            case .ended(let entry): texts.append("\(entry)")
            case .finished(let report): texts.append("\(report)")
            default: texts.append("\(event)")
            }
        }

        try await OldStore(Self.records).upgrade(
            registry(
                .addProperty("Person", "added", default: .string(Self.canary)),
                .transform("Person") { $0["name"] = .string(Self.canary) }
            ),
            configuration
        )

        #expect(texts.count > 3)
        #expect(!texts.all.contains { $0.contains(Self.canary) })
    }
}
