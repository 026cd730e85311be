import Foundation
import Testing

@testable import Molt

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
        var code: MoltError.Code
        var key: String
        var records: [StoredRecord]
        var step: MigrationStep

        init(
            _ testDescription: String,
            _ code: MoltError.Code,
            key: String = "bad",
            _ step: MigrationStep,
            records: [StoredRecord] = PrivacyTests.records
        ) {
            self.testDescription = testDescription
            self.code = code
            self.key = key
            self.records = records
            self.step = step
        }
    }

    @Test(
        .throughEveryEntryPoint,
        arguments: [
            Failure(
                "a closure that throws what it read",
                .stepFailed,
                .transform("Person") { if $0.key == "bad" { throw Leak() } }
            ),
            Failure(
                "a value read as another type",
                .typeMismatch,
                .transform("Person") { if $0.key == "bad" { _ = try $0.int("name") } }
            ),
            Failure(
                "content of another shape",
                .typeMismatch,
                key: "ok",
                .convert("Person", from: Wrong.self, to: Wrong.self) { $0 }
            ),
            Failure(
                "a rename onto a property",
                .propertyExists,
                key: "ok",
                .renameProperty("Person", "name", to: "other")
            ),
            Failure(
                "a missing property",
                .propertyMissing,
                key: "ok",
                .renameProperty("Person", "list", to: "tags", ifMissing: .fail)
            ),
            Failure(
                "a block that throws what it read",
                .stepFailed,
                .run { migration in
                    try migration.enumerate("Person") { old, _ in if old.key == "bad" { throw Leak() } }
                }
            ),
            Failure("a key that is taken", .keyExists, key: "ok", .transform("Person") { $0.key = "same" }),
            Failure(
                "content that is not JSON",
                .malformedContent,
                .transform("Person") { _ in },
                records: [StoredRecord("Person", "bad", #"{"name":"\#(canary)" "other"}"#)]
            ),
            Failure(
                "a value that cannot be set",
                .typeMismatch,
                .transform("Person") { if $0.key == "bad" { $0[["name", "x"]] = .string(canary) } }
            ),
            Failure(
                "a value that cannot be encoded",
                .typeMismatch,
                key: "new",
                .run { try $0.create("Person", forKey: "new", Unwritable(name: canary)) }
            ),
        ]
    )
    func `An error names migration, step, record and type, and contains no value`(_ failure: Failure) async throws {
        let migrations = registry(failure.step)
        let error = try await OldStore(failure.records).failure(migrations)

        error.expect(failure.code, key: failure.key, type: "Person", id: MigrationID(name: "change", version: 1))
        error.expect(step: 1, summary: "\(migrations.migrations[0].steps[0])")
        #expect(error.store != nil)
        for text in [
            error.message, error.description, error.debugDescription, error.localizedDescription, "\(error)",
            String(reflecting: error),
        ] {
            #expect(!text.contains(Self.canary), "\(text)")
        }
        #expect(error.description.contains("\"\(failure.key)\""))
        #expect(!error.description.contains("\n"))
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
