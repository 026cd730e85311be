import Foundation
import Molt
import TestSupport
import Testing

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
                for key in ["registered", "argument"] { #expect(defaults.object(forKey: key) != nil, "\(key)") }
                let move = Migration.suiteToAppGroup(to: 1, from: Suite(old), into: Suite(new))
                try CodableCache(at: URL(filePath: path), migrations: [move]).close()
            }
            try fixture.expect(old: ["own": 1], new: ["own": 1])
        }
    #endif

    @Test func `is not marked as applied when an extension opens first, and runs when the app opens`() throws {
        try StandardSuite.whileAlone {
            let fixture = try MoveFixture()
            let key = "molt.test.\(UUID().uuidString)"
            try Suite.standard.set("value", forKey: key)
            defer { try? Suite.standard.removeValue(forKey: key) }
            let move = Migration.suiteToAppGroup(
                to: 1,
                from: .standard,
                into: fixture.new.suite,
                keys: .only([key]),
                removingSource: true
            )
            for _ in 0..<2 {
                try fixture.cache.upgrade([move], process: .tool).expectDeferred("suite-to-app-group")
                try fixture.expect(old: [:], new: [:])
                #expect(try Suite.standard.value(forKey: key) == "value")
            }
            try fixture.cache.upgrade([move]).expectKeys("\(key): moved")
            try fixture.expect(old: [:], new: [key: "value"])
            #expect(try Suite.standard.value(forKey: key) == nil)
            #expect(try fixture.new.history == ["suite-to-app-group"])
            try fixture.cache.upgrade([move], process: .tool).expectDeferred()
        }
    }

    @Test func `runs in an extension that can see both suites`() throws {
        let (old, new) = (Suite("group.\(UUID())"), Suite("group.\(UUID())"))
        try old.set(1, forKey: "a")
        let move = Migration.suiteToAppGroup(to: 1, from: old, into: new)
        try ScratchCache().upgrade([move], process: .tool).expectDeferred()
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
        MoltError.thrown {
            try fixture.upgrade(move)
        }?.expect(.invalidSuite, suite: Suite(name).attachedName)
        #expect(try CacheFile(at: fixture.cache.url).version() == nil)
        try fixture.expect(old: ["a": 1], new: [:])
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
        MoltError.thrown {
            try ScratchCache().upgrade(registry)
        }?.expect(.invalidRegistry, says: "same place")
    }

    @Test(arguments: [
        Suite.Keys.except(["sdk.installation"]), .except(prefixes: ["sdk."]),
    ])
    func `leaves managed settings and the keys of third parties in place`(keys: Suite.Keys) throws {
        let staying: [String: PropertyListValue] = [
            "com.apple.configuration.managed": ["server": "s"], "AppleLanguages": ["de"],
            "NSWindow Frame main": "0 0 1 1", "sdk.installation": "id",
        ]
        let own: [String: PropertyListValue] = ["AppleUserID": "u", "NSFWFilter": true, "name": "n", "NS": 1]
        let fixture = try MoveFixture(old: staying.merging(own) { $1 })
        let report = try fixture.upgrade(fixture.move(keys: keys, removingSource: true))
        try fixture.expect(old: staying, new: own)
        let left = "kept, it is not one of the keys to move"
        report.expectKeys(
            "AppleLanguages: \(left)",
            "AppleUserID: moved",
            "NS: moved",
            "NSFWFilter: moved",
            "NSWindow Frame main: \(left)",
            "com.apple.configuration.managed: \(left)",
            "name: moved",
            "sdk.installation: \(left)"
        )
    }

    @Test func `shows earlier migrations the source, and later ones the destination, in one upgrade`() throws {
        let fixture = try MoveFixture(old: ["tags": #"["a","b"]"#, "count": 1])
        let (old, new) = (fixture.old.suite, fixture.new.suite)
        func expectKeys(_ keys: [String], in suite: Suite, setting count: PropertyListValue? = nil) -> MigrationStep {
            .changeSettings(in: suite) { settings throws in
                #expect(try settings.keys == keys)
                if let count { try settings.set(count, forKey: "count") }
            }
        }
        let keys = ["count", "tags"]
        try fixture.upgrade(
            Migration(to: 1, "older", expectKeys(keys, in: old, setting: 2), expectKeys([], in: new)),
            fixture.move(to: 2, removingSource: true),
            Migration(to: 3, "later", expectKeys([], in: old), expectKeys(keys, in: new)),
            .defaultsV4ToV5(to: 4, suite: new, keys: [.key("tags", .array(of: .string))])
        )
        try fixture.expect(old: [:], new: ["tags": ["a", "b"], "count": 2])
    }
}
