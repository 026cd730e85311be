/// A person as release 1 kept it.
struct PersonV1: Codable, Sendable {
    /// First and last name, separated by a space.
    var fullName: String
    /// The mail address.
    var mail: String
    /// In years.
    var age: Int
    /// Where the person lives.
    var city: String
    /// Whether the person is to be shown.
    var isActive: Bool
    /// A day, as in 2009-04-12.
    var joined: String
    /// What the user wrote.
    var notes: String
}

/// A person after `mail` was renamed to `email`.
struct RenamedPerson: Codable, Sendable {
    /// First and last name, separated by a space.
    var fullName: String
    /// The mail address.
    var email: String
    /// In years.
    var age: Int
    /// Where the person lives.
    var city: String
    /// Whether the person is to be shown.
    var isActive: Bool
    /// A day, as in 2009-04-12.
    var joined: String
    /// What the user wrote.
    var notes: String

    /// Upgrades a person of release 1.
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
    /// What stands before the first space of the full name.
    var firstName: String
    /// What stands behind it.
    var lastName: String
    /// The mail address.
    var mail: String
    /// In years.
    var age: Int
    /// Where the person lives.
    var city: String
    /// Whether the person is to be shown.
    var isActive: Bool
    /// A day, as in 2009-04-12.
    var joined: String
    /// What the user wrote.
    var notes: String

    /// Upgrades a person of release 1.
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
