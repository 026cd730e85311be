import Foundation
import TestSupport
import Testing
import contacts

@testable import Molt

@Suite
final class `Settings of the contacts app` {
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

    @Test
    func `The checked-in settings equal what release 1 writes`() throws {
        let settings = try Release.settings()

        #expect(try settings == release1Settings())
        #expect(settings["favoriteGroups"] == #"["work\/lab","club"]"#)
        #expect(settings["backupInterval"] == #""1 Hour""#)
        #expect(settings["backupDates"] == "[642000000,642086400]")
    }

    @Test(arguments: Release.allCases)
    func `The settings of every release are native and in the group after one opening`(release: Release) throws {
        let file = try scratch.store(of: release)

        let cache = try CodableCache(at: file, migrations: contacts.migrations(settings: suites))
        defer { cache.close() }

        #expect(try suites.group.values() == ExpectedSettings.native)
        #expect(try suites.own.values().isEmpty)
        #expect(try !suites.group.value(for: .showsPhotos))
        #expect(try suites.group.value(for: .signature) == #""Yours, Ada""#)
        #expect(try suites.group.value(for: .pageSize) == 50)
        #expect(try suites.group.value(for: .sortOrder) == .lastName)
        #expect(try suites.group.value(for: .backupInterval) == .oneHour)
        let dates = try suites.group.value(for: .backupDates)
        #expect(dates.map(\.timeIntervalSinceReferenceDate) == [642_000_000, 642_086_400])
        #expect(try suites.group.value(for: .favoriteGroups) == ["work/lab", "club"])
        #expect(try suites.group.value(for: .labels) == ["vip": Label(hue: 210)])
        try SampleData.check(suites)
        try SampleData.check(cache, people: SampleData.namedPeople)
    }

    @Test
    func `The report names each setting's outcome, and the reason for the damaged one`() throws {
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
        #expect(outcomes(of: "suite-to-app-group") == ExpectedSettings.native.mapValues { _ in .moved })
        let damaged = try #require(cache.report.keys.first { $0.outcome == .notConvertible })
        #expect(damaged.reason?.isEmpty == false)
        #expect(!"\(cache.report)".contains("Plat"))
        // Today's app gets an error when it reads the setting; the stored text is not lost.
        let error = #expect(throws: MoltError.self) { try suites.group.value(for: .recentSearches) }
        #expect(error?.code == .typeMismatch)
    }

    @Test
    func `Releases 2 and 3 leave the settings in place, and the path does not matter`() throws {
        let file = try scratch.store(of: .first)
        let registry = contacts.migrations(settings: suites)

        for version in [2, 3] {
            try CodableCache(at: file, migrations: registry.upTo(version: version)).close()
            #expect(try suites.own.values() == Release.settings())
            #expect(try suites.group.values().isEmpty)
        }
        try CodableCache(at: file, migrations: registry).close()
        #expect(try suites.group.values() == ExpectedSettings.native)

        // The move runs once: later values stay, even under a key that release 1 used.
        try suites.group.set(10, for: .pageSize)
        try suites.own.set("stays", forKey: "pageSize")
        try CodableCache(at: file, migrations: registry).close()
        #expect(try suites.group.value(for: .pageSize) == 10)
        #expect(try suites.own.values() == ["pageSize": "stays"])
    }

    @Test
    func `A dry run reports the outcome of the settings and does not change them`() throws {
        let report = try CodableCache.dryRun(
            at: Release.first.store,
            migrations: contacts.migrations(settings: suites)
        )

        #expect(report.keys.count { $0.outcome == .converted } == 5)
        #expect(report.keys.count { $0.outcome == .moved } == 9)
        #expect(try suites.own.values() == Release.settings())
        #expect(try suites.group.values().isEmpty)
    }

    @Test
    func `A cancelled upgrade leaves the settings in place, and the next one moves them`() throws {
        let file = try scratch.store(of: .first)
        var registry = contacts.migrations(settings: suites)
        // Registered after the migrations of settings, so these have run when the upgrade is cancelled.
        let monitor = MigrationMonitor()
        registry.register(
            Migration(to: 4, "stopped", .run { _ in monitor.progress.cancel() }, .transform("Person") { _ in })
        )

        let error = #expect(throws: MoltError.self) {
            let configuration = CodableCache.Configuration.contacts(release: 4, monitor: monitor)
            _ = try CodableCache(at: file, migrations: registry, configuration: configuration)
        }

        #expect(error?.code == .cancelled)
        #expect(try suites.own.values() == Release.settings())
        #expect(try suites.group.values().isEmpty)
        try CodableCache(at: file, migrations: contacts.migrations(settings: suites)).close()
        #expect(try suites.group.values() == ExpectedSettings.native)
    }

    @Test
    func `The error for a call with an unreadable length names the call, and no record or setting is changed`() throws {
        struct Call: Codable {
            var person: String
            var length: String
        }
        let file = try scratch.store(of: .first)
        let old = try CodableCache(at: file, migrations: Release.first.registry)
        try old.set(Call(person: "contact/2", length: "a while"), forKey: "call/2")
        old.close()
        let before = try StoredRow.all(in: file)
        let registry = contacts.migrations(settings: suites)

        let error = #expect(throws: MoltError.self) { _ = try CodableCache(at: file, migrations: registry) }

        #expect(error?.code == .stepFailed)
        #expect(error?.migration == MigrationID(name: "call-length-in-seconds", version: 4))
        #expect(error?.key == "call/2")
        #expect(error?.type == "Call")
        #expect(error.map { "\($0)".contains("a while") } == false)
        #expect(try StoredRow.all(in: file) == before)
        #expect(try MigrationPlan(forFileAt: file, migrations: registry).from == 0)
        #expect(try suites.own.values() == Release.settings())
        #expect(try suites.group.values().isEmpty)
    }
}
