import Foundation
import Testing

@testable import Molt

@Suite("Migration scenarios from an app's point of view")
struct SeedScenarioTests {
    private let directory: ScratchDirectory
    private let url: URL

    init() throws {
        directory = try ScratchDirectory()
        url = directory.file("people.molt")
    }

    /// Saves values as an earlier release did, which had no migrations.
    private func save(_ people: [(String, some Encodable)]) throws {
        let cache = try CodableCache(at: url)
        for (key, person) in people { try cache.set(person, forKey: key) }
        cache.close()
    }

    @Test func `A migration renames Alien to Person, and then enumerates the records as Person`() throws {
        struct Alien: Codable { var firstName: String }
        struct Person: Codable, Equatable { var firstName: String }
        try save([("john", Alien(firstName: "John")), ("jane", Alien(firstName: "Jane"))])
        var migrations: MigrationRegistry = [
            Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person"))
        ]
        migrations.register(to: 2, "shout") { migration in
            try migration.enumerate("Person") { old, new in
                new["firstName"] = .string(try old.string("firstName").uppercased())
            }
        }

        let cache = try CodableCache(at: url, migrations: migrations)

        #expect(try cache.count(of: Person.self) == 2)
        #expect(try cache.count(of: Alien.self) == 0)
        #expect(try cache.typeName(forKey: "john") == "Person")
        #expect(Set(try cache.values(of: Person.self).map(\.value.firstName)) == ["JOHN", "JANE"])
        #expect(try cache.value(Person.self, forKey: "jane") == Person(firstName: "JANE"))
    }

    // MARK: From fullName to firstName and lastName

    private struct Person1: Codable { var fullName: String }
    private struct Person2: Codable, Equatable {
        var firstName: String
        var lastName: String

        init(firstName: String, lastName: String) {
            self.firstName = firstName
            self.lastName = lastName
        }

        init(fullName: String) {
            let parts = fullName.split(separator: " ", maxSplits: 1).map(String.init)
            firstName = parts.first ?? ""
            lastName = parts.count > 1 ? parts[1] : ""
        }
    }

    /// The three ways to write the same migration.
    enum Way: String, CaseIterable, Sendable {
        case transform
        case convert
        case run
    }

    private static func split(_ way: Way) -> MigrationStep {
        switch way {
        case .transform:
            .transform("Person2") { person in
                let name = Person2(fullName: try person.remove("fullName", as: String.self))
                person["firstName"] = .string(name.firstName)
                person["lastName"] = .string(name.lastName)
            }
        case .convert:
            .convert("Person2", from: Person1.self, to: Person2.self) { Person2(fullName: $0.fullName) }
        case .run:
            .run { migration in
                try migration.enumerate("Person2") { old, new in
                    let name = Person2(fullName: try old.string("fullName"))
                    try new.remove("fullName")
                    new["firstName"] = .string(name.firstName)
                    new["lastName"] = .string(name.lastName)
                }
            }
        }
    }

    @Test(
        arguments: Way.allCases,
        [
            ("Grace Hopper", "Grace", "Hopper"),
            ("Plato", "Plato", ""),
            ("Johann Sebastian Bach", "Johann", "Sebastian Bach"),
            ("", "", ""),
            ("Zoë \"Ж\" 🐙\n", "Zoë", "\"Ж\" 🐙\n"),
        ]
    )
    func `A full name is split at its first space, however often the app is launched`(
        way: Way,
        names: (full: String, first: String, last: String)
    ) throws {
        try save([("somebody", Person1(fullName: names.full))])
        let migrations: MigrationRegistry = [
            Migration(to: 1, "person-1-becomes-2", .renameType("Person1", to: "Person2")),
            Migration(to: 2, "split-full-name", Self.split(way)),
        ]

        for launch in 1...3 {
            let cache = try CodableCache(at: url, migrations: migrations)
            #expect(cache.report.isEmpty == (launch > 1))
            let person = try cache.value(Person2.self, forKey: "somebody")
            #expect(person == Person2(firstName: names.first, lastName: names.last))
            #expect(try cache.typeName(forKey: "somebody") == "Person2")
            #expect(throws: MoltError.self) { try cache.value(Person1.self, forKey: "somebody") }
            cache.close()
        }
    }

    @Test func `In Realm's example, firstName and lastName become fullName`() throws {
        struct PersonV1: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var firstName: String
            var lastName: String
            var age: Int
        }
        struct Person: Codable, Equatable {
            var fullName: String
            var age: Int
        }
        try save([("joe", PersonV1(firstName: "Joe", lastName: "Blow", age: 99))])
        var migrations = MigrationRegistry()
        migrations.register(to: 1, "full-name") { migration in
            try migration.enumerate("Person") { old, new in
                new["fullName"] = .string("\(try old.string("firstName")) \(try old.string("lastName"))")
                new["firstName"] = nil
                new["lastName"] = nil
            }
        }

        let cache = try CodableCache(at: url, migrations: migrations)

        #expect(try cache.value(Person.self, forKey: "joe") == Person(fullName: "Joe Blow", age: 99))
        cache.close()
        #expect(try Snapshot(of: url)["joe"]?.text.contains("firstName") == false)
    }
}
