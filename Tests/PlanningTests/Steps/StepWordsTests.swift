import Foundation
import Molt
import Testing

@Suite("Descriptions of steps")
struct StepWordsTests {
    private struct PersonV1: Codable { var name: String }
    private struct PersonV2: Codable { var fullName: String }

    private static let words: [(MigrationStep, String)] = [
        (MigrationStep.renameType("Alien", to: "Person"), "rename the type Alien to Person"),
        (.deleteType("Alien"), "delete the type Alien"),
        (.deleteType("Token", erasing: true), "delete and erase the type Token"),
        (.renameProperty("Person", "mail", to: "email"), "rename Person.mail to email"),
        (.renameProperty("Person", ["home", "zip"], to: "code"), "rename Person.home.zip to code"),
        (.moveProperty("Person", "zip", to: ["home", "code"]), "move Person.zip to home.code"),
        (.removeProperty("Person", ["home", "zip"]), "remove Person.home.zip"),
        (.addProperty("Person", "tags", default: ["secret"]), "add Person.tags where it is missing"),
        (.copyProperty("Person", "mail", to: ["contact", "mail"]), "copy Person.mail to contact.mail"),
        (.splitProperty("Person", "name", into: ["first", "last"]), "split Person.name into first, last"),
        (.joinProperties("Person", ["first", "last"], into: "name"), "join Person.first, last into name"),
        (.mapValue("Order", "status", ["secret": "open"]), "map the values of Order.status"),
        (.renameProperty("Person", ["homes", .each, "zip"], to: "code"), "rename Person.homes[].zip to code"),
        (.changeValue("Person", "age", to: .integer), "change the values of Person.age to integer"),
        (
            .changeValue("Event", "at", from: .iso8601, to: .secondsSince1970),
            "change the dates of Event.at from iso8601 to secondsSince1970"
        ),
        (
            .changeValue("Photo", "file", toPathIn: "Documents"),
            "change the file URLs of Photo.file to paths in Documents"
        ),
        (.wrapProperty("Person", "phone", in: .array), "wrap Person.phone in an array"),
        (.unwrapProperty("Person", "phone", from: .object("number")), "unwrap Person.phone from an object with number"),
        (
            .extractRecords("Post", ["comments", .each], as: "Comment", key: .derived),
            "extract Comment from Post.comments[]"
        ),
        (
            .extractRecords("Array<Post>", [.each, "by"], as: "Author", key: .derived),
            "extract Author from Array<Post>[].by"
        ),
        (.renameKeys("Tag", to: .property(["meta", "id"])), "rename the keys of Tag to meta.id"),
        (.renameKeys("Tag", to: .lowercased), "rename the keys of Tag to lower case"),
        (.changeDictionary("Person", "phones", to: .object), "change the dictionary Person.phones to an object"),
        (.mapValue("Shop", "labels", in: .keys, ["secret": "x"]), "map the keys of Shop.labels"),
        (.mapValue("Shop", "labels", in: .values, ["secret": "x"]), "map the values of Shop.labels"),
        (.splitIntoArray("Note", "tags", separator: "secret"), "split Note.tags into an array"),
        (.joinArray("Note", "tags", separator: "secret"), "join the array Note.tags"),
        (.parseJSONText("Note", "payload", otherwise: .value("secret")), "parse the JSON text of Note.payload"),
        (.encodeAsJSONText("Note", "payload"), "encode Note.payload as JSON text"),
        (.transform("Person") { _ in }, "transform Person"),
        (
            .convert("Person", from: PersonV1.self, to: PersonV2.self) { PersonV2(fullName: $0.name) },
            "convert Person from PersonV1 to PersonV2"
        ),
        (.run { _ in }, "run a block"),
        (.run("number the people") { _ in }, "number the people"),
    ]

    @Test func `A description says what the step does, without its values`() {
        for (step, words) in Self.words { #expect("\(step)" == words) }
    }

    @Test func `A block without a description has the name of its migration`() {
        let migration = Migration(to: 1, "number-people", .run { _ in }, .run("and again") { _ in })
        #expect(migration.steps.map(\.description) == ["number-people", "and again"])
    }
}
