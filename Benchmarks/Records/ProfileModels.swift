/// A person with what an app gathers over time, as release 1 kept it: the records of 2 KB and of 50 KB.
struct ProfileV1: Codable, Sendable, Equatable {
    /// Where the person can be visited.
    var addresses: [Address]
    /// In years.
    var age: Int
    /// Where the person lives.
    var city: String
    /// First and last name, separated by a space.
    var fullName: String
    /// Whether the person is to be shown.
    var isActive: Bool
    /// A day, as in 2009-04-12.
    var joined: String
    /// The mail address.
    var mail: String
    /// What the person wrote.
    var messages: [Message]
    /// What the user wrote.
    var notes: String
    /// What the person chose.
    var settings: Settings
    /// Words to find the person by.
    var tags: [String]

    /// A place.
    struct Address: Codable, Sendable, Equatable {
        /// The town.
        var city: String
        /// Degrees north and east.
        var location: [Double]
        /// What it is called.
        var label: String
        /// Street and number.
        var street: String
        /// The postal code, when there is one.
        var zip: String?
    }

    /// Something that was written.
    struct Message: Codable, Sendable, Equatable {
        /// The text.
        var body: String
        /// Its number.
        var id: Int
        /// Whether it was read.
        var isRead: Bool
        /// When it was sent.
        var sent: String
        /// Whom it was sent to.
        var to: [String]
    }

    /// Choices.
    struct Settings: Codable, Sendable, Equatable {
        /// The language.
        var language: String
        /// When to disturb, by what.
        var notifications: [String: Bool]
        /// How large text is.
        var textScale: Double
        /// Dark or light.
        var theme: String
    }
}

/// Such a person after `mail` was renamed to `email`.
struct RenamedProfile: Codable, Sendable, Equatable {
    /// Where the person can be visited.
    var addresses: [ProfileV1.Address]
    /// In years.
    var age: Int
    /// Where the person lives.
    var city: String
    /// The mail address.
    var email: String
    /// First and last name, separated by a space.
    var fullName: String
    /// Whether the person is to be shown.
    var isActive: Bool
    /// A day, as in 2009-04-12.
    var joined: String
    /// What the person wrote.
    var messages: [ProfileV1.Message]
    /// What the user wrote.
    var notes: String
    /// What the person chose.
    var settings: ProfileV1.Settings
    /// Words to find the person by.
    var tags: [String]

    /// Upgrades a person of release 1.
    init(_ old: ProfileV1) {
        addresses = old.addresses
        age = old.age
        city = old.city
        email = old.mail
        fullName = old.fullName
        isActive = old.isActive
        joined = old.joined
        messages = old.messages
        notes = old.notes
        settings = old.settings
        tags = old.tags
    }
}
