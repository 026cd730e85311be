import Foundation
import Molt
import TestSupport
import Testing
import contacts

@Suite final class `Settings of the contacts app` {
    private let scratch: ScratchDirectory
    /// Suites with the settings of release 1.
    private let suites: SettingsSuites

    init() throws {
        scratch = try ScratchDirectory()
        suites = try SettingsSuites.ofRelease1()
    }

    deinit {
        suites.remove()
    }

    @Test(arguments: Release.allCases)
    func `The values and settings of every release are today's after one opening`(release: Release) throws {
        let file = try scratch.store(of: release)

        let cache = try CodableCache(at: file, migrations: contacts.migrations(settings: suites))
        defer { cache.close() }

        try SampleData.check(suites)
        #expect(try !suites.group.value(for: .showsPhotos))
        #expect(try suites.group.value(for: .signature) == #""Yours, Ada""#)
        #expect(try suites.group.value(for: .pageSize) == 50)
        #expect(try suites.group.value(for: .sortOrder) == .lastName)
        #expect(try suites.group.value(for: .backupInterval) == .oneHour)
        let dates = try suites.group.value(for: .backupDates)
        #expect(dates.map(\.timeIntervalSinceReferenceDate) == [642_000_000, 642_086_400])
        #expect(try suites.group.value(for: .favoriteGroups) == ["work/lab", "club"])
        #expect(try suites.group.value(for: .labels) == ["vip": Label(hue: 210)])

        try SampleData.check(cache, people: SampleData.namedPeople)
        // Strings in different Unicode forms compare as equal, bytes do not.
        let person = try #require(try cache.value(contacts.Person.self, forKey: "contact/12"))
        #expect(Array(person.lastName.utf8.prefix(3)) == [0x65, 0xCC, 0x81])
        #expect(Array(person.firstName.utf8) == Array("👩🏽‍🚀".utf8))
    }

    @Test func `The report names each setting's outcome, and the reason for the damaged one`() throws {
        let file = try scratch.store(of: .first)

        let cache = try CodableCache(at: file, migrations: contacts.migrations(settings: suites))
        defer { cache.close() }

        func outcomes(of name: String) -> [String: MigrationReport.KeyOutcome.Outcome] {
            let keys = cache.report.entries.filter { $0.migration.name == name }.flatMap { $0.steps.flatMap(\.keys) }
            return Dictionary(uniqueKeysWithValues: keys.map { ($0.key, $0.outcome) })
        }
        #expect(
            outcomes(of: "defaults-v4-to-v5") == [
                "showsPhotos": .alreadyCurrent,
                "signature": .alreadyCurrent,
                "pageSize": .converted,
                "sortOrder": .alreadyCurrent,
                "backupInterval": .converted,
                "backupDates": .converted,
                "favoriteGroups": .converted,
                "labels": .converted,
                "recentSearches": .notConvertible,
            ]
        )
        #expect(outcomes(of: "suite-to-app-group") == SampleData.settings.mapValues { _ in .moved })
        let damaged = try #require(cache.report.keys.first { $0.outcome == .notConvertible })
        #expect(damaged.reason?.isEmpty == false)
        #expect(!"\(cache.report)".contains("Plat"))
        // Today's app gets an error when it reads the setting; the stored text is not lost.
        let error = MoltError.thrown { try suites.group.value(for: .recentSearches) }
        #expect(error?.code == .typeMismatch)
    }

    @Test func `Releases 2 and 3 leave the settings in place, and the path does not matter`() throws {
        let file = try scratch.store(of: .first)
        let registry = contacts.migrations(settings: suites)

        for version in [2, 3] {
            try CodableCache(at: file, migrations: registry.upTo(version: version)).close()
            #expect(try suites.own.values() == Release.settings())
            #expect(try suites.group.values().isEmpty)
        }
        try CodableCache(at: file, migrations: registry).close()
        #expect(try suites.group.values() == SampleData.settings)

        // The move runs once: later values stay, even under a key that release 1 used.
        try suites.group.set(10, for: .pageSize)
        try suites.own.set("stays", forKey: "pageSize")
        try CodableCache(at: file, migrations: registry).close()
        #expect(try suites.group.value(for: .pageSize) == 10)
        #expect(try suites.own.values() == ["pageSize": "stays"])
    }
}
