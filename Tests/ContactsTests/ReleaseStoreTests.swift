import Foundation
import Molt
import TestSupport
import Testing
import contacts

@Suite struct `Stores of earlier contacts releases` {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `The registry has the migrations that each release shipped with, and no faults`() {
        let release2 = ["alien-becomes-person", "mail-becomes-email"]
        let release3 = release2 + ["split-full-name", "nest-address"]
        let release4 =
            release3 + ["remove-fax", "favorites", "nickname-added", "call-length-in-seconds"]
            + ["defaults-v4-to-v5", "suite-to-app-group"]
        let names = Release.allCases.map(\.registry.names) + [migrations.names]
        #expect(names == [[], release2, release3, release4])
        #expect(migrations.faults.isEmpty)
        #expect(migrations.version == Release.today)
    }

    @Test(arguments: Release.allCases)
    func `A release's code writes the store that is checked in`(release: Release) throws {
        let file = scratch.file("release.molt")

        try release.write(people: SampleData.namedPeople, to: file)

        #expect(try SQLite.records(in: file) == SQLite.records(in: release.store))
    }
}

extension SQLite {
    /// The columns of all records of a closed cache file, by key; the content is in hexadecimal digits.
    static func records(in file: URL) throws -> [[String]] {
        try SQLite(immutable: file).rows(
            """
            SELECT key, name, hex(content), typeof(content), expires_at
            FROM molt_record JOIN molt_type ON molt_type.id = type_id ORDER BY key
            """
        )
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
