/// The facts about a person, independent of any release; the sample data of each release is made from it.
package struct SamplePerson: Sendable {
    package var firstName: String
    package var lastName: String
    package var email: String?
    package var phone: String?
    package var fax: String?
    package var birthYear: Int?
    package var street: String?
    package var city: String?

    var fullName: String {
        lastName.isEmpty ? firstName : "\(firstName) \(lastName)"
    }

    /// The person that today's release must read, from the store of any release.
    package var expected: Person {
        Person(
            firstName: firstName,
            lastName: lastName,
            email: email,
            phone: phone,
            birthYear: birthYear,
            address: Person.Address(street: street, city: city)
        )
    }
}

extension SampleData {
    /// Returns the person at a zero-based index: first the named people, then generated ones.
    static func person(at index: Int) -> SamplePerson {
        guard index >= namedPeople else { return named[index] }
        let name = "\(firstNames[index % firstNames.count]) \(lastNames[index / 7 % lastNames.count])"
        let words = name.split(separator: " ", maxSplits: 1)
        return SamplePerson(
            firstName: String(words[0]),
            lastName: "\(words[1]) \(index)",
            email: index % 3 == 0 ? nil : "contact-\(index)@example.com",
            phone: index % 4 == 0 ? nil : "+49 30 \(1_000_000 + index)",
            fax: index % 5 == 0 ? nil : "+49 30 \(2_000_000 + index)",
            birthYear: index % 7 == 0 ? nil : 1_900 + index % 120,
            street: index % 8 == 0 ? nil : "\(streets[index % streets.count]) \(index % 300 + 1)",
            city: index % 9 == 0 ? nil : cities[index / 3 % cities.count]
        )
    }

    private static let firstNames = ["Ana", "Björn", "Chloé", "Дмитрий", "Ελένη", "Fatma", "桜", "Zoë"]
    private static let lastNames = ["Silva", "Åkesson", "de la Cruz", "Иванов", "Παπαδοπούλου", "O’Hara", "山田"]
    private static let streets = ["Main Street", "Rue de l’Église", "Straße des 17. Juni", "улица Ленина", "C/ Mayor"]
    private static let cities = ["London", "Zürich", "São Paulo", "Санкт-Петербург", "東京", "Ålesund"]

    /// The people of the checked-in stores: names of zero to four words, several scripts, and JSON's special
    /// characters.
    private static let named: [SamplePerson] = [
        SamplePerson(
            firstName: "Ada",
            lastName: "Lovelace",
            email: "ada@example.com",
            phone: "+44 20 7946 0001",
            fax: "+44 20 7946 0101",
            birthYear: 1815,
            street: "12 St James’s Square",
            city: "London"
        ),
        SamplePerson(firstName: "Plato", lastName: "", birthYear: -427, city: "Αθήνα"),
        SamplePerson(
            firstName: "Ludwig",
            lastName: "van Beethoven",
            email: "ludwig@example.com",
            fax: "+43 1 5550 102",
            birthYear: 1770,
            street: "Mölker Bastei 8",
            city: "Wien"
        ),
        SamplePerson(firstName: "", lastName: "", phone: "+1 202 555 0103"),
        SamplePerson(
            firstName: "Gabriel",
            lastName: "García Márquez",
            email: "gabo@example.com",
            birthYear: 1927,
            city: "Aracataca"
        ),
        SamplePerson(
            firstName: "Юрий",
            lastName: "Гагарин",
            phone: "+7 495 555 01 05",
            birthYear: 1934,
            street: "улица Гагарина 1",
            city: "Клушино"
        ),
        SamplePerson(firstName: "葛飾", lastName: "北斎", birthYear: 1760, street: "亀沢", city: "東京"),
        SamplePerson(
            firstName: "Åsa",
            lastName: "Öberg",
            email: "asa.oberg@example.com",
            phone: "+46 8 555 0107",
            fax: "+46 8 555 0108",
            street: "Drottninggatan 5"
        ),
        SamplePerson(
            firstName: "Nguyễn",
            lastName: "Thị Minh Khai",
            email: "khai@example.com",
            birthYear: 1910,
            city: "Vinh"
        ),
        SamplePerson(firstName: "أم", lastName: "كلثوم", phone: "+20 2 5550 109", birthYear: 1904, city: "القاهرة"),
        SamplePerson(
            firstName: "Robert",
            lastName: "\"Bobby\" O'Neill\\Tables; DROP/**/",
            email: "bobby+{tables}@example.com",
            fax: "+1 202 555 0110",
            street: "1/2 \"Quoted\" Road\tRear entrance",
            city: "Line\nBreak"
        ),
        SamplePerson(
            firstName: "👩🏽‍🚀",
            lastName: "e\u{301}toile 🇪🇺",
            email: "astronaut@example.com",
            phone: "",
            fax: "",
            birthYear: 0,
            street: "",
            city: "\u{7F}\u{2028}\u{1F}"
        ),
    ]
}
