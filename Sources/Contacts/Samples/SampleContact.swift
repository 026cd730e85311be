/// What is known of a person, in the shape of no release: every release's sample data is made from it.
package struct SampleContact: Sendable {
    /// The first word of the name.
    package var firstName: String
    /// The other words of the name.
    package var lastName: String
    /// The address for mail.
    package var email: String?
    /// The number to call.
    package var phone: String?
    /// The number of the fax machine.
    package var fax: String?
    /// The year of birth.
    package var birthYear: Int?
    /// The street and the number.
    package var street: String?
    /// The town.
    package var city: String?

    /// The whole name.
    package var fullName: String {
        lastName.isEmpty ? firstName : "\(firstName) \(lastName)"
    }

    /// The person as today's release must read it, whichever release wrote it.
    package var expected: Person {
        let hasAddress = street != nil || city != nil
        return Person(
            firstName: firstName,
            lastName: lastName,
            email: email,
            phone: phone,
            birthYear: birthYear,
            address: hasAddress ? Person.Address(street: street, city: city) : nil
        )
    }
}

/// What is known of a call, in the shape of no release.
package struct SampleCall: Sendable {
    /// The key of the person who was called.
    package var person: String
    /// How long it took.
    package var seconds: Int

    /// Minutes and seconds, as in "2:05".
    package var length: String {
        "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }

    /// The call as today's release must read it, whichever release wrote it.
    package var expected: Call {
        Call(person: person, seconds: seconds)
    }
}
