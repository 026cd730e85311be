import Foundation
import Molt
import Testing

/// The cases of Realm's tests for changes that need a migration.
@Suite("Drift between shapes")
struct DriftRowTests: ShapeSuite {
    @Test func `D6 to D8 and D14 to D18: the differences of two versions`() throws {
        let (person, contact) = (Before.Person(), Before.Contact())
        for newPerson in [After.Person(), After.Person(name: nil)] {
            try expectDrift(
                from: person,
                to: newPerson,
                "Property \"Person.age\" changed from \"Int\" to \"String\".",
                "Property \"Person.mail\" has been added.",
                "Property \"Person.name\" has been made optional.",
                "Property \"Person.nickname\" has been removed."
            )
        }
        try expectDrift(from: person, to: After.PersonInAnotherOrder())
        for oldPerson in [person, Before.Person(nickname: "Jo")] {
            let sentence = "Property \"Person.nickname\" has been made required."
            try expectDrift(from: oldPerson, to: After.PersonWithNickname(), sentence)
        }
        // Another name for the same type is no difference.
        try expectDrift(from: contact, to: After.ContactWithPlace())
        try expectDrift(
            from: contact,
            to: After.ContactWithLocations(),
            "Property \"Contact.home\" changed from \"Address\" to \"Location\".",
            "Property \"Contact.others\" changed from \"[Address]\" to \"[Location]\"."
        )
        try expectDrift(
            from: Before.Address(),
            to: Renamed(),
            "Property \"Renamed.road\" has been added.",
            "Property \"Renamed.street\" has been removed."
        )
        let optional = "Property \"Holder.value[]\" has been made optional."
        try expectDrift(from: Holder([1]), to: Holder([1, nil]), optional)
        try expectDrift(from: [1], to: ["a"], "Type \"Array<String>\" changed from \"[Int]\" to \"[String]\".")
    }

    @Test func `D18: every type is distinguished from every other`() {
        let values: [(any Encodable, String)] = [
            (Holder(true), "Bool"), (Holder("a"), "String"), (Holder(1), "Int"), (Holder(Int32(1)), "Int32"),
            (Holder(UInt8(1)), "UInt8"), (Holder(Float(1)), "Float"), (Holder(1.5), "Double"), (Holder(Date()), "Date"),
            (Holder(Data()), "Data"), (Holder(URL(fileURLWithPath: "/")), "URL"), (Holder(UUID()), "UUID"),
            (Holder(Decimal(1)), "Decimal"), (Holder([1]), "[Int]"), (Holder(["a"]), "[String]"),
            (Holder(["a": 1]), "[String: Int]"), (Holder(["a": "b"]), "[String: String]"),
            (Holder(Before.Address()), "Address"),
        ]
        let oldNames = ["Int", "String", "Date", "[Int]", "[String]", "[String: String]"]
        for (new, newName) in values {
            for (old, oldName) in values where oldNames.contains(oldName) {
                let differences = TypeShape.of(new).differences(from: TypeShape.of(old)).map(\.description)
                let expected = "Property \"Holder.value\" changed from \"\(oldName)\" to \"\(newName)\"."
                #expect(differences == (newName == oldName ? [] : [expected]))
            }
        }
    }

    @Test func `A difference names the kind of change, the place, and the old and new type`() {
        let differences = TypeShape.of(After.Person()).differences(from: .of(Before.Person()))
        let age = ShapeDifference(kind: .typeChanged, type: "Person", property: "age", old: "Int", new: "String")
        #expect(differences.first == age)
    }
}

private struct Renamed: Codable {
    var street = "a"
    var zip = 1

    enum CodingKeys: String, CodingKey {
        case street = "road"
        case zip
    }
}
