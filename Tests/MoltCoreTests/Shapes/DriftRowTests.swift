import Foundation
import Testing

@testable import Molt

/// The cases of Realm's tests for changes that need a migration.
@Suite("Drift between shapes")
struct DriftRowTests: ShapeSuite {
    /// Two versions of a type.
    struct Row: Sendable {
        let old: any Encodable & Sendable
        let new: any Encodable & Sendable
        let sentences: [String]

        init(_ old: any Encodable & Sendable, _ new: any Encodable & Sendable, _ sentences: [String]) {
            self.old = old
            self.new = new
            self.sentences = sentences
        }
    }

    private static let person = Before.Person()
    private static let contact = Before.Contact()
    private static let madeRequired = ["Property 'Person.nickname' has been made required."]
    private static let differences = [
        "Property 'Person.age' changed from 'Int' to 'String'.",
        "Property 'Person.mail' has been added.",
        "Property 'Person.name' has been made optional.",
        "Property 'Person.nickname' has been removed.",
    ]

    @Test(arguments: [
        Row(person, After.Person(), differences),
        Row(person, After.Person(name: nil), differences),
        Row(person, After.PersonInAnotherOrder(), []),
        Row(person, After.PersonWithNickname(), madeRequired),
        Row(Before.Person(nickname: "Jo"), After.PersonWithNickname(), madeRequired),
        // Another name for the same type is no difference.
        Row(contact, After.ContactWithPlace(), []),
        Row(
            contact,
            After.ContactWithLocations(),
            [
                "Property 'Contact.home' changed from 'Address' to 'Location'.",
                "Property 'Contact.others' changed from '[Address]' to '[Location]'.",
            ]
        ),
        Row(
            Before.Address(),
            Renamed(),
            ["Property 'Renamed.road' has been added.", "Property 'Renamed.street' has been removed."]
        ),
        Row(Holder([1]), Holder([1, nil]), ["Property 'Holder.value[]' has been made optional."]),
        Row([1], ["a"], ["Type 'Array<String>' changed from '[Int]' to '[String]'."]),
    ])
    func `D6 to D8 and D14 to D18: the differences of two versions`(row: Row) throws {
        #expect(sentences(row.old, row.new) == row.sentences)
        // The same with the old shape from a file.
        let stored = try JSONDecoder().decode(TypeShape.self, from: try JSONEncoder().encode(TypeShape.of(row.old)))
        #expect(TypeShape.of(row.new).differences(from: stored).map(\.description) == row.sentences)
    }

    @Test(arguments: [
        (Holder(true) as any Encodable & Sendable, "Bool"), (Holder("a"), "String"), (Holder(1), "Int"),
        (Holder(Int32(1)), "Int32"), (Holder(UInt8(1)), "UInt8"), (Holder(Float(1)), "Float"), (Holder(1.5), "Double"),
        (Holder(Date()), "Date"), (Holder(Data()), "Data"), (Holder(URL(fileURLWithPath: "/")), "URL"),
        (Holder(UUID()), "UUID"), (Holder(Decimal(1)), "Decimal"), (Holder([1]), "[Int]"),
        (Holder(["a": 1]), "[String: Int]"), (Holder(Before.Address()), "Address"),
    ])
    func `D18: every type is distinguished from every other`(value: any Encodable & Sendable, name: String) {
        let others: [(any Encodable, String)] = [
            (Holder(1), "Int"), (Holder("a"), "String"), (Holder(Date()), "Date"), (Holder([1]), "[Int]"),
            (Holder(["a"]), "[String]"), (Holder(["a": "b"]), "[String: String]"),
        ]
        for (other, otherName) in others {
            let expected =
                name == otherName ? [] : ["Property 'Holder.value' changed from '\(otherName)' to '\(name)'."]
            #expect(sentences(other, value) == expected)
        }
    }

    @Test func `A difference names the kind of change, the place, and the old and new type`() throws {
        let differences = TypeShape.of(After.Person()).differences(from: .of(Before.Person()))
        let difference = try #require(differences.first)
        #expect(difference.kind == .typeChanged)
        #expect(difference.type == "Person")
        #expect(difference.property == "age")
        #expect(difference.old == "Int")
        #expect(difference.new == "String")
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
