/// A person with the data that an app accumulates over time, for the records of 2 KB and 50 KB.
struct Profile: Codable, Sendable, Equatable {
    var addresses: [Address]
    var age: Int
    var city: String
    /// The mail address after the upgrade.
    var email: String?
    var fullName: String
    var isActive: Bool
    var joined: String
    /// The mail address before the upgrade.
    var mail: String?
    var messages: [Message]
    var notes: String
    var settings: Settings
    var tags: [String]

    struct Address: Codable, Sendable, Equatable {
        var city: String
        /// Degrees north and east.
        var location: [Double]
        var label: String
        var street: String
        var zip: String?
    }

    struct Message: Codable, Sendable, Equatable {
        var body: String
        var id: Int
        var isRead: Bool
        var sent: String
        var to: [String]
    }

    struct Settings: Codable, Sendable, Equatable {
        var language: String
        var notifications: [String: Bool]
        var textScale: Double
        var theme: String
    }

    /// The profile after `mail` was renamed to `email`.
    var renamed: Profile {
        var new = self
        new.email = mail
        new.mail = nil
        return new
    }
}

/// A profile after any of the measured upgrades.
struct UpgradedProfile: Decodable, Sendable {
    var email, mail: String?
    var messages: [Message]

    struct Message: Decodable, Sendable {
        var isRead, wasRead: Bool?
    }
}

extension Profile {
    /// Creates a profile of release 1 with enough messages to reach the size.
    init(_ person: PersonV1, index: Int, _ size: RecordSize) {
        var random = SeededGenerator(seed: 0x7072_6f66 &+ UInt64(index))
        let isLarge = size == .large
        addresses = (0..<(isLarge ? 4 : 2)).map { _ in Address(&random) }
        age = person.age
        city = person.city
        fullName = person.fullName
        isActive = person.isActive
        joined = person.joined
        mail = person.mail
        messages = []
        notes = person.notes
        settings = Settings(&random)
        tags = (0..<(isLarge ? 12 : 4)).map { _ in People.words[random.below(People.words.count)] }
        // Everything except the messages takes about 700 bytes, or 1000 in a large record.
        var length = isLarge ? 1000 : 700
        while length < (isLarge ? 49_900 : 2020) {
            let message = Message(number: messages.count, &random)
            let addressBytes = message.to.reduce(0) { $0 + $1.utf8.count + 3 }
            let escapes = message.body.utf8.count { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n") }
            length += message.body.utf8.count + escapes + 84 + addressBytes
            messages.append(message)
        }
    }
}

extension Profile.Address {
    fileprivate init(_ random: inout SeededGenerator) {
        let streets = ["Hauptstraße", "Rue de l'Église", "High Street", "Calle Mayor", "5th Avenue"]
        city = People.cities[random.below(People.cities.count)]
        location = [Double(random.below(180_000) - 90_000) / 1000, Double(random.below(360_000) - 180_000) / 1000]
        label = ["home", "work", "the \"old\" house", "chez René"][random.below(4)]
        street = "\(streets[random.below(streets.count)]) \(1 + random.below(200))"
        zip = random.below(4) > 0 ? String(10_000 + random.below(89_999)) : nil
    }
}

extension Profile.Settings {
    fileprivate init(_ random: inout SeededGenerator) {
        language = ["de", "en-GB", "fr", "ja", "pt-BR"][random.below(5)]
        notifications = ["badge": random.below(2) == 0, "banner": random.below(2) == 0, "sound": true]
        textScale = Double(8 + random.below(9)) / 8
        theme = random.below(2) == 0 ? "dark" : "light"
    }
}

extension Profile.Message {
    fileprivate init(number: Int, _ random: inout SeededGenerator) {
        let foreignWords = ["naïve", "日本語", "über", "🎉", "C:\\Temp", "Ελλάδα", "señor", "1/2"]
        let parts = (0..<(4 + random.below(36))).map { _ in
            switch random.below(24) {
            case 0: "\"\(People.words[random.below(People.words.count)])\","
            case 1: "–\n"
            case 2: foreignWords[random.below(foreignWords.count)]
            default: People.words[random.below(People.words.count)]
            }
        }
        body = parts.joined(separator: " ")
        id = number * 7 + 100_000
        let day = 10 + random.below(18)
        isRead = random.below(3) > 0
        sent = "202\(random.below(6))-0\(1 + random.below(9))-\(day)T1\(random.below(10)):30:00Z"
        to = (0..<(1 + random.below(2))).map { _ in People.words[random.below(People.words.count)] + "@example.com" }
    }
}
