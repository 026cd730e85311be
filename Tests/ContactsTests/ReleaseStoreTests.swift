import Foundation
import Molt
import Testing
import contacts

@Suite
struct ReleaseStoreTests {
    @Test(arguments: [1, 2, 3])
    func `Every value that a release wrote is read as today's model`(number: Int) throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = try copy(ofStoreOf: number, in: scratch)

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
        // The command checks its stores in the same way.
        try SampleData.check(cache, people: SampleData.namedPeople)
    }

    @Test
    func `A name keeps its letters as they were written`() throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = try copy(ofStoreOf: 1, in: scratch)

        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }

        // Strings compare two spellings of a letter as equal; bytes do not.
        let person = try #require(try cache.value(Person.self, forKey: "contact/12"))
        #expect(Array(person.lastName.utf8.prefix(3)) == [0x65, 0xCC, 0x81])
        #expect(Array(person.firstName.utf8) == Array("👩🏽‍🚀".utf8))
    }

    @Test(arguments: [(1, 0), (2, 2), (3, 3)])
    func `A store carries the version that its release had`(number: Int, version: Int) throws {
        let release = try Releases.release(number)

        let plan = try MigrationPlan(forFileAt: Releases.store(of: release), migrations: migrations)

        #expect(plan.from == version)
        #expect(plan.to == 4)
        #expect(!plan.isFresh)
        #expect(plan.problems.isEmpty)
        #expect(plan.applied.map(\.name) == release.registry.names)
        #expect(plan.pending.map(\.name) == Array(migrations.names.dropFirst(release.registry.names.count)))
    }

    @Test(arguments: [1, 2, 3])
    func `A store is one file, and reading it leaves it so`(number: Int) throws {
        let store = try Releases.store(of: Releases.release(number))
        let before = try Data(contentsOf: store)

        _ = try MigrationPlan(forFileAt: store, migrations: migrations)

        #expect(try Data(contentsOf: store) == before)
        #expect(!URL(filePath: store.path + "-wal").exists)
        #expect(!URL(filePath: store.path + "-shm").exists)
    }

    @Test(arguments: [
        (
            1,
            #"Alien {"birthYear":1770,"city":"Wien","fax":"+43 1 5550 102","fullName":"Ludwig van Beethoven","#
                + #""mail":"ludwig@example.com","street":"Mölker Bastei 8"}"#
        ),
        (
            2,
            #"Person {"birthYear":1770,"city":"Wien","email":"ludwig@example.com","fax":"+43 1 5550 102","#
                + #""fullName":"Ludwig van Beethoven","street":"Mölker Bastei 8"}"#
        ),
        (
            3,
            #"Person {"address":{"city":"Wien","street":"Mölker Bastei 8"},"birthYear":1770,"#
                + #""email":"ludwig@example.com","fax":"+43 1 5550 102","firstName":"Ludwig","#
                + #""lastName":"van Beethoven"}"#
        ),
    ])
    func `A store holds what its release called a person`(number: Int, words: String) throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = try copy(ofStoreOf: number, in: scratch)
        let release = try Releases.release(number)

        let read = try release.contact(forKey: "contact/3", in: file)
        let row = try #require(try StoredRow.all(in: file)["contact/3"])

        #expect(read?.description == words)
        #expect("\(row.typeName) \(String(decoding: row.content, as: UTF8.self))" == words)
    }

    @Test
    func `What no step looks at keeps its bytes`() throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = try copy(ofStoreOf: 1, in: scratch)
        let before = try StoredRow.all(in: file)

        try CodableCache(at: file, migrations: migrations).close()

        let after = try StoredRow.all(in: file)
        for key in Array(ExpectedPeople.groups.keys) + Array(ExpectedPeople.avatars.keys) {
            #expect(after[key] == before[key], "\(key)")
        }
        #expect(after["contact/1"] != before["contact/1"])
    }
}

/// Copies the checked-in store of a release.
func copy(ofStoreOf number: Int, in scratch: ScratchDirectory) throws -> URL {
    let file = scratch.file("release-\(number)-\(UUID().uuidString).molt")
    try FileManager.default.copyItem(at: try Releases.store(of: Releases.release(number)), to: file)
    return file
}
