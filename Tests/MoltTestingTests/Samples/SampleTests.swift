import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite struct `Samples in the one call that verifies a catalog` {
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
        struct Profile: Codable { var mail = "a@b.c" }
    }

    private enum V2 {
        struct Person: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var name: String? = "John"
            var age = "41"
            var mail = ""
        }
        struct Profile: Codable { var mail = 5 }
    }

    private let directory = CatalogDirectory()
    private let migrations: MigrationRegistry = [Migration(to: 1, "first")]
    private let john = FixtureType.type(V1.Person.self, samples: ["john": V1.Person()])
    private let changed = FixtureType.type(V2.Person.self, samples: ["john": V2.Person()])
    private let fontSize = FixtureSetting.key(SettingKey<Double>("fontSize", default: 12), in: .standard, sample: 14)

    /// Verifies the catalog, and returns its failure; nil if it passes.
    private func verify(
        _ mode: RecordingMode = .never,
        _ types: FixtureType...,
        settings: [FixtureSetting] = [],
        through migrations: MigrationRegistry? = nil,
        versions: [Int] = [1]
    ) async throws -> VerificationFailure? {
        await Releases.failure {
            try await directory.catalog(recording: mode)
                .verify(migrations ?? self.migrations, types: types, settings: settings, versions: versions)
        }
    }

    /// Records samples, and expects that they pass in every mode without another write.
    private func record(_ types: FixtureType..., settings: [FixtureSetting] = [], files: [String]) async throws {
        func verify(_ mode: RecordingMode) async -> VerificationFailure? {
            await Releases.failure {
                try await directory.catalog(recording: mode)
                    .verify(migrations, types: types, settings: settings, versions: [1])
            }
        }
        let recording = try #require(await verify(.missing))
        recording.expect(kinds: .recorded)
        #expect(recording.report.recorded == files)
        let written = try directory.files()
        for mode in RecordingMode.allCases where mode != .all {
            let failure = await verify(mode)
            #expect(failure == nil, "\(failure?.description ?? "")")
        }
        #expect(try directory.files() == written)
    }

    @Test func `One run writes every file that is missing, and lists them; the next one passes`() async throws {
        try directory.write(
            #"{"format":1,"schemaVersion":0,"records":[{"key":"a","type":"Person","content":{"name":"A","age":1}}]}"#,
            to: "0-everyday.json"
        )
        let missing = try #require(try await verify(.never, john))
        let messages = missing.failures.map { "\($0.subject): \($0.message)" }
        #expect(
            messages == [
                "0-everyday.json: There is no 0-everyday@1.json to compare with. To write it: MOLT_RECORD=missing swift test",
                "1-samples.json: There is no such file for the samples, which are the store of this release. "
                    + "To write it: MOLT_RECORD=missing swift test",
                "types.json: There is no such file. To write it: MOLT_RECORD=missing swift test",
            ]
        )
        let before = try directory.files().keys.sorted()
        #expect(before == ["0-everyday.json"])

        try await record(john, files: ["0-everyday@1.json", "1-samples.json", "types.json"])

        let store = try directory.catalog().fixture(1, "samples")
        let expected = StoreFixture.Record("john", "Person", .json(#"{"age":41,"name":"John"}"#))
        try StoreFixture(version: 1, ledger: store.ledger, records: [expected]).requireEqual(to: store)
        #expect(store.ledger.map(\.outcome) == [.createdAtVersion])
        #expect(
            try directory.text("types.json") == """
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

    @Test func `A changed sample is a failure, and is written again only for the newest version`() async throws {
        try await record(john, files: ["1-samples.json", "types.json"])
        let jane = FixtureType.type(V1.Person.self, samples: ["john": V1.Person(name: "Jane")])
        for mode in [RecordingMode.never, .missing] {
            try #require(try await verify(mode, jane)).expect(
                only: .samples,
                of: ["1-samples.json"],
                says: #""john".name: expected "John", found "Jane""#,
                "If it has not, and the new one is right: MOLT_RECORD=all swift test"
            )
        }
        let all = try #require(try await verify(.all, jane))
        all.expect(kinds: .recorded)
        #expect(all.report.recorded == ["1-samples.json"])

        // The file shows that there is a version 2.
        try directory.write(StoreFixture(version: 2).json, to: "2-other.json")
        let files = try directory.files()
        let shipped = try #require(try await verify(.all, john))
        shipped.expect(.samples, of: ["1-samples.json"], says: "a file of an older version is not written again")
        try #require(try await verify(.all, changed)).expect(.types, says: "Property \"Person.mail\" has been added.")
        #expect(try directory.files() == files)
    }

    @Test func `A changed model without a new version is a failure, also if its fixture is recorded again`()
        async throws
    {
        try await record(john, files: ["1-samples.json", "types.json"])
        let types = try directory.text("types.json")
        try directory.remove("1-samples.json")
        let recording = try #require(try await verify(.missing, changed))
        recording.expect(kinds: .types, .recorded)
        #expect(recording.report.recorded == ["1-samples.json"])
        for mode in [RecordingMode.never, .missing] {
            let drift = try #require(try await verify(mode, changed))
            drift.expect(
                only: .types,
                of: ["types.json"],
                begins: """
                    The types changed, and the version is still 1:
                    - Property "Person.age" changed from "Int" to "String".
                    - Property "Person.mail" has been added.
                    - Property "Person.name" has been made optional.
                    - Property "Person.nickname" has been removed.
                    Stores at version 1 have the previous properties. Add a migration to version 2, such as:
                    Migration(
                        to: 2,
                        "mail-added-and-age-is-string",
                        .addProperty("Person", "mail", default: ""),
                        // .removeProperty("Person", "nickname") deletes values that are not read any more
                        .changeValue("Person", "age", to: .string)
                    )
                    If stored records can be read as they are, it needs no step: `Migration(to: 2, "types-of-version-2")`.
                    """,
                says: "write its types again instead: MOLT_RECORD=all swift test"
            )
        }
        #expect(try directory.text("types.json") == types)
        // Only the developer knows whether the version has shipped, so the run says what it has replaced.
        let all = try #require(try await verify(.all, changed))
        all.expect(kinds: .recorded)
        #expect(all.report.recorded == ["types.json"])
        #expect(all.description.contains("- Property \"Person.age\" changed from \"Int\" to \"String\"."))
        #expect(try await verify(.never, changed) == nil)
    }

    @Test func `A new version is recorded beside the previous one, which stays unchanged`() async throws {
        try await record(john, files: ["1-samples.json", "types.json"])
        let later: MigrationRegistry = [
            Migration(to: 1, "first"),
            Migration(
                to: 3,
                "third",
                .changeValue("Person", "age", to: .string),
                .addProperty("Person", "mail", default: "")
            ),
        ]
        let missing = try #require(try await verify(.never, changed, through: later))
        missing.expect(.types, says: "The file does not have version 3. To write it: MOLT_RECORD=missing swift test")
        let recording = try #require(try await verify(.missing, changed, through: later))
        recording.expect(kinds: .recorded)
        #expect(recording.report.recorded == ["1-samples@3.json", "3-samples.json", "types.json"])
        #expect(try await verify(.never, changed, through: later) == nil)
        let catalog = directory.catalog()
        #expect(try catalog.proposedMigration(from: 1, to: 3).contains("\"mail\""))
        try TestingError.expect(.notRecorded) { try catalog.proposedMigration(from: 1, to: 2) }

        let types = try directory.text("types.json")
        let older = try #require(try await verify(.all, john))
        older.expect(.types, says: "The file has version 3, and the registry ends at version 1")
        #expect(try directory.text("types.json") == types)
        // The file of types alone shows that version 1 has shipped.
        for path in ["1-samples@3.json", "3-samples.json"] { try directory.remove(path) }
        let files = try directory.files()
        let jane = FixtureType.type(V1.Person.self, samples: ["john": V1.Person(name: "Jane")])
        try #require(try await verify(.all, jane)).expect(.samples, says: "is not written again")
        #expect(try directory.files() == files)
    }

    @Test func `Samples are recorded under the name that their type has in the call`() async throws {
        let named = FixtureType.type(V1.Person.self, named: "Contact", samples: ["john": V1.Person()])
        let group = FixtureType.type(V1.Group.self, samples: ["group": V1.Group()])
        try await record(named, group, files: ["1-samples.json", "types.json"])
        let recorded = try directory.catalog().fixture(1, "samples")
        #expect(recorded.records.map { "\($0.key) \($0.typeName)" }.sorted() == ["group Group", "john Contact"])
        #expect(try directory.text("types.json").contains(#""Contact""#))
    }

    @Test func `A new type needs no version but must be recorded, and one without a sample is reported`() async throws {
        try await record(john, files: ["1-samples.json", "types.json"])
        let group = FixtureType.type(V1.Group.self, samples: ["group": V1.Group()])
        try #require(try await verify(.never, john, group)).expect(.types, says: "Version 1 does not have: \"Group\".")
        _ = try await verify(.all, john, group)
        #expect(try await verify(.never, john, group) == nil)
        try #require(try await verify(.never, john, .type(V1.Group.self))).expect(
            .types,
            says: "There is no sample of \"Group\", which the file has."
        )
        try #require(try await verify(.never, .type(V1.Person.self), .type(V1.Group.self))).expect(
            only: .samples,
            says: "There are no samples any more"
        )
    }

    @Test func `Samples of settings are stored as the app stores them, and their types are compared`() async throws {
        func profile(_ form: SettingForm?) -> FixtureSetting {
            .setting("profile", V1.Profile.self, in: .standard, form: form, samples: [V1.Profile()])
        }
        let json = #"{"mail":"a@b.c"}"#
        let forms: [(SettingForm?, PropertyListValue)] = [
            (nil, .string(json)), (.jsonData, .data(Data(json.utf8))), (.native, ["mail": "a@b.c"]),
            (.jsonTexts, ["mail": #""a@b.c""#]),
        ]
        for (form, stored) in forms {
            for path in try directory.files().keys { try directory.remove(path) }
            try await record(settings: [profile(form), fontSize], files: ["1-samples.json", "types.json"])
            // A suite does not have the version of a migration that is not about it.
            let store = try StoreFixture(contentsOf: directory.url.appending(path: "1-samples.json"))
            #expect(store.primary == .suite(.standard))
            #expect(store.suites == [.standard: ["profile": stored, "fontSize": 14.0]])
        }
        let changed = FixtureSetting.setting("profile", V2.Profile.self, in: .standard, samples: [V2.Profile()])
        let drift = try #require(try await verify(.never, settings: [changed, fontSize]))
        for words in [
            "The types or settings changed", "If stored values can be read as they are",
            "- Setting \"profile\" in standard: property \"mail\" changed from \"String\" to \"Int\".",
            #".changeValue(.setting("profile", in: .standard), "mail", to: .integer)"#,
        ] {
            drift.expect(.types, says: words)
        }

        // Beside records, they are in the cache's fixture.
        for path in try directory.files().keys { try directory.remove(path) }
        try await record(john, settings: [fontSize], files: ["1-samples.json", "types.json"])
        let store = try directory.catalog().fixture(1, "samples")
        #expect(store.primary == .cache && store.suites == [.standard: ["fontSize": 14.0]])
    }

    @Test func `Samples of settings have Foundation's own coders, unless those of the registry would differ`()
        async throws
    {
        struct Mail: Codable { var homeAddress = "a@b.c" }
        let coding = RecordCoding { encoder, decoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        let migrations = self.migrations.coding(coding)
        func setting(_ coding: RecordCoding?, _ form: SettingForm?) -> FixtureSetting {
            .setting("mail", Mail.self, in: .standard, form: form, coding: coding, samples: [Mail()])
        }
        for form in [SettingForm.jsonText, .jsonData, .jsonTexts, nil] {
            let failure = try #require(try await verify(.missing, settings: [setting(nil, form)], through: migrations))
            failure.expect(.samples, says: #"the setting "mail" is written differently"#, "`coding: .standard`")
        }
        // The first sample does not show it.
        let dates = self.migrations.coding(RecordCoding { encoder, _ in encoder.dateEncodingStrategy = .iso8601 })
        let visits = FixtureSetting.setting(
            "visit",
            [String: Date].self,
            in: .standard,
            form: .jsonText,
            samples: [[:], ["a": Date(timeIntervalSince1970: 0)]]
        )
        try #require(try await verify(.missing, settings: [visits], through: dates)).expect(
            .samples,
            says: #"the setting "visit" is written differently"#
        )
        #expect(try directory.files().isEmpty)
        for (coding, form, name) in [
            (nil, SettingForm.native, "homeAddress"), (.standard, .jsonText, "homeAddress"),
            (coding, .jsonData, "home_address"),
        ] {
            let settings = [setting(coding, form), fontSize]
            let recording = try #require(try await verify(.missing, settings: settings, through: migrations))
            recording.expect(kinds: .recorded)
            let text = try directory.text("1-samples.json")
            #expect(text.contains(name), "\(text)")
            #expect(try await verify(.never, settings: settings, through: migrations) == nil)
            for path in try directory.files().keys { try directory.remove(path) }
        }
    }

    @Test func `The form of a setting's samples is that of older fixtures, or is asked for`() async throws {
        func profile(_ form: SettingForm?) -> FixtureSetting {
            .setting("profile", V1.Profile.self, in: .standard, form: form, samples: [V1.Profile()])
        }
        func list(_ form: SettingForm?) -> FixtureSetting {
            .setting("list", [String].self, in: .standard, form: form, samples: [["a"]])
        }
        let asked = try #require(try await verify(.missing, settings: [list(nil)]))
        asked.expect(.samples, says: #"the setting "list" is an array or a dictionary"#, "`form: .native`")
        #expect(try directory.files().isEmpty)

        let data = PropertyListValue.data(Data(#"{"mail":"a"}"#.utf8))
        let device = StoreFixture(primary: .suite(.standard), version: 0, suites: [.standard: ["profile": data]])
        try directory.catalog(recording: .missing).keep(device, named: "device")
        let older: MigrationRegistry = [Migration(to: 1, "first", .removeSettings("fax", in: .standard))]
        func run(_ form: SettingForm?) async throws -> VerificationFailure? {
            try await self.verify(.missing, settings: [profile(form), list(.native)], through: older)
        }
        for _ in 1...2 {
            let failure = try #require(try await run(nil))
            #expect(
                failure.messages(.samples).contains(
                    #"The sample of the setting "profile" in standard is JSON text, because no form is given, and "#
                        + "0-device.json has JSON data after its upgrade. Pass the form in which the app stores it, such "
                        + "as `form: .jsonData`."
                )
            )
            #expect(try directory.files()["1-samples.json"] == nil)
        }
        for form in [SettingForm.jsonData, .jsonText] {
            try #require(try await run(form)).expect(kinds: .recorded)
            #expect(try await run(form) == nil)
            for path in try directory.files().keys where path != "0-device.json" { try directory.remove(path) }
        }
    }

    @Test func `The samples of a suite begin at their release, whatever version the suite has`() async throws {
        let later: MigrationRegistry = [
            Migration(to: 1, "size", .renameSetting("size", to: "fontSize", in: .standard)),
            Migration(to: 2, "people", .renameType("Human", to: "Person")),
            Migration(to: 3, "group", .renameType("Team", to: "Group")),
        ]
        let recording = try #require(try await verify(.missing, settings: [fontSize], through: later, versions: [3]))
        #expect(recording.report.recorded == ["3-samples.json", "types.json"])
        #expect(try await verify(.never, settings: [fontSize], through: later, versions: [3]) == nil)
    }

    @Test func `A model that cannot read its samples is compared, and nothing is recorded`() async throws {
        try await record(john, files: ["1-samples.json", "types.json"])
        let files = try directory.files()
        let failure = try #require(try await verify(.missing, changed))
        failure.expect(.decoding, says: "age")
        failure.expect(.types, says: "Property \"Person.age\" changed from \"Int\" to \"String\".")
        #expect(try directory.files() == files)
    }

    @Test(arguments: [RecordingMode.missing, .unsealed])
    func `Nothing of a new version is recorded while the upgrade of an older store fails`(mode: RecordingMode)
        async throws
    {
        try directory.write(
            #"{"format":1,"schemaVersion":0,"records":[{"key":"a","type":"Person","content":{"name":"A","age":"old"}}]}"#,
            to: "0-aged.json"
        )
        try directory.write(
            #"{"format":1,"schemaVersion":0,"records":[{"key":"a","type":"Person","content":{"name":"A","age":1}}]}"#,
            to: "0-sound.json"
        )
        let failure = try #require(try await verify(mode, john))
        failure.expect(kinds: .decoding, .missingUpgradedFixture, .samples, .types)
        for (kind, path) in [
            (VerificationFailure.Kind.missingUpgradedFixture, "0-sound@1.json"), (.samples, "The file"),
            (.types, "Version 1"),
        ] {
            let messages = failure.messages(kind)
            #expect(messages.contains("\(path) was not written, because of the other failures."), "\(messages)")
        }
        #expect(try directory.files().keys.sorted() == ["0-aged.json", "0-sound.json"])

        let right: MigrationRegistry = [
            Migration(to: 1, "first", .changeValue("Person", "age", to: .integer, otherwise: .value(0)))
        ]
        let recording = try #require(try await verify(mode, john, through: right))
        recording.expect(only: .recorded)
        let files = ["0-aged@1.json", "0-sound@1.json", "1-samples.json", "types.json"]
        #expect(recording.report.recorded == files)
    }

    @Test func `A file of types that is gone, or that a merge has left, says what to do`() async throws {
        try await record(john, files: ["1-samples.json", "types.json"])
        let types = try directory.text("types.json")
        let later: MigrationRegistry = [Migration(to: 1, "first"), Migration(to: 2, "second")]
        try directory.remove("types.json")
        for mode in [RecordingMode.never, .missing] {
            let failure = try #require(try await verify(mode, john, through: later))
            failure.expect(
                .types,
                says: "samples of version 1, whose types only it has. If it was never checked in, `MOLT_RECORD=all`"
            )
        }
        #expect(try directory.files()["types.json"] == nil)

        try directory.write("<<<<<<< HEAD\n\(types)=======\n\(types)>>>>>>> main\n", to: "types.json")
        let samples = try directory.text("1-samples.json")
        try directory.write("<<<<<<< HEAD\n\(samples)", to: "1-samples.json")
        let merged = try #require(try await verify(.never, john))
        let messages = merged.messages(.catalog).filter { $0.contains("has the conflict markers of a merge. ") }
        #expect(messages.count == 2, "\(merged)")
    }

    @Test func `Samples that cannot be stored or read back are not recorded, and the failure says why`() async throws {
        struct Stubborn: Codable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        struct Forgetful: Codable {
            var name = "a"
            func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }
        }
        let wrong: [(FixtureType, String)] = [
            (.type(Stubborn.self, samples: ["a": .init()]), "The samples of Stubborn show nothing"),
            (.type(V1.Group.self, samples: ["john": .init()]), #"of Person and of Group have the key "john""#),
            (.type(Forgetful.self, samples: ["a": .init()]), "not written, because of the other failures"),
        ]
        for (type, words) in wrong {
            let failure = try #require(try await verify(.missing, john, type))
            failure.expect(.samples, says: words)
            #expect(try directory.files().isEmpty)
        }
    }

    @Test(arguments: ["{", "[]", #"{"versions":{"one":{}}}"#])
    func `A file that is not one of types is a failure and left alone`(text: String) async throws {
        try directory.write(text, to: "types.json")
        try #require(try await verify(.all, john)).expect(.catalog, of: ["types.json"], says: "not a file of types")
        #expect(try directory.text("types.json") == text)
    }
}
