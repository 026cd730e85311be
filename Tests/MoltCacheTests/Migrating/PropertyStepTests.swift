import Testing

@testable import Molt

@Suite("Steps that change a property of each record", .throughEveryEntryPoint)
struct PropertyStepTests {
    private static let records = [
        StoredRecord("Person", "ada", #"{"mail":"a@x","home":{"zip":1,"city":"London"},"age":36}"#),
        StoredRecord("Person", "bob", #"{"age":null,"home":null}"#),
        StoredRecord("City", "rome", #"{"mail":"office"}"#),
    ]

    // MARK: renameProperty

    @Test func `renameProperty renames in place, and skips a record without the property`() async throws {
        let after = try await OldStore(Self.records).upgraded(.renameProperty("Person", "mail", to: "email"))

        #expect(after["ada"]?.text == #"{"email":"a@x","home":{"zip":1,"city":"London"},"age":36}"#)
        #expect(after["bob"]?.text == Self.records[1].text)
        #expect(after["rome"]?.text == Self.records[2].text)
    }

    @Test func `renameProperty renames inside an object, and skips a record without that object`() async throws {
        let store = try OldStore(Self.records + [StoredRecord("Person", "eve", #"{"home":"none"}"#)])

        let after = try await store.upgraded(.renameProperty("Person", ["home", "zip"], to: "code"))

        #expect(after["ada"]?.text == #"{"mail":"a@x","home":{"code":1,"city":"London"},"age":36}"#)
        #expect(after["bob"]?.text == Self.records[1].text)
        #expect(after["eve"]?.text == #"{"home":"none"}"#)
    }

    @Test(arguments: [["mail"], ["home", "zip"]])
    func `renameProperty fails on a record without the property when asked to`(path: [String]) async throws {
        let step =
            path.count == 1
            ? MigrationStep.renameProperty("Person", "mail", to: "new", ifMissing: .fail)
            : .renameProperty("Person", ["home", "zip"], to: "new", ifMissing: .fail)

        let error = try await OldStore(Self.records).failure(step)
        error.expect(.propertyMissing, key: "bob", type: "Person", property: path.joined(separator: "."))
        error.expect(id: MigrationID(name: "change", version: 1), step: 1, summary: step.description)
    }

    @Test func `renameProperty fails when the new name is taken, and names the record`() async throws {
        let error = try await OldStore(Self.records).failure(.renameProperty("Person", "mail", to: "age"))
        error.expect(.propertyExists, key: "ada", property: "age", migration: "change")
        error.expect(says: "to \"age\": the record has a property with that name already")
    }

    @Test func `Two old spellings are renamed to one, and records without either are filled in`() async throws {
        let store = try OldStore(
            [
                StoredRecord("Person", "ada", #"{"mail":"a@x"}"#), StoredRecord("Person", "bob", #"{"eMail":"b@x"}"#),
                StoredRecord("Person", "eve", "{}"),
            ]
        )

        let after = try await store.upgraded(
            .renameProperty("Person", "eMail", to: "mail"),
            .moveProperty("Person", "mail", to: ["contact", "mail"]),
            .addProperty("Person", ["contact", "mail"], default: "")
        )

        #expect(
            after.records.map(\.text) == [
                #"{"contact":{"mail":"a@x"}}"#, #"{"contact":{"mail":"b@x"}}"#, #"{"contact":{"mail":""}}"#,
            ]
        )
    }

    // MARK: moveProperty

    @Test func `moveProperty moves into an object, and skips a record without the property`() async throws {
        let after = try await OldStore(Self.records).upgraded(.moveProperty("Person", "mail", to: ["contact", "mail"]))

        #expect(after["ada"]?.text == #"{"home":{"zip":1,"city":"London"},"age":36,"contact":{"mail":"a@x"}}"#)
        #expect(after["bob"]?.text == Self.records[1].text)
        #expect(after["rome"]?.text == Self.records[2].text)
    }

    @Test func `moveProperty fails on an existing target`() async throws {
        try await OldStore(Self.records).failure(.moveProperty("Person", "mail", to: ["home", "zip"]))
            .expect(.propertyExists, key: "ada", property: "home.zip")
    }

    // MARK: removeProperty

    @Test func `removeProperty removes the property, and skips a record without it`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .removeProperty("Person", "age"),
            .removeProperty("Person", ["home", "city"])
        )

        #expect(after["ada"]?.text == #"{"mail":"a@x","home":{"zip":1}}"#)
        #expect(after["bob"]?.text == #"{"home":null}"#)
    }

    // MARK: addProperty

    @Test func `addProperty fills in a missing or null property, and keeps an existing value`() async throws {
        let store = try OldStore(Self.records + [StoredRecord("Person", "eve", "{}")])

        let after = try await store.upgraded(.addProperty("Person", "age", default: ["UK", 44]))

        #expect(after["ada"]?.text == Self.records[0].text)
        #expect(after["bob"]?.text == #"{"age":["UK",44],"home":null}"#)
        #expect(after["eve"]?.text == #"{"age":["UK",44]}"#)
        #expect(after["rome"]?.text == Self.records[2].text)
    }

    @Test(arguments: ["[1]", "3", #""text""#, "null"])
    func `Property steps fail on a record that is no object if they must write, and skip it otherwise`(
        content: String
    ) async throws {
        let records = [StoredRecord("Person", "odd", content)]

        let skipped = try await OldStore(records).upgraded(
            .renameProperty("Person", "a", to: "b"),
            .removeProperty("Person", "c")
        )
        let error = try await OldStore(records).failure(.addProperty("Person", "a", default: 1))

        #expect(skipped["odd"]?.text == content)
        error.expect(.typeMismatch, key: "odd")
    }

    @Test func `A record that is not JSON fails only the steps that read it`() async throws {
        let records = [StoredRecord("Person", "bad", #"{"a":1,}"#)]

        let untouched = try await OldStore(records).upgraded(.removeProperty("City", "a"))
        let error = try await OldStore(records).failure(.removeProperty("Person", "a"))

        let deleted = try await OldStore(records).upgraded { try $0.delete("bad") }
        let typeDeleted = try await OldStore(records).upgraded(.deleteType("Person"))

        #expect(untouched["bad"]?.text == #"{"a":1,}"#)
        #expect(deleted.records.isEmpty)
        #expect(typeDeleted.records.isEmpty)
        error.expect(.malformedContent, key: "bad", migration: "change")
    }
}
