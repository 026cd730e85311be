package import Foundation
package import Molt

/// An earlier release, with its models as they were.
///
/// A real app does not keep this code. It keeps its migrations, and its tests have a store from each release. The code
/// is here to show how those stores were made, and to write larger ones.
package enum Release: Int, CaseIterable, Sendable {
    /// People are aliens, and an address is two properties.
    case first = 1
    /// Aliens are people, and mail is email.
    case second = 2
    /// A name has two parts, and an address is a value of its own.
    case third = 3

    /// The number of today's release.
    package static let today = 4

    struct Alien: Codable {
        var fullName: String
        var mail, phone, fax: String?
        var birthYear: Int?
        var street, city: String?
    }

    enum V2 {
        struct Person: Codable {
            var fullName: String
            var email, phone, fax: String?
            var birthYear: Int?
            var street, city: String?
        }
    }

    enum V3 {
        struct Person: Codable {
            var firstName, lastName: String
            var email, phone, fax: String?
            var birthYear: Int?
            var address: contacts.Person.Address?
        }
    }

    /// A call in all three releases.
    struct Call: Codable {
        var person: String
        /// Minutes and seconds, as in "2:05".
        var length: String
    }

    /// The migrations of the release: today's up to its version, because a shipped migration never changes.
    package var registry: MigrationRegistry {
        migrations(settings: .empty).upTo(version: rawValue)
    }

    /// Opens a cache as the release did.
    package func open(_ file: URL) throws -> CodableCache {
        try CodableCache(at: file, migrations: registry, configuration: .contacts(release: rawValue))
    }

    /// The store that the release wrote: a resource of this package, which is copied and never changed.
    package var store: URL {
        get throws { try Self.resource("release-\(rawValue).molt") }
    }

    /// Writes a store with sample data, as the newly installed app of this release would.
    package func write(people count: Int, to file: URL) throws {
        let cache = try open(file)
        defer { cache.close() }
        for samples in SampleData.batches(people: count) {
            try cache.batch { batch in
                for (key, person) in samples.people { try set(person, forKey: key, in: &batch) }
                for (key, group) in samples.groups { try batch.set(group, forKey: key) }
                for (key, call) in samples.calls {
                    try batch.set(Call(person: call.person, length: call.length), forKey: key)
                }
                for (key, picture) in samples.pictures { try batch.set(picture, forKey: key) }
            }
        }
    }

    private func set(_ person: SamplePerson, forKey key: String, in batch: inout CodableCache.Batch) throws {
        switch self {
        case .first:
            let alien = Alien(
                fullName: person.fullName,
                mail: person.email,
                phone: person.phone,
                fax: person.fax,
                birthYear: person.birthYear,
                street: person.street,
                city: person.city
            )
            try batch.set(alien, forKey: key)
        case .second:
            let person = V2.Person(
                fullName: person.fullName,
                email: person.email,
                phone: person.phone,
                fax: person.fax,
                birthYear: person.birthYear,
                street: person.street,
                city: person.city
            )
            try batch.set(person, forKey: key)
        case .third:
            let person = V3.Person(
                firstName: person.firstName,
                lastName: person.lastName,
                email: person.email,
                phone: person.phone,
                fax: person.fax,
                birthYear: person.birthYear,
                address: person.expected.address
            )
            try batch.set(person, forKey: key)
        }
    }

    /// The settings of all three releases as Defaults 4 wrote them, from a resource of this package.
    package static func settings() throws -> [String: PropertyListValue] {
        let data = try Data(contentsOf: resource("release-1.plist"))
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        return try PropertyListValue(normalizing: list).dictionary ?? [:]
    }

    private static func resource(_ name: String) throws -> URL {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Stores") else {
            throw ContactsError("The resource Stores/\(name) is missing. Build the package again.")
        }
        return url
    }
}

extension MoltConfiguration {
    /// The configuration of the app's cache.
    ///
    /// - Parameter release: The number of the release, for the ledger.
    package static func contacts(release: Int, monitor: MigrationMonitor? = nil) -> Self {
        var configuration = Self()
        configuration.appVersion = "\(release).0"
        configuration.monitor = monitor
        return configuration
    }
}
