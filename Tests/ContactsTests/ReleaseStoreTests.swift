import Foundation
import TestSupport
import Testing
import contacts

@testable import Molt

@Suite struct `Stores of earlier contacts releases` {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `The registry has no faults`() {
        #expect(migrations.faults.isEmpty)
        #expect(migrations.version == Release.today)
        #expect(Release.allCases.map(\.rawValue) == Array(1..<Release.today))
    }

    @Test func `Every release has the migrations that it shipped with`() {
        let release2 = ["alien-becomes-person", "mail-becomes-email"]
        let release3 = release2 + ["split-full-name", "nest-address"]
        let release4 =
            release3 + ["remove-fax", "favorites", "nickname-added", "call-length-in-seconds"]
            + ["defaults-v4-to-v5", "suite-to-app-group"]

        #expect(Release.first.registry.names.isEmpty)
        #expect(Release.second.registry.names == release2)
        #expect(Release.third.registry.names == release3)
        #expect(migrations.names == release4)
    }

    @Test(arguments: Release.allCases)
    func `Every value of a release is read as today's model`(release: Release) throws {
        let file = try scratch.store(of: release)

        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }

        try SampleData.check(cache, people: SampleData.namedPeople)
        #expect(try cache.count() == 20)
        #expect(try cache.count(of: Person.self) == 12)
        // Strings in different Unicode forms compare as equal, bytes do not.
        let person = try #require(try cache.value(Person.self, forKey: "contact/12"))
        #expect(Array(person.lastName.utf8.prefix(3)) == [0x65, 0xCC, 0x81])
        #expect(Array(person.firstName.utf8) == Array("👩🏽‍🚀".utf8))
    }

    @Test(arguments: Release.allCases)
    func `A release's code writes the store that is checked in`(release: Release) throws {
        let file = scratch.file("release.molt")

        try release.write(people: SampleData.namedPeople, to: file)

        #expect(try StoredRow.all(in: file) == StoredRow.all(in: release.store))
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
