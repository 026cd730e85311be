import Foundation
import contacts

/// The values that today's release must read from the store of any release, written out by hand.
enum ExpectedPeople {
    static let people: [String: Person] = [
        "contact/1": person(
            "Ada",
            "Lovelace",
            email: "ada@example.com",
            phone: "+44 20 7946 0001",
            born: 1815,
            street: "12 St James’s Square",
            city: "London"
        ),
        "contact/2": person("Plato", "", born: -427, city: "Αθήνα"),
        "contact/3": person(
            "Ludwig",
            "van Beethoven",
            email: "ludwig@example.com",
            born: 1770,
            street: "Mölker Bastei 8",
            city: "Wien"
        ),
        "contact/4": person("", "", phone: "+1 202 555 0103"),
        "contact/5": person("Gabriel", "García Márquez", email: "gabo@example.com", born: 1927, city: "Aracataca"),
        "contact/6": person(
            "Юрий",
            "Гагарин",
            phone: "+7 495 555 01 05",
            born: 1934,
            street: "улица Гагарина 1",
            city: "Клушино"
        ),
        "contact/7": person("葛飾", "北斎", born: 1760, street: "亀沢", city: "東京"),
        "contact/8": person(
            "Åsa",
            "Öberg",
            email: "asa.oberg@example.com",
            phone: "+46 8 555 0107",
            street: "Drottninggatan 5"
        ),
        "contact/9": person("Nguyễn", "Thị Minh Khai", email: "khai@example.com", born: 1910, city: "Vinh"),
        "contact/10": person("أم", "كلثوم", phone: "+20 2 5550 109", born: 1904, city: "القاهرة"),
        "contact/11": person(
            "Robert",
            #""Bobby" O'Neill\Tables; DROP/**/"#,
            email: "bobby+{tables}@example.com",
            street: "1/2 \"Quoted\" Road\tRear entrance",
            city: "Line\nBreak"
        ),
        "contact/12": person(
            "👩🏽‍🚀",
            "e\u{301}toile 🇪🇺",
            email: "astronaut@example.com",
            phone: "",
            born: 0,
            street: "",
            city: "\u{7F}\u{2028}\u{1F}"
        ),
    ]

    static let groups: [String: Group] = [
        "group/1": Group(name: "Group 1", members: (1...6).map { "contact/\($0)" }),
        "group/7": Group(name: "Group 7", members: (7...12).map { "contact/\($0)" }),
    ]

    static let calls: [String: Call] = [
        "call/1": Call(person: "contact/1", seconds: 0),
        "call/5": Call(person: "contact/5", seconds: 148),
        "call/9": Call(person: "contact/9", seconds: 296),
    ]

    static let avatars: [String: Data] = [
        "avatar/1": avatar(0),
        "avatar/6": avatar(5),
        "avatar/11": avatar(10),
    ]

    static var keys: Set<String> {
        Set(people.keys).union(groups.keys).union(calls.keys).union(avatars.keys)
    }

    private static func avatar(_ number: UInt8) -> Data {
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF, number, 0, 0, 0, 0, 0, 0, 0])
    }

    private static func person(
        _ firstName: String,
        _ lastName: String,
        email: String? = nil,
        phone: String? = nil,
        born birthYear: Int? = nil,
        street: String? = nil,
        city: String? = nil
    ) -> Person {
        Person(
            firstName: firstName,
            lastName: lastName,
            nickname: nil,
            email: email,
            phone: phone,
            birthYear: birthYear,
            address: street == nil && city == nil ? nil : Person.Address(street: street, city: city),
            isFavorite: false
        )
    }
}
