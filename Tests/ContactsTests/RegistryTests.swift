import Foundation
import TestSupport
import Testing
import contacts

@testable import Molt

@Suite
struct `Migrations of the contacts app` {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test
    func `The registry has no faults`() {
        #expect(migrations.faults.isEmpty)
        #expect(migrations.version == Release.today)
        #expect(Release.allCases.map(\.rawValue) == Array(1..<Release.today))
    }

    @Test
    func `Every release has the migrations that it shipped with`() {
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

    @Test
    func `A new store is born at today's version and runs no step`() throws {
        let file = scratch.file("contacts.molt")

        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }

        #expect(cache.report.isFresh)
        #expect(cache.report.to == 4)
        #expect(cache.report.counts == MigrationReport.Counts())
        let person = Person(firstName: "Grace", lastName: "Hopper", nickname: "Amazing Grace", isFavorite: true)
        try cache.set(person, forKey: "contact/1")
        #expect(try cache.value(Person.self, forKey: "contact/1") == person)
    }

    @Test(arguments: Release.allCases)
    func `An earlier release refuses today's store and leaves it unchanged`(release: Release) throws {
        let file = try scratch.store(of: release)
        try CodableCache(at: file, migrations: migrations).close()
        let before = try Data(contentsOf: file)

        let error = #expect(throws: MoltError.self) {
            _ = try release.open(file)
        }

        #expect(error?.code == .superseded)
        #expect(error?.storeVersion == 4)
        #expect(error?.registryVersion == release.registry.version)
        #expect(try Data(contentsOf: file) == before)
    }
}
