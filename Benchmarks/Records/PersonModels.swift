import Molt

/// A person as release 1 stored it.
struct PersonV1: Codable, Sendable {
    /// First and last name, separated by a space.
    var fullName: String
    var mail: String
    var age: Int
    var city: String
    var isActive: Bool
    /// A date, such as 2009-04-12.
    var joined: String
    var notes: String
}

/// A person as a newer release stores it.
struct PersonWithPhoto: Codable, Sendable, RecordType {
    static var recordTypeName: String { People.typeName }

    var person: PersonV1
    var photo: Int?

    private enum CodingKeys: CodingKey { case photo }

    init(person: PersonV1, photo: Int) {
        self.person = person
        self.photo = photo
    }

    init(from decoder: any Decoder) throws {
        person = try PersonV1(from: decoder)
        photo = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int.self, forKey: .photo)
    }

    func encode(to encoder: any Encoder) throws {
        try person.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(photo, forKey: .photo)
    }
}

/// A person as another app stores it: the city is in an object of its own.
struct PersonAtAddress: Codable, Sendable, RecordType {
    static var recordTypeName: String { People.typeName }

    var fullName: String
    var mail: String
    var age: Int
    var address: Address
    var isActive: Bool
    var joined: String
    var notes: String

    struct Address: Codable, Sendable {
        var city: String
    }

    init(_ person: PersonV1) {
        fullName = person.fullName
        mail = person.mail
        age = person.age
        address = Address(city: person.city)
        isActive = person.isActive
        joined = person.joined
        notes = person.notes
    }
}

/// People who live together, in one record.
struct Household: Codable, Sendable {
    static let size = 4
    var people: [PersonV1]
}

/// A household whose people have become records of their own; their keys are left.
struct ExtractedHousehold: Codable, Sendable {
    var people: [String]
}

/// A person after `mail` was renamed to `email`.
struct RenamedPerson: Codable, Sendable {
    var fullName: String
    var email: String
    var age: Int
    var city: String
    var isActive: Bool
    var joined: String
    var notes: String

    init(_ old: PersonV1) {
        fullName = old.fullName
        email = old.mail
        age = old.age
        city = old.city
        isActive = old.isActive
        joined = old.joined
        notes = old.notes
    }
}

/// A person after `fullName` was split.
struct SplitPerson: Codable, Sendable {
    var firstName: String
    var lastName: String
    var mail: String
    var age: Int
    var city: String
    var isActive: Bool
    var joined: String
    var notes: String

    init(_ old: PersonV1) {
        let parts = old.fullName.split(separator: " ", maxSplits: 1)
        firstName = String(parts.first ?? "")
        lastName = parts.count > 1 ? String(parts[1]) : ""
        mail = old.mail
        age = old.age
        city = old.city
        isActive = old.isActive
        joined = old.joined
        notes = old.notes
    }
}

/// A person after any of the measured upgrades, with every property that a record may have.
struct UpgradedPerson: Decodable, Sendable {
    var fullName, firstName, lastName: String?
    var mail, email: String?
    var city, town: String?
    var address: Address?
    var isActive: Bool?
    var notes, remarks: String?
    var level: Int?

    struct Address: Decodable, Sendable {
        var city, town: String?
    }

    /// Whether the full name was split as in ``SplitPerson``, and nothing else changed.
    func isSplit(of old: PersonV1) -> Bool {
        let expected = SplitPerson(old)
        return fullName == nil && firstName == expected.firstName && lastName == expected.lastName
            && mail == old.mail && notes == old.notes
    }

    /// Whether `mail` was renamed to `email`, and nothing else changed.
    func isRenamed(of old: PersonV1) -> Bool {
        mail == nil && email == old.mail && fullName == old.fullName && notes == old.notes
    }
}
