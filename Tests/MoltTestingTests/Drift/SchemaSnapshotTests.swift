import Foundation
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("Schema snapshots") struct SchemaSnapshotTests {
    private enum V1 {
        struct Person: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var name = "John"
            var age = 41
            var nickname: String?
        }
        struct Group: Codable, RecordType {
            static var recordTypeName: String { "Group" }
            var members = [Person()]
        }
    }

    private enum V2 {
        struct Person: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var name: String? = "John"
            var age = "41"
            var mail = ""
        }
    }

    private let directory: ScratchDirectory
    private var url: URL { directory.file("schema.json") }

    init() throws {
        directory = try ScratchDirectory()
    }

    private func snapshot(_ samples: SchemaSnapshot.Samples..., version: Int = 1) throws -> SchemaSnapshot {
        try SchemaSnapshot(of: samples, version: version)
    }

    /// Expects a code and words of the error of verifying a snapshot that is not as recorded.
    private func expect(
        _ code: TestingError.Code,
        of snapshot: SchemaSnapshot,
        _ mode: RecordingMode = .never,
        says words: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try TestingError.expect(code, sourceLocation: sourceLocation) {
            try snapshot.verify(at: url, recording: mode)
        }
        #expect(words.isEmpty || error.message.contains(words), "\(error)", sourceLocation: sourceLocation)
    }

    /// Records a snapshot, and verifies it.
    private func record(_ snapshot: SchemaSnapshot, _ mode: RecordingMode = .missing) throws {
        try expect(.recorded, of: snapshot, mode)
        try snapshot.verify(at: url, recording: .never)
    }

    @Test func `A snapshot is recorded once, on request, and passes from then on`() throws {
        let first = try snapshot(.samples(V1.Person()))
        try expect(.notRecorded, of: first, says: "MOLT_RECORD=missing")
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try record(first)
        let text = try String(contentsOf: url, encoding: .utf8)
        for mode in RecordingMode.allCases { try first.verify(at: url, recording: mode) }
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
        #expect(
            text == """
                {
                  "versions" : {
                    "1" : {
                      "Person" : {
                        "properties" : {
                          "age" : "Int",
                          "name" : "String",
                          "nickname" : "String?"
                        },
                        "type" : "Person"
                      }
                    }
                  }
                }

                """
        )
    }

    @Test func `A changed type without a new version is a failure that names each difference`() throws {
        try record(try snapshot(.samples(V1.Person())))
        let text = try Data(contentsOf: url)
        let changed = try snapshot(.samples(V2.Person()))
        for mode in [RecordingMode.never, .missing] {
            let drift = try TestingError.expect(.schemaDrift, file: url) {
                try changed.verify(at: url, recording: mode)
            }
            #expect(
                drift.message.hasPrefix(
                    """
                    The types changed, and the version is still 1:
                    - Property 'Person.age' changed from 'Int' to 'String'.
                    - Property 'Person.mail' has been added.
                    - Property 'Person.name' has been made optional.
                    - Property 'Person.nickname' has been removed.
                    Stores at version 1 contain the previous shape. Add a migration to version 2, such as:
                    Migration(
                        to: 2,
                        "mail-added-and-age-is-string",
                        .addProperty("Person", "mail", default: ""),
                        // .removeProperty("Person", "nickname") deletes values that are not read any more
                        .changeValue("Person", "age", to: .string)
                    )
                    When stored records can be read as they are, it needs no step: `Migration(to: 2, "types-of-version-2")`.
                    """
                )
            )
        }
        #expect(try Data(contentsOf: url) == text)
        // A version that has not shipped can be recorded again.
        try record(changed, .all)
    }

    @Test func `A new version is recorded beside the previous one, which stays unchanged`() throws {
        let first = try snapshot(.samples(V1.Person()))
        try record(first)
        let next = try snapshot(.samples(V2.Person()), version: 3)
        try expect(.notRecorded, of: next, says: "is 1, and the version is 3 now")
        try record(next)
        #expect(try SchemaSnapshot.proposedMigration(at: url, from: 1, to: 3).contains("\"mail\""))
        try expect(.shipped, of: first, .all)
        try TestingError.expect(.notRecorded) { try SchemaSnapshot.proposedMigration(at: url, from: 1, to: 2) }
    }

    @Test func `A new type is not drift but must be recorded, and a type without a sample is reported`() throws {
        let one = try snapshot(.samples(V1.Person()))
        let both = try snapshot(.samples(V1.Person()), .samples(V1.Group()))
        try record(one)
        try expect(.notRecorded, of: both, says: "does not have: Group.")
        try record(both)
        try expect(.schemaDrift, of: one, says: "There is no sample of 'Group', which the snapshot has.")
        try record(one, .all)
    }

    @Test func `A setting is recorded beside the types, and steps on it are proposed`() throws {
        let sample = SchemaSnapshot.Samples.samples(V1.Person())
        let (profile, volume) = ("profile", "volume")
        try record(
            try snapshot(sample, .setting(profile, V1.Person(), in: .standard), .setting(volume, "1", in: .standard))
        )
        let changed = try snapshot(
            sample,
            .setting(profile, V2.Person(), in: .standard),
            .setting(volume, 1, in: .standard)
        )
        for words in [
            "The types or settings changed", "When stored values can be read as they are",
            "- Setting 'profile' in standard: property 'age' changed from 'Int' to 'String'.",
            "- Setting 'volume' in standard: the value changed from 'String' to 'Int'.",
            #".addProperty(.setting("profile", in: .standard), "mail","#,
            #".changeValue(.setting("volume", in: .standard), [], to: .integer)"#,
        ] {
            try expect(.schemaDrift, of: changed, says: words)
        }
        try expect(.schemaDrift, of: snapshot(sample), says: "no sample of setting 'profile' in standard, which")
    }

    @Test func `A type that cannot be encoded is refused`() throws {
        struct Stubborn: Encodable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        try TestingError.expect(.unsuitable, says: "Stubborn") { try snapshot(.samples(Stubborn())) }
    }

    @Test(arguments: ["{", "[]", #"{"versions":{"one":{}}}"#])
    func `A file that is not a snapshot is refused and left alone`(text: String) throws {
        try Data(text.utf8).write(to: url)
        try expect(.malformedFixture, of: snapshot(.samples(V1.Person())), .all)
        #expect(try Data(contentsOf: url) == Data(text.utf8))
    }
}
