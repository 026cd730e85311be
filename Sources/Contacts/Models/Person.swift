/// A person in the address book, as today's release stores it.
package struct Person: Codable, Hashable, Sendable {
    /// The first word of the name; empty when no name is known.
    package var firstName: String
    /// The rest of the name; empty when the name is a single word.
    package var lastName: String
    /// New in release 4.
    package var nickname: String?
    package var email: String?
    package var phone: String?
    package var birthYear: Int?
    package var address: Address?
    /// New in release 4.
    package var isFavorite: Bool

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

    package struct Address: Codable, Hashable, Sendable {
        package var street: String?
        package var city: String?

        /// Creates an address; nil when neither part is known.
        package init?(street: String? = nil, city: String? = nil) {
            guard street != nil || city != nil else { return nil }
            self.street = street
            self.city = city
        }
    }
}

/// A call to a person, as today's release stores it.
package struct Call: Codable, Hashable, Sendable {
    /// The key of the person.
    package var person: String
    package var seconds: Int

    package init(person: String, seconds: Int) {
        self.person = person
        self.seconds = seconds
    }
}

/// A group of people; unchanged in every release so far.
package struct Group: Codable, Hashable, Sendable {
    package var name: String
    /// The keys of the people.
    package var members: [String]

    package init(name: String, members: [String]) {
        self.name = name
        self.members = members
    }
}
