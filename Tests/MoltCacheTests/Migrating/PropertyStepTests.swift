import Molt
import Testing

@Suite("Steps that change a property of each record")
struct PropertyStepTests {
    private static let records = [
        StoredRecord("Person", "ada", #"{"mail":"a@x","home":{"zip":1,"city":"London"},"age":36}"#),
        StoredRecord("Person", "bob", #"{"age":null,"home":null}"#),
        StoredRecord("City", "rome", #"{"mail":"office"}"#),
    ]

    // MARK: renameProperty

    @Test(arguments: EntryPoint.allCases)
    func `renameProperty renames in place, and skips a record without the property`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded(registry(.renameProperty("Person", "mail", to: "email")))

        #expect(after["ada"]?.text == #"{"email":"a@x","home":{"zip":1,"city":"London"},"age":36}"#)
        #expect(after["bob"]?.text == Self.records[1].text)
        #expect(after["rome"]?.text == Self.records[2].text)
    }

    @Test(arguments: EntryPoint.allCases)
    func `renameProperty renames inside an object, and skips a record without that object`(
        entry: EntryPoint
    ) async throws {
        let store = try OldStore(Self.records + [StoredRecord("Person", "eve", #"{"home":"none"}"#)], through: entry)

        let after = try await store.upgraded(registry(.renameProperty("Person", ["home", "zip"], to: "code")))

        #expect(after["ada"]?.text == #"{"mail":"a@x","home":{"code":1,"city":"London"},"age":36}"#)
        #expect(after["bob"]?.text == Self.records[1].text)
        #expect(after["eve"]?.text == #"{"home":"none"}"#)
    }

    @Test(arguments: [["mail"], ["home", "zip"]])
    func `renameProperty fails on a record without the property when asked to`(path: [String]) async throws {
        let store = try OldStore(Self.records)
        let step =
            path.count == 1
            ? MigrationStep.renameProperty("Person", "mail", to: "new", ifMissing: .fail)
            : .renameProperty("Person", ["home", "zip"], to: "new", ifMissing: .fail)

        let error = try await store.failure(registry(step))

        #expect(error.code == .propertyMissing)
        #expect(error.recordKey == "bob")
        #expect(error.recordType == "Person")
        #expect(error.property == path.joined(separator: "."))
        #expect(error.migration == MigrationID(name: "change", version: 1))
        #expect(error.step?.number == 1)
        #expect(error.step?.summary == step.description)
    }

    @Test(arguments: EntryPoint.allCases)
    func `renameProperty fails when the new name is taken, and names the record`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let error = try await store.failure(registry(.renameProperty("Person", "mail", to: "age")))

        #expect(error.code == .propertyExists)
        #expect(error.recordKey == "ada")
        #expect(error.property == "age")
        #expect(error.migration?.name == "change")
    }

    @Test(arguments: EntryPoint.allCases)
    func `Two old spellings are renamed to one, and records without either are filled in`(entry: EntryPoint)
        async throws
    {
        let store = try OldStore(
            [
                StoredRecord("Person", "ada", #"{"mail":"a@x"}"#), StoredRecord("Person", "bob", #"{"eMail":"b@x"}"#),
                StoredRecord("Person", "eve", "{}"),
            ],
            through: entry
        )

        let after = try await store.upgraded(
            registry(
                .renameProperty("Person", "eMail", to: "mail"),
                .moveProperty("Person", "mail", to: ["contact", "mail"]),
                .addProperty("Person", ["contact", "mail"], default: "")
            )
        )

        #expect(
            after.records.map(\.text) == [
                #"{"contact":{"mail":"a@x"}}"#, #"{"contact":{"mail":"b@x"}}"#, #"{"contact":{"mail":""}}"#,
            ]
        )
    }

    // MARK: moveProperty

    @Test(arguments: EntryPoint.allCases)
    func `moveProperty moves into an object, and skips a record without the property`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded(registry(.moveProperty("Person", "mail", to: ["contact", "mail"])))

        #expect(after["ada"]?.text == #"{"home":{"zip":1,"city":"London"},"age":36,"contact":{"mail":"a@x"}}"#)
        #expect(after["bob"]?.text == Self.records[1].text)
        #expect(after["rome"]?.text == Self.records[2].text)
    }

    @Test func `moveProperty fails on a missing property when asked to, and on an existing target`()
        async throws
    {
        let store = try OldStore(Self.records)

        let missing = try await store.failure(registry(.moveProperty("Person", "mail", to: "x", ifMissing: .fail)))
        let exists = try await store.failure(registry(.moveProperty("Person", "mail", to: ["home", "zip"])))

        #expect(missing.code == .propertyMissing)
        #expect(missing.recordKey == "bob")
        #expect(exists.code == .propertyExists)
        #expect(exists.property == "home.zip")
        #expect(exists.recordKey == "ada")
    }

    // MARK: removeProperty

    @Test(arguments: EntryPoint.allCases)
    func `removeProperty removes the property, and skips a record without it`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded(
            registry(.removeProperty("Person", "age"), .removeProperty("Person", ["home", "city"]))
        )

        #expect(after["ada"]?.text == #"{"mail":"a@x","home":{"zip":1}}"#)
        #expect(after["bob"]?.text == #"{"home":null}"#)
    }

    @Test func `removeProperty fails on a record without the property when asked to`() async throws {
        let error = try await OldStore(Self.records).failure(
            registry(.removeProperty("Person", "mail", ifMissing: .fail))
        )

        #expect(error.code == .propertyMissing)
        #expect(error.recordKey == "bob")
        #expect(error.property == "mail")
    }

    // MARK: addProperty

    @Test(arguments: EntryPoint.allCases)
    func `addProperty fills in a missing or null property, and keeps an existing value`(entry: EntryPoint) async throws
    {
        let store = try OldStore(Self.records + [StoredRecord("Person", "eve", "{}")], through: entry)

        let after = try await store.upgraded(registry(.addProperty("Person", "age", default: 0)))

        #expect(after["ada"]?.text == Self.records[0].text)
        #expect(after["bob"]?.text == #"{"age":0,"home":null}"#)
        #expect(after["eve"]?.text == #"{"age":0}"#)
        #expect(after["rome"]?.text == Self.records[2].text)
    }

    @Test func `addProperty creates the missing objects of the path`() async throws {
        let store = try OldStore([
            StoredRecord("Person", "ada", #"{"home":{"zip":1}}"#), StoredRecord("Person", "bob", "{}"),
        ])

        let after = try await store.upgraded(
            registry(.addProperty("Person", ["home", "country"], default: ["UK", 44]))
        )

        #expect(after["ada"]?.text == #"{"home":{"zip":1,"country":["UK",44]}}"#)
        #expect(after["bob"]?.text == #"{"home":{"country":["UK",44]}}"#)
    }

    @Test(arguments: ["[1]", "3", #""text""#, "null"])
    func `Property steps fail on a record that is no object if they must write, and skip it otherwise`(
        content: String
    ) async throws {
        let records = [StoredRecord("Person", "odd", content)]

        let skipped = try await OldStore(records).upgraded(
            registry(.renameProperty("Person", "a", to: "b"), .removeProperty("Person", "c"))
        )
        let error = try await OldStore(records).failure(registry(.addProperty("Person", "a", default: 1)))

        #expect(skipped["odd"]?.text == content)
        #expect(error.code == .typeMismatch)
        #expect(error.recordKey == "odd")
    }

    @Test func `A record that is not JSON fails only the steps that read it`() async throws {
        let records = [StoredRecord("Person", "bad", #"{"a":1,}"#)]

        let untouched = try await OldStore(records).upgraded(registry(.removeProperty("City", "a")))
        let error = try await OldStore(records).failure(registry(.removeProperty("Person", "a")))

        let deleted = try await OldStore(records).upgraded(registry(.run { try $0.delete("bad") }))
        let typeDeleted = try await OldStore(records).upgraded(registry(.deleteType("Person")))

        #expect(untouched["bad"]?.text == #"{"a":1,}"#)
        #expect(deleted.records.isEmpty)
        #expect(typeDeleted.records.isEmpty)
        #expect(error.code == .malformedContent)
        #expect(error.recordKey == "bad")
        #expect(error.migration?.name == "change")
    }
}
