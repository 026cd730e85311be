/// Somebody in the address book, as today's release has it.
package struct Person: Codable, Hashable, Sendable {
    /// The first word of the name; empty when no name is known.
    package var firstName: String
    /// The rest of the name; empty when it has one word.
    package var lastName: String
    /// What friends say; new in release 4.
    package var nickname: String?
    /// The address for mail.
    package var email: String?
    /// The number to call.
    package var phone: String?
    /// The year of birth.
    package var birthYear: Int?
    /// Where the person lives.
    package var address: Address?
    /// Whether the person stands at the top of the list; new in release 4.
    package var isFavorite: Bool

    /// Creates a person.
    package init(
        firstName: String,
        lastName: String,
        nickname: String? = nil,
        email: String? = nil,
        phone: String? = nil,
        birthYear: Int? = nil,
        address: Address? = nil,
        isFavorite: Bool = false
    ) {
        self.firstName = firstName
        self.lastName = lastName
        self.nickname = nickname
        self.email = email
        self.phone = phone
        self.birthYear = birthYear
        self.address = address
        self.isFavorite = isFavorite
    }

    /// A place to send letters to.
    package struct Address: Codable, Hashable, Sendable {
        /// The street and the number.
        package var street: String?
        /// The town.
        package var city: String?

        /// Creates an address.
        package init(street: String? = nil, city: String? = nil) {
            self.street = street
            self.city = city
        }
    }
}
