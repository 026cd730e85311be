/// Release 2: aliens are people, and mail is email.
package enum Release2: Release {
    /// The release's number.
    package static let number = 2

    /// Somebody in the address book.
    package struct Person: Codable, Sendable {
        /// The whole name.
        var fullName: String
        /// The address for mail.
        var email: String?
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
    package static func contact(_ sample: SampleContact) -> Person {
        Person(
            fullName: sample.fullName,
            email: sample.email,
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
