import Foundation
import Generators
import MoltTesting
import TestSupport
import Testing
import contacts

@testable import Molt

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

    @Test func `A store of today's release equals its recorded fixture`() throws {
        // Other tests of this process upgrade the suites themselves.
        let cache = try TemporaryStore().open(migrations: registry)
        defer { cache.close() }
        try Self.upgraded { old in
            func copy<Value: Codable>(_ type: Value.Type) throws {
                let values = try old.values(of: type).sorted { $0.key < $1.key }
                for (key, value) in values { try cache.set(value, forKey: key) }
            }
            try copy(Person.self)
            try copy(Group.self)
            try copy(Call.self)
            for key in try old.keys().filter({ $0.hasPrefix("avatar/") }).sorted() {
                try cache.set(try #require(try old.data(forKey: key)), forKey: key)
            }
        }
        try cache.set(Samples.person, forKey: "contact/13")
        var fixture = try StoreFixture(capturing: cache)
        fixture.suites[suites.group] = SampleData.settings
        try catalog.record(fixture, named: "everyone", migrations: registry)
    }

    /// Calls a closure with the store of release 3 after its upgrade, whose values the golden files have, too.
    private static func upgraded<Result>(_ body: (CodableCache) throws -> Result) throws -> Result {
        try ScratchDirectory.with { directory in
            let file = directory.appending(path: "contacts.molt")
            try FileManager.default.copyItem(at: Release.third.store, to: file)
            let cache = try CodableCache(at: file, migrations: migrations)
            defer { cache.close() }
            return try body(cache)
        }
    }

    @Test func `Every fixture is upgraded to today's release along every path`() async throws {
        let report = try await catalog.verify(
            registry,
            types: [.type(Person.self), .type(Group.self), .type(Call.self)]
        )
        #expect(report.rows.map(\.fixture) == [0, 2, 3, 4].map { "\($0)-everyone.json" })
        #expect(report.upgrades == 54)
    }

    @Test func `The models equal the recorded shapes of their version`() throws {
        let values = try Self.upgraded { try $0.values(of: Person.self) }
        let people = values.sorted { $0.key < $1.key }.map(\.value)
        try SchemaSnapshot(
            of: [.samples(people[0], people[1], Samples.person), .samples(Samples.group), .samples(Samples.call)],
            version: registry.version
        )
        .verify(at: catalog.directory.appending(path: "schema.json"))
    }

    @Test func `An upgrade survives a failure at every point`() async throws {
        let report = try await catalog.fixture(0, "everyone")
            .sweepFaults(through: registry, limit: TestRun.choose(10, long: nil))
        #expect(report.available > 80)
        #expect(Set(report.trials.map(\.fault)).count == 3)
    }

    @Test func `Any person of release 1 is upgraded`() throws {
        var random = SeededGenerator(seed: 4)
        for run in 0..<TestRun.choose(15, long: 50) {
            let people = (0..<random.below(20)).map { number in
                StoreFixture.Record("person/\(number)", "Alien", .json(Self.alien(&random)))
            }
            let migrated = try StoreFixture(schemaVersion: 0, records: people).migrated(through: registry)
            for person in people {
                #expect(try migrated.value(Person.self, forKey: person.key) != nil, "run \(run): \(person)")
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
    static let person = Person(
        firstName: "Grace",
        lastName: "Hopper",
        nickname: "Amazing Grace",
        email: "grace@example.com",
        phone: "+1 202 555 0113",
        birthYear: 1906,
        address: Person.Address(street: "1 Navy Way", city: "Arlington"),
        isFavorite: true
    )
}
