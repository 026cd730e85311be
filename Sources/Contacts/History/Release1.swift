/// Release 1: people are aliens, and an address is two properties.
package enum Release1: Release {
    /// The release's number.
    package static let number = 1

    /// Somebody in the address book.
    package struct Alien: Codable, Sendable {
        /// The whole name.
        var fullName: String
        /// The address for mail.
        var mail: String?
        /// The number to call.
        var phone: String?
        /// The number of the fax machine.
        var fax: String?
        /// The year of birth.
        var birthYear: Int?
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
    package static func contact(_ sample: SampleContact) -> Alien {
        Alien(
            fullName: sample.fullName,
            mail: sample.email,
            phone: sample.phone,
            fax: sample.fax,
            birthYear: sample.birthYear,
            street: sample.street,
            city: sample.city
        )
    }

    /// A call in the shape that the release had.
    package static func call(_ sample: SampleCall) -> Call {
        Call(person: sample.person, length: sample.length)
    }
}
