import Foundation
import TestSupport
import Testing

@testable import Molt

/// The mistakes that apps make when they move their settings by hand.
@Suite struct `Moving settings to an app group` {
    #if CHILD_PROCESSES
        @Test func `takes only the source's own domain, no registered default, argument or language list`() async throws
        {
            let fixture = try MoveFixture(old: ["own": 1])
            // Registered defaults and arguments belong to the whole process.
            await #expect(processExitsWith: .success) {
                [
                    old = fixture.old.suite.domainName as String, new = fixture.new.suite.domainName as String,
                    path = fixture.cache.url.path as String
                ] in
                let defaults = try #require(UserDefaults(suiteName: old))
                defaults.register(defaults: ["registered": 7, "AppleLanguages": ["en", "de"]])
                defaults.setVolatileDomain(["argument": "a"], forName: UserDefaults.argumentDomain)
                #expect(defaults.dictionaryRepresentation()["registered"] != nil)
                #expect(defaults.object(forKey: "argument") != nil)
                let cache = try CodableCache(
                    at: URL(filePath: path),
                    migrations: [.suiteToAppGroup(to: 1, from: Suite(old), into: Suite(new))]
                )
                #expect(cache.report.keys.map(\.key) == ["own"])
                cache.close()
            }
            #expect(try fixture.new.values == ["own": 1])
            #expect(try fixture.old.values == ["own": 1])
        }
    #endif

    @Test func `is not marked as applied when an extension opens first, and runs when the app opens`() throws {
        let fixture = try MoveFixture()
        let key = "molt.test.\(UUID().uuidString)"
        try Suite.standard.set("value", forKey: key)
        defer { try? Suite.standard.removeValue(forKey: key) }
        let move = Migration.suiteToAppGroup(
            to: 1,
            from: .standard,
            into: fixture.new.suite,
            keys: .only([key]),
            afterwards: .clean
        )
        for _ in 0..<2 {
            let report = try fixture.cache.upgrade([move], role: .appExtension)
            #expect(report.deferred.map(\.migration.name) == ["suite-to-app-group"])
            #expect(try fixture.new.values.isEmpty)
            #expect(try Suite.standard.value(forKey: key) == "value")
        }
        #expect(try fixture.cache.upgrade([move]).keys.map(\.outcome) == [.moved])
        #expect(try fixture.new.values == [key: "value"])
        #expect(try Suite.standard.value(forKey: key) == nil)
        #expect(try fixture.new.history == ["suite-to-app-group"])
        #expect(try fixture.cache.upgrade([move], role: .appExtension).deferred.isEmpty)
    }

    @Test func `is deferred in an extension if one suite is the app's own, whatever its name`() throws {
        let fixture = try MoveFixture(old: ["a": 1])
        #expect(try fixture.cache.upgrade([fixture.move()], role: .appExtension).deferred.count == 1)
        #expect(try fixture.new.values.isEmpty)
        // It runs if the extension can see both.
        let (old, new) = (Suite("group.\(UUID())"), Suite("group.\(UUID())"))
        try old.set(1, forKey: "a")
        let move = Migration.suiteToAppGroup(to: 1, from: old, into: new)
        #expect(try ScratchCache().upgrade([move], role: .appExtension).deferred.isEmpty)
        #expect(try new.values() == ["a": 1])
    }

    @Test(arguments: [("", false), ("NSGlobalDomain", false), ("", true), ("a/b", true)])
    func `fails for an invalid group and never falls back to another suite`(name: String, isSource: Bool) throws {
        let fixture = try MoveFixture(old: ["a": 1])
        let before = try Suite.standard.values()
        let move = Migration.suiteToAppGroup(
            to: 1,
            from: isSource ? Suite(name) : fixture.old.suite,
            into: isSource ? fixture.new.suite : Suite(name)
        )
        let error = #expect(throws: MoltError.self) { try fixture.upgrade(move) }
        error?.expect(.invalidSuite, attachedStore: Suite(name).attachedName)
        #expect(try CodableCache.schemaVersion(ofFileAt: fixture.cache.url) == nil)
        #expect(try fixture.old.values == ["a": 1])
        #expect(try fixture.new.values.isEmpty)
        #expect(try Suite.standard.values()["a"] == before["a"])
    }

    @Test(arguments: [
        (Suite("group.a"), Suite("group.a")),
        (.standard, .standard),
        (.standard, Suite(Suite.standard.domainName)),
        (Suite(Suite.standard.domainName), .standard),
    ])
    func `is refused when source and destination have the same name`(source: Suite, destination: Suite) {
        let registry: MigrationRegistry = [.suiteToAppGroup(to: 1, from: source, into: destination)]
        #expect(registry.faults.count == 1)
        #expect(registry.faults.first?.contains("same place") == true)
        #expect(throws: MoltError.self) { try ScratchCache().upgrade(registry) }?.expect(.invalidRegistry)
    }

    @Test func `leaves managed settings and the keys of third parties in place`() throws {
        let staying: [String: PropertyListValue] = [
            "com.apple.configuration.managed": ["server": "s"], "AppleLanguages": ["de"],
            "NSWindow Frame main": "0 0 1 1", "sdk.installation": "id",
        ]
        let own: [String: PropertyListValue] = ["AppleUserID": "u", "NSFWFilter": true, "name": "n", "NS": 1]
        let fixture = try MoveFixture(old: staying.merging(own) { $1 })
        let report = try fixture.upgrade(fixture.move(keys: .except(["sdk.installation"]), afterwards: .clean))
        #expect(try fixture.new.values == own)
        #expect(try fixture.old.values == staying)
        #expect(Set(report.keys.filter { $0.outcome == .kept }.map(\.key)) == Set(staying.keys))
        #expect(report.keys.filter { $0.outcome == .kept }.allSatisfy { $0.reason != nil })
    }

    @Test func `shows earlier migrations the source, and later ones the destination, in one upgrade`() throws {
        let fixture = try MoveFixture(old: ["tags": #"["a","b"]"#, "count": 1])
        let (old, new) = (fixture.old.suite, fixture.new.suite)
        let noKeys = MigrationStep.settings(in: new) { settings throws in #expect(try settings.keys == []) }
        let keys = MigrationStep.settings(in: old) { settings in
            let found = try settings.keys
            #expect(found == ["count", "tags"])
            try settings.set(2, forKey: "count")
        }
        let moved = MigrationStep.settings(in: new) { settings throws in
            #expect(try settings.keys == ["count", "tags"])
        }
        let left = MigrationStep.settings(in: old) { settings throws in #expect(try settings.keys == []) }
        try fixture.upgrade(
            Migration(to: 1, "older", keys, noKeys),
            fixture.move(to: 2, afterwards: .clean),
            Migration(to: 3, "later", left, moved),
            .defaultsV4ToV5(to: 4, suite: new, keys: [.key("tags", .array(of: .string))])
        )
        #expect(try fixture.new.values == ["tags": ["a", "b"], "count": 2])
        #expect(try fixture.old.values.isEmpty)
    }
}
