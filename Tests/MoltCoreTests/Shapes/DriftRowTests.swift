import Foundation
import MoltCore
import Testing

/// The cases of Realm's tests for changes that need a migration.
@Suite("Drift between shapes")
struct DriftRowTests {
    private func sentences(_ old: some Encodable, _ new: some Encodable) -> [String] {
        TypeShape.of(new).differences(from: .of(old)).map(\.description)
    }

    @Test func `D6: an added property is drift`() {
        #expect(sentences(Before.Person(), After.PersonWithMail()) == ["Property 'Person.mail' has been added."])
    }

    @Test func `D7: a removed property is drift`() {
        #expect(sentences(Before.Person(), After.PersonWithoutAge()) == ["Property 'Person.age' has been removed."])
    }

    @Test func `D8: the order of properties is not drift`() {
        #expect(sentences(Before.Person(), After.PersonInAnotherOrder()).isEmpty)
        #expect(TypeShape.of(Before.Person()) == .of(After.PersonInAnotherOrder()))
    }

    @Test func `D14: a property made optional is drift`() {
        let made = ["Property 'Person.age' has been made optional."]
        #expect(sentences(Before.Person(), After.PersonWithOptionalAge()) == made)
        #expect(sentences(Before.Person(), After.PersonWithOptionalAge(age: nil)) == made)
    }

    @Test func `D15: a property made required is drift`() {
        let made = ["Property 'Person.nickname' has been made required."]
        #expect(sentences(Before.Person(), After.PersonWithNickname()) == made)
        #expect(sentences(Before.Person(nickname: "Jo"), After.PersonWithNickname()) == made)
    }

    @Test func `D16: another nested type is drift, another name for the same type is not`() {
        #expect(
            sentences(Before.Contact(), After.ContactWithLocation())
                == ["Property 'Contact.home' changed from 'Address' to 'Location'."]
        )
        #expect(sentences(Before.Contact(), After.ContactWithPlace()).isEmpty)
    }

    @Test func `D17: another element type is drift`() {
        #expect(
            sentences(Before.Contact(), After.ContactWithLocations())
                == ["Property 'Contact.others' changed from '[Address]' to '[Location]'."]
        )
    }

    @Test func `D18: another type is drift`() {
        #expect(
            sentences(Before.Person(), After.PersonWithAgeAsText())
                == ["Property 'Person.age' changed from 'Int' to 'String'."]
        )
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
        let difference = try #require(
            TypeShape.of(After.PersonWithAgeAsText()).differences(from: .of(Before.Person())).first
        )
        #expect(difference.kind == .typeChanged)
        #expect(difference.type == "Person")
        #expect(difference.property == "age")
        #expect(difference.old == "Int")
        #expect(difference.new == "String")
    }

    /// A property of any type.
    struct Holder<Value: Codable & Sendable>: Encodable, Sendable, RecordType {
        static var recordTypeName: String { "Holder" }
        var value: Value
        init(_ value: Value) { self.value = value }
    }
}
