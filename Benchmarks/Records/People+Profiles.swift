/// The records of 2 KB and of 50 KB.
extension People {
    /// A person with so many messages that the content has about the size.
    static func profile(_ index: Int, _ size: RecordSize) -> ProfileV1 {
        let person = person(index)
        var random = SeededGenerator(seed: 0x7072_6f66 &+ UInt64(index))
        let isLarge = size == .large
        var profile = ProfileV1(
            addresses: (0..<(isLarge ? 4 : 2)).map { _ in address(&random) },
            age: person.age,
            city: person.city,
            fullName: person.fullName,
            isActive: person.isActive,
            joined: person.joined,
            mail: person.mail,
            messages: [],
            notes: person.notes,
            settings: settings(&random),
            tags: (0..<(isLarge ? 12 : 4)).map { _ in words[random.below(words.count)] }
        )
        // What all but the messages has is about 700 bytes, or 1000.
        var length = isLarge ? 1000 : 700
        while length < (isLarge ? 49_900 : 2020) {
            let message = message(profile.messages.count, &random)
            length += message.length
            profile.messages.append(message.message)
        }
        return profile
    }

    private static func address(_ random: inout SeededGenerator) -> ProfileV1.Address {
        ProfileV1.Address(
            city: cities[random.below(cities.count)],
            location: [Double(random.below(180_000) - 90_000) / 1000, Double(random.below(360_000) - 180_000) / 1000],
            label: ["home", "work", "the \"old\" house", "chez René"][random.below(4)],
            street: "\(streets[random.below(streets.count)]) \(1 + random.below(200))",
            zip: random.below(4) > 0 ? String(10_000 + random.below(89_999)) : nil
        )
    }

    private static func settings(_ random: inout SeededGenerator) -> ProfileV1.Settings {
        ProfileV1.Settings(
            language: ["de", "en-GB", "fr", "ja", "pt-BR"][random.below(5)],
            notifications: ["badge": random.below(2) == 0, "banner": random.below(2) == 0, "sound": true],
            textScale: Double(8 + random.below(9)) / 8,
            theme: random.below(2) == 0 ? "dark" : "light"
        )
    }

    /// - Returns: A message, and about how long it is as JSON.
    private static func message(
        _ number: Int,
        _ random: inout SeededGenerator
    ) -> (message: ProfileV1.Message, length: Int) {
        var body = ""
        var escapes = 0
        for _ in 0..<(4 + random.below(36)) {
            if !body.isEmpty { body += " " }
            switch random.below(24) {
            case 0:
                body += "\"\(words[random.below(words.count)])\","
                escapes += 2
            case 1:
                body += "–\n"
                escapes += 1
            case 2: body += foreignWords[random.below(foreignWords.count)]
            default: body += words[random.below(words.count)]
            }
        }
        let day = 10 + random.below(18)
        let message = ProfileV1.Message(
            body: body,
            id: number * 7 + 100_000,
            isRead: random.below(3) > 0,
            sent: "202\(random.below(6))-0\(1 + random.below(9))-\(day)T1\(random.below(10)):30:00Z",
            to: (0..<(1 + random.below(2))).map { _ in words[random.below(words.count)] + "@example.com" }
        )
        return (message, body.utf8.count + escapes + 84 + message.to.reduce(0) { $0 + $1.utf8.count + 3 })
    }

    private static let streets = ["Hauptstraße", "Rue de l'Église", "High Street", "Calle Mayor", "5th Avenue"]
    private static let foreignWords = ["naïve", "日本語", "über", "🎉", "C:\\Temp", "Ελλάδα", "señor", "1/2"]
}
