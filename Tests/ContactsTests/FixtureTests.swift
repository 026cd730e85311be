import Foundation
import Generators
import Molt
import MoltTesting
import TestSupport
import Testing
import contacts

/// Empty suites with fixed names, because the fixtures contain the names.
private let suites = SettingsSuites(id: "fixtures")
/// The app's registry over these suites.
private let registry = contacts.migrations(settings: suites)

@Suite("Stores of every release as fixtures")
struct FixtureTests {
    private let catalog = FixtureCatalog("Fixtures", beside: #filePath)

    @Test(arguments: Release.allCases)
    func `A release's store and settings equal the recorded fixture`(release: Release) throws {
        var fixture = try StoreFixture(cacheFile: release.store)
        fixture.suites[suites.own] = try Release.settings()
        try catalog.record(fixture, named: "everyone", migrations: registry)
    }

    @Test func `Every fixture is upgraded to today's release along every path, and today's models are recorded`()
        async throws
    {
        let report = try await catalog.verify(
            registry,
            types: [
                .type(contacts.Person.self, samples: ["contact/1": Samples.person]),
                .type(Group.self, samples: ["group/1": Samples.group]),
                .type(Call.self, samples: ["call/1": Samples.call]),
                .type(Data.self, samples: ["avatar/1": Data([0x89, 0xFF])]),
            ],
            settings: [
                .key(.pageSize, in: suites.group, sample: 50),
                .key(.sortOrder, in: suites.group, sample: .lastName),
                .key(.showsPhotos, in: suites.group), .key(.signature, in: suites.group),
                .key(.backupInterval, in: suites.group), .key(.backupDates, in: suites.group),
                .key(.favoriteGroups, in: suites.group), .key(.labels, in: suites.group),
                // The fixtures have a damaged text, which no release can read.
                .unread("recentSearches", in: suites.group),
            ],
            shipped: 4
        )
        #expect(report.rows.map(\.fixture) == [0, 2, 3, 4].map { "\($0)-everyone.json" } + ["4-samples.json"])
        #expect(report.upgrades == 61)
    }

    @Test func `An upgrade survives a failure at every point`() async throws {
        let report = try await catalog.fixture(0, "everyone")
            .verifyInterruptions(through: registry, limit: TestRun.choose(10, long: nil))
        #expect(report.available > 80)
        #expect(Set(report.trials.map(\.fault)).count == 3)
    }

    @Test func `Any person of release 1 is upgraded`() throws {
        var random = SeededGenerator(seed: 4)
        for run in 0..<TestRun.choose(15, long: 50) {
            let people = (0..<random.below(20)).map { number in
                StoreFixture.Record("person/\(number)", "Alien", .json(Self.alien(&random)))
            }
            let migrated = try StoreFixture(version: 0, records: people).migrated(through: registry)
            for person in people {
                #expect(try migrated.value(contacts.Person.self, forKey: person.key) != nil, "run \(run): \(person)")
            }
        }
    }

    /// A person of release 1 with a random set of optional properties.
    private static func alien(_ random: inout SeededGenerator) -> String {
        let texts = [
            "", " ", "Plato", "Ada Lovelace", "  Ada  King Lovelace ", "\u{E9}\u{301} 👩‍👩‍👧 x", "\u{A0}", #"\"\\ \n"#,
        ]
        var properties = [#""fullName":"\#(random.pick(texts))""#]
        for name in ["mail", "phone", "fax", "street", "city"] where random.oneIn(2) {
            properties.append(#""\#(name)":"\#(random.pick(texts))""#)
        }
        if random.oneIn(2) { properties.append(#""birthYear":\#(random.pick([0, -427, 1815, Int.max, Int.min]))"#) }
        return "{\(properties.joined(separator: ","))}"
    }
}

private enum Samples {
    static let group = Group(name: "Group", members: ["contact/1"])
    static let call = Call(person: "contact/1", seconds: 1)
    /// A person with every property of release 4.
    static let person = contacts.Person(
        firstName: "Grace",
        lastName: "Hopper",
        nickname: "Amazing Grace",
        email: "grace@example.com",
        phone: "+1 202 555 0113",
        birthYear: 1906,
        address: contacts.Person.Address(street: "1 Navy Way", city: "Arlington"),
        isFavorite: true
    )
}
