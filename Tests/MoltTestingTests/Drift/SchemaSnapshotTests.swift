import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

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

    private func snapshot(_ samples: SchemaSnapshot.Samples..., version: Int = 1) throws -> SchemaSnapshot {
        try SchemaSnapshot(of: samples, version: version)
    }

    /// Returns the error that a closure throws.
    private func error(_ body: () throws -> Void) throws -> TestingError {
        try #require(#expect(throws: TestingError.self) { try body() })
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        try ScratchDirectory.with { try body($0.appending(path: "schema.json")) }
    }

    @Test func `A snapshot is recorded once, on request, and passes from then on`() throws {
        try inFolder { url in
            let first = try snapshot(.samples(V1.Person()), .samples(V1.Group()))
            let missing = try error { try first.verify(at: url, recording: .never) }
            #expect(missing.code == .notRecorded)
            #expect(missing.message.contains("MOLT_RECORD=missing"))
            #expect(!FileManager.default.fileExists(atPath: url.path))
            #expect(try error { try first.verify(at: url, recording: .missing) }.code == .recorded)
            let text = try String(contentsOf: url, encoding: .utf8)
            for mode in RecordingMode.allCases { try first.verify(at: url, recording: mode) }
            #expect(try String(contentsOf: url, encoding: .utf8) == text)
            #expect(
                text == """
                    {
                      "versions" : {
                        "1" : {
                          "Group" : {
                            "properties" : {
                              "members" : {
                                "elements" : {
                                  "properties" : {
                                    "age" : "Int",
                                    "name" : "String",
                                    "nickname" : "String?"
                                  },
                                  "type" : "Person"
                                },
                                "type" : "Array<Person>"
                              }
                            },
                            "type" : "Group"
                          },
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
    }

    @Test func `A changed type without a new version is a failure that names each difference`() throws {
        try inFolder { url in
            _ = try error { try snapshot(.samples(V1.Person())).verify(at: url, recording: .missing) }
            let text = try Data(contentsOf: url)
            let changed = try snapshot(.samples(V2.Person()))
            for mode in [RecordingMode.never, .missing] {
                let drift = try error { try changed.verify(at: url, recording: mode) }
                #expect(drift.code == .schemaDrift)
                #expect(drift.file == url)
                #expect(
                    drift.message.hasPrefix(
                        """
                        The types changed, and the version is still 1:
                        - Property 'Person.age' changed from 'Int' to 'String'.
                        - Property 'Person.mail' has been added.
                        - Property 'Person.name' has been made optional.
                        - Property 'Person.nickname' has been removed.
                        Stores that have version 1 hold the shape of before. Add a migration to version 2, such as:
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
        }
    }

    @Test func `A version that has not shipped can be recorded again on request`() throws {
        try inFolder { url in
            _ = try error { try snapshot(.samples(V1.Person())).verify(at: url, recording: .missing) }
            let changed = try snapshot(.samples(V2.Person()))
            #expect(try error { try changed.verify(at: url, recording: .all) }.code == .recorded)
            try changed.verify(at: url, recording: .never)
        }
    }

    @Test func `A new version is recorded beside the previous one, which stays unchanged`() throws {
        try inFolder { url in
            _ = try error { try snapshot(.samples(V1.Person())).verify(at: url, recording: .missing) }
            let next = try snapshot(.samples(V2.Person()), version: 3)
            let missing = try error { try next.verify(at: url, recording: .never) }
            #expect(missing.code == .notRecorded)
            #expect(missing.message.contains("is 1, and the version is 3 now"))
            #expect(try error { try next.verify(at: url, recording: .missing) }.code == .recorded)
            try next.verify(at: url, recording: .never)
            #expect(try SchemaSnapshot.proposedMigration(at: url, from: 1, to: 3).contains("\"mail\""))
            let back = try error { try snapshot(.samples(V1.Person())).verify(at: url, recording: .all) }
            #expect(back.code == .shipped)
            let absent = try error { _ = try SchemaSnapshot.proposedMigration(at: url, from: 1, to: 2) }
            #expect(absent.code == .notRecorded)
        }
    }

    @Test func `A new type is not drift, but must be recorded`() throws {
        try inFolder { url in
            _ = try error { try snapshot(.samples(V1.Person())).verify(at: url, recording: .missing) }
            let more = try snapshot(.samples(V1.Person()), .samples(V1.Group()))
            let missing = try error { try more.verify(at: url, recording: .never) }
            #expect(missing.code == .notRecorded)
            #expect(missing.message.contains("does not have: Group."))
            #expect(try error { try more.verify(at: url, recording: .missing) }.code == .recorded)
            try more.verify(at: url, recording: .never)
        }
    }

    @Test func `A type without a sample is reported`() throws {
        try inFolder { url in
            let both = try snapshot(.samples(V1.Person()), .samples(V1.Group()))
            _ = try error { try both.verify(at: url, recording: .missing) }
            let less = try snapshot(.samples(V1.Person()))
            let failure = try error { try less.verify(at: url, recording: .never) }
            #expect(failure.message.contains("There is no sample of 'Group', which the snapshot has."))
            #expect(try error { try less.verify(at: url, recording: .all) }.code == .recorded)
            try less.verify(at: url, recording: .never)
        }
    }

    @Test func `A type that cannot be encoded is refused`() throws {
        struct Stubborn: Encodable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        let failure = try error { _ = try snapshot(.samples(Stubborn())) }
        #expect(failure.code == .unsuitable)
        #expect(failure.message.contains("Stubborn"))
    }

    @Test func `A file that is not a snapshot is refused and left alone`() throws {
        try inFolder { url in
            for text in ["{", "[]", #"{"versions":{"one":{}}}"#] {
                try Data(text.utf8).write(to: url)
                let failure = try error { try snapshot(.samples(V1.Person())).verify(at: url, recording: .all) }
                #expect(failure.code == .malformedFixture)
                #expect(try Data(contentsOf: url) == Data(text.utf8))
            }
        }
    }
}
