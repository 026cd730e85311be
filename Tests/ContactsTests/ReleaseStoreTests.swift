import Foundation
import TestSupport
import Testing
import contacts

@testable import Molt

@Suite
struct `Stores of earlier contacts releases` {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test(arguments: Release.allCases)
    func `Every value of a release is read as today's model`(release: Release) throws {
        let file = try scratch.store(of: release)

        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }

        for (key, person) in ExpectedPeople.people {
            #expect(try cache.value(Person.self, forKey: key) == person, "\(key)")
        }
        for (key, group) in ExpectedPeople.groups {
            #expect(try cache.value(Group.self, forKey: key) == group, "\(key)")
        }
        for (key, call) in ExpectedPeople.calls {
            #expect(try cache.value(Call.self, forKey: key) == call, "\(key)")
        }
        for (key, avatar) in ExpectedPeople.avatars {
            #expect(try cache.data(forKey: key) == avatar, "\(key)")
        }
        #expect(Set(try cache.keys()) == ExpectedPeople.keys)
        #expect(try cache.count() == ExpectedPeople.keys.count)
        #expect(try cache.count(of: Person.self) == 12)
        // The command makes the same check.
        try SampleData.check(cache, people: SampleData.namedPeople)
    }

    @Test
    func `A name keeps its Unicode form`() throws {
        let file = try scratch.store(of: .first)

        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }

        // Strings in different Unicode forms compare as equal, bytes do not.
        let person = try #require(try cache.value(Person.self, forKey: "contact/12"))
        #expect(Array(person.lastName.utf8.prefix(3)) == [0x65, 0xCC, 0x81])
        #expect(Array(person.firstName.utf8) == Array("👩🏽‍🚀".utf8))
    }

    @Test(arguments: [(Release.first, 0), (.second, 2), (.third, 3)])
    func `A store has the schema version of its release`(release: Release, version: Int) throws {
        let plan = try MigrationPlan(forFileAt: release.store, migrations: migrations)

        #expect(plan.from == version)
        #expect(plan.to == 4)
        #expect(!plan.isFresh)
        #expect(plan.problems.isEmpty)
        #expect(plan.applied.map(\.name) == release.registry.names)
        #expect(plan.pending.map(\.name) == Array(migrations.names.dropFirst(release.registry.names.count)))
    }

    @Test(arguments: Release.allCases)
    func `A store is one file, and reading the plan does not change it`(release: Release) throws {
        let store = try release.store
        let before = try Data(contentsOf: store)

        _ = try MigrationPlan(forFileAt: store, migrations: migrations)

        #expect(try Data(contentsOf: store) == before)
        #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: store.path + "-shm"))
    }

    @Test(arguments: [
        (
            Release.first,
            #"Alien {"birthYear":1770,"city":"Wien","fax":"+43 1 5550 102","fullName":"Ludwig van Beethoven","#
                + #""mail":"ludwig@example.com","street":"Mölker Bastei 8"}"#
        ),
        (
            .second,
            #"Person {"birthYear":1770,"city":"Wien","email":"ludwig@example.com","fax":"+43 1 5550 102","#
                + #""fullName":"Ludwig van Beethoven","street":"Mölker Bastei 8"}"#
        ),
        (
            .third,
            #"Person {"address":{"city":"Wien","street":"Mölker Bastei 8"},"birthYear":1770,"#
                + #""email":"ludwig@example.com","fax":"+43 1 5550 102","firstName":"Ludwig","#
                + #""lastName":"van Beethoven"}"#
        ),
    ])
    func `A store contains a person in the form of its release`(release: Release, words: String) throws {
        let file = try scratch.store(of: release)

        let row = try #require(try StoredRow.all(in: file)["contact/3"])

        #expect("\(row.typeName) \(String(decoding: row.content, as: UTF8.self))" == words)
    }

    @Test(arguments: Release.allCases)
    func `A release's code writes the store that is checked in`(release: Release) throws {
        let file = scratch.file("release.molt")

        try release.write(people: SampleData.namedPeople, to: file)

        #expect(try StoredRow.all(in: file) == StoredRow.all(in: release.store))
    }

    @Test
    func `Records that no step touches keep their bytes`() throws {
        let file = try scratch.store(of: .first)
        let before = try StoredRow.all(in: file)

        try CodableCache(at: file, migrations: migrations).close()

        let after = try StoredRow.all(in: file)
        for key in Array(ExpectedPeople.groups.keys) + Array(ExpectedPeople.avatars.keys) {
            #expect(after[key] == before[key], "\(key)")
        }
        #expect(after["contact/1"] != before["contact/1"])
    }
}

extension ScratchDirectory {
    /// Copies the checked-in store of a release.
    func store(of release: Release) throws -> URL {
        let file = self.file("release-\(release.rawValue)-\(UUID().uuidString).molt")
        try FileManager.default.copyItem(at: try release.store, to: file)
        return file
    }
}
