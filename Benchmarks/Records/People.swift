import Foundation

/// The records of all cases; identical in every run and on every machine.
enum People {
    static let typeName = "Person"

    static func key(_ index: Int) -> String {
        let digits = String(index)
        return "person-" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    /// A record of about 200 bytes, as release 1 of an app wrote it.
    static func person(_ index: Int) -> PersonV1 {
        var random = SeededGenerator(seed: 0x6d6f_6c74 &+ UInt64(index))
        let first = firstNames[random.below(firstNames.count)]
        let last = lastNames[random.below(lastNames.count)]
        var notes: [String] = []
        var length = 0
        while length < 60 {
            let word = words[random.below(words.count)]
            notes.append(word)
            length += word.utf8.count + 1
        }
        let day = 10 + random.below(18)
        let month = 1 + random.below(9)
        let year = 2005 + random.below(20)
        return PersonV1(
            fullName: "\(first) \(last)",
            mail: "\(first.lowercased()).\(index)@example.com",
            age: 18 + random.below(80),
            city: cities[random.below(cities.count)],
            isActive: random.below(4) > 0,
            joined: "\(year)-0\(month)-\(day)",
            notes: notes.joined(separator: " ")
        )
    }

    /// The content of a record before the upgrade, or after `mail` was renamed in place.
    ///
    /// It is written by hand, because a million records take a tenth of the encoder's time.
    static func content(_ index: Int, mailProperty: String = "mail") -> Data {
        let person = person(index)
        let content =
            #"{"age":\#(person.age),"city":"\#(person.city)","fullName":"\#(person.fullName)","#
            + #""isActive":\#(person.isActive),"joined":"\#(person.joined)","#
            + #""\#(mailProperty)":"\#(person.mail)","notes":"\#(person.notes)"}"#
        return Data(content.utf8)
    }

    /// The encoder of all cases, configured like Molt's own so that all write the same bytes.
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// People to set in a cache repeatedly: created before timing starts, and few enough to use little memory.
    static func pool() -> [PersonV1] {
        (1...1000).map(person)
    }

    /// The numbers of all records, each once, in an order unrelated to keys and rows.
    static func shuffledIndices(_ records: Int) -> [Int] {
        // A prime above all counts visits each index exactly once.
        (0..<records).map { $0 * 15_485_863 % records + 1 }
    }

    private static let firstNames = [
        "Ada", "Alan", "Barbara", "Claude", "Dorothy", "Edsger", "Frances", "Grace", "Hedy", "Ivan", "Jean",
        "Katherine", "Linus", "Margaret", "Niklaus", "Ole", "Radia", "Sophie", "Tim", "Zoë",
    ]
    private static let lastNames = [
        "Allen", "Berners-Lee", "Dijkstra", "Hamilton", "Hopper", "Johnson", "Kernighan", "Lamarr", "Liskov",
        "Lovelace", "Møller", "Perlman", "Ritchie", "Shannon", "Sutherland", "Turing", "Wilson", "Wirth",
        "van Rossum", "de la Cruz",
    ]
    private static let cities = [
        "Amsterdam", "Berlin", "Cupertino", "Dublin", "Göteborg", "Lima", "Nairobi", "Osaka", "São Paulo",
        "Toronto", "Wellington", "Zürich",
    ]
    private static let words = [
        "likes", "tea", "coffee", "trains", "and", "long", "walks", "speaks", "three", "languages", "plays",
        "chess", "met", "at", "the", "conference", "works", "from", "home", "café", "calls", "on", "Fridays",
    ]
}

/// A small random number generator that is identical everywhere (SplitMix64).
struct SeededGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9e37_79b9_7f4a_7c15
    }

    /// Returns the next number, from 0 up to but not including a limit.
    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((bits ^ (bits >> 31)) % UInt64(limit))
    }
}
