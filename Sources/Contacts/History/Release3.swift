/// Release 3: a name has two parts, and an address is a value of its own.
package enum Release3: Release {
    /// The release's number.
    package static let number = 3

    /// Somebody in the address book.
    package struct Person: Codable, Sendable {
        /// The first word of the name.
        var firstName: String
        /// The other words of the name.
        var lastName: String
        /// The address for mail.
        var email: String?
        /// The number to call.
        var phone: String?
        /// The number of the fax machine.
        var fax: String?
        /// The year of birth.
        var birthYear: Int?
        /// Where the person lives.
        var address: Address?
    }

    /// A place to send letters to.
    package struct Address: Codable, Sendable {
        /// The street and the number.
        var street: String?
        /// The town.
        var city: String?
    }

    /// A call that was made.
    package struct Call: Codable, Sendable {
        /// The key of the person who was called.
        var person: String
        /// Minutes and seconds, as in "2:05".
        var length: String
    }

    /// A contact in the shape that the release had.
    package static func contact(_ sample: SampleContact) -> Person {
        let hasAddress = sample.street != nil || sample.city != nil
        return Person(
            firstName: sample.firstName,
            lastName: sample.lastName,
            email: sample.email,
            phone: sample.phone,
            fax: sample.fax,
            birthYear: sample.birthYear,
            address: hasAddress ? Address(street: sample.street, city: sample.city) : nil
        )
    }

    /// A call in the shape that the release had.
    package static func call(_ sample: SampleCall) -> Call {
        Call(person: sample.person, length: sample.length)
    }
}
