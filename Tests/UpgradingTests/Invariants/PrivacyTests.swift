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
        StoredRecord("Odd", "odd", #"{"name":"\#(canary)" "other"}"#),
    ]

    /// Steps that fail, each with the code and the key of the error.
    private static let failures: [(MoltError.Code, String, MigrationStep)] = [
        (.stepFailed, "bad", .transform("Person") { if $0.key == "bad" { throw Leak() } }),
        (.stepFailed, "bad", .run { try $0.enumerate("Person") { old, _ in if old.key == "bad" { throw Leak() } } }),
        (.typeMismatch, "bad", .transform("Person") { if $0.key == "bad" { _ = try $0.int("name") } }),
        (.typeMismatch, "bad", .transform("Person") { if $0.key == "bad" { $0[["name", "x"]] = .string(canary) } }),
        (.typeMismatch, "ok", .convert("Person", from: Wrong.self, to: Wrong.self) { $0 }),
        (.typeMismatch, "new", .run { try $0.create("Person", forKey: "new", Unwritable(name: canary)) }),
        (.propertyExists, "ok", .renameProperty("Person", "name", to: "other")),
        (.propertyMissing, "ok", .renameProperty("Person", "list", to: "tags", ifMissing: .fail)),
        (.keyExists, "ok", .transform("Person") { $0.key = "same" }),
        (.malformedContent, "odd", .transform("Odd") { _ in }),
    ]

    @Test(arguments: failures.indices)
    func `An error names migration, step, record and type, and contains no value`(index: Int) async throws {
        let (code, key, step) = Self.failures[index]
        let migrations = registry(step)
        let error = try await OldStore(Self.records).failure(migrations)

        let type = key == "odd" ? "Odd" : "Person"
        error.expect(code, key: key, type: type, id: MigrationID(name: "change", version: 1))
        error.expect(step: 1, summary: "\(migrations.migrations[0].steps[0])")
        #expect(error.store != nil)
        let texts: [String] = [
            error.message, error.description, error.debugDescription, error.localizedDescription, "\(error)",
            String(reflecting: error),
        ]
        for text in texts { #expect(!text.contains(Self.canary), "\(text)") }
        #expect(error.description.contains("\"\(key)\"") && !error.description.contains("\n"))
    }

    @Test func `Events, plans and reports contain no value`() async throws {
        let texts = Log<String>()
        var configuration = MoltConfiguration()
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
