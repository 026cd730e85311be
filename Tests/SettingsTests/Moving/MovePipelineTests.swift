import Foundation
import Molt
import Testing

@Suite struct `A move of settings among other migrations` {
    // MARK: Values

    @Test(arguments: [false, true])
    func `A new cache that takes over settings is upgraded, and one that finds none is created`(hasOld: Bool) throws {
        let (old, new) = (try ScratchSuite(hasOld ? ["volume": 1] : [:]), try ScratchSuite())
        let report = try ScratchCache().upgrade([
            .suiteToAppGroup(to: 1, from: old.suite, into: new.suite),
            Migration(to: 2, "first", .changeSettings(in: new.suite) { try $0.set(1, forKey: "first") }),
        ])
        #expect(report.isFresh)
        #expect(report.headline.contains(hasOld ? ": version 0 to 2 in " : ": created at version 2"))
        try new.expect(hasOld ? ["volume": 1, "first": 1] : ["first": 1])
    }

    @Test func `Values of every type arrive unchanged`() throws {
        let values = `Values from UserDefaults`.values.merging(["key with <&> \u{E9}": 1]) { $1 }
        let fixture = try MoveFixture(old: values)
        let report = try fixture.upgrade(fixture.move(removingSource: true))
        try fixture.expect(old: [:], new: values)
        #expect(report.keyOutcomes == values.mapValues { _ in .moved })
    }

    #if os(Linux)
        @Test func `A date with fractional seconds in a binary file is moved once and cleaned`() throws {
            let date = Date(timeIntervalSince1970: 1.75)
            let fixture = try MoveFixture()
            try fixture.old.writeFile(["d": .date(date)], .binary)
            #expect(try fixture.old.values == ["d": .date(date)])
            try fixture.upgrade(fixture.move())
            #expect(try fixture.new.values == ["d": .date(Date(timeIntervalSince1970: 1))])
            let again = fixture.move(to: 2, "again", onConflict: .replace, removingSource: true)
            try fixture.upgrade(fixture.move(), again).expectKeys("d: already current")
            #expect(try fixture.old.values.isEmpty)
        }
    #endif

    // MARK: Migrations of the old suite

    /// Each release upgrades alone; a widget sees the group, and not the app's own settings.
    @Test(arguments: PrimaryStore.allCases)
    func `A widget finds nothing to do in a group whose settings an earlier release has migrated`(
        store: PrimaryStore
    ) throws {
        let (old, cache) = (try ScratchSuite(["volume": 1]), try ScratchCache())
        let group = ScratchSuite(named: "group.\(old.name)")
        let migrations: MigrationRegistry = [
            Migration(to: 1, "loudness", .renameSetting("volume", to: "loudness", in: old.suite)),
            .suiteToAppGroup(to: 2, from: old.suite, into: group.suite),
            Migration(to: 3, "level", .renameSetting("loudness", to: "level", in: group.suite)),
        ]
        for version in 1...3 {
            let primary = version == 1 ? old.suite : group.suite
            try store.upgrade(primary, cache: cache.url, with: migrations.upTo(version: version))
        }
        let configuration = MoltConfiguration {
            $0.process = .tool
            $0.process = .helper(waiting: .milliseconds(1))
        }
        let report = try group.suite.upgrade(with: migrations, configuration: configuration)
        #expect(report.isEmpty && report.deferred.isEmpty)
        try group.expect(["level": 1])
    }

    @Test(arguments: [false, true])
    func `An app whose old settings were lost, or put back from an old copy, opens its group`(isPutBack: Bool) throws {
        let old = try ScratchSuite(["volume": 1])
        let group = ScratchSuite(named: "group.\(old.name)")
        let migrations: MigrationRegistry = [
            Migration(to: 1, "loudness", .renameSetting("volume", to: "loudness", in: old.suite)),
            Migration(to: 2, "level", .renameSetting("loudness", to: "level", in: old.suite)),
            .suiteToAppGroup(to: 3, from: old.suite, into: group.suite),
        ]
        try old.suite.upgrade(with: migrations.upTo(version: 1))
        let copy = try old.bytes
        for version in 2...3 {
            let primary = version == 3 ? group.suite : old.suite
            try primary.upgrade(with: migrations.upTo(version: version))
        }
        old.suite.erase()
        if isPutBack { try old.writeFile(copy) }
        try group.suite.upgrade(with: migrations)
        try group.expect(["level": 1])
        try old.expect(isPutBack ? ["level": 1] : [:])
    }

    @Test func `A block that old settings from a copy still need is late, and not skipped`() throws {
        let old = try ScratchSuite(["volume": 1])
        let group = ScratchSuite(named: "group.\(old.name)")
        let migrations: MigrationRegistry = [
            Migration(to: 1, "loudness", .renameSetting("volume", to: "loudness", in: old.suite)),
            Migration(to: 2, "block", .run(suites: [old.suite]) { try $0.suite(old.suite).set(2, forKey: "loudness") }),
            .suiteToAppGroup(to: 3, from: old.suite, into: group.suite),
        ]
        try old.suite.upgrade(with: migrations.upTo(version: 1))
        let copy = try old.bytes
        try old.suite.upgrade(with: migrations.upTo(version: 2))
        try group.suite.upgrade(with: migrations)
        old.suite.erase()
        try group.suite.upgrade(with: migrations)
        try old.writeFile(copy)
        MoltError.thrown { try group.suite.upgrade(with: migrations) }?.expect(.lateMigration, migration: "block")
        try old.expect(["loudness": 1])
        try group.expect(["loudness": 2])
    }

    // MARK: Several moves

    @Test func `A move there and back changes nothing, in one upgrade or in two`() throws {
        let values: [String: PropertyListValue] = ["a": 1, "b": [2]]
        for isAtOnce in [true, false] {
            let fixture = try MoveFixture(old: values)
            let (old, new) = (fixture.old.suite, fixture.new.suite)
            let there = fixture.move(removingSource: true)
            if !isAtOnce {
                try fixture.upgrade(there)
                try fixture.expect(old: [:], new: values)
            }
            try fixture.upgrade(there, .suiteToAppGroup(to: 2, "back", from: new, into: old, removingSource: true))
            try fixture.expect(old: values, new: [:])
        }
    }

    @Test func `Two crossing moves exchange settings in one upgrade`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "x": "old"], new: ["b": 2, "x": "new"])
        let there = fixture.move(keys: .only(["a"]), removingSource: true)
        let back = Migration.suiteToAppGroup(
            to: 1,
            "back",
            from: fixture.new.suite,
            into: fixture.old.suite,
            keys: .only(["b", "x"]),
            onConflict: .replace,
            removingSource: true
        )
        try fixture.upgrade(there, back)
        try fixture.expect(old: ["b": 2, "x": "new"], new: ["a": 1])
    }

    // MARK: Stores

    @Test func `A plan and a dry run describe the move and change nothing`() throws {
        let fixture = try MoveFixture(old: ["a": 1])
        let registry = MigrationRegistry([fixture.move(removingSource: true)])
        let plan = try CacheFile(at: fixture.cache.url).plan(registry)
        #expect(plan.entries[0].steps == ["move settings from \(fixture.old.suite) into \(fixture.new.suite)"])
        try fixture.old.suite.dryRun(registry).expectKeys("a: moved")
        try fixture.expect(old: ["a": 1], new: [:])
    }

    /// The suite that an app without a cache upgrades.
    enum Primary: CaseIterable {
        case source, destination, another
    }

    @Test(arguments: Primary.allCases)
    func `An app without a cache moves its settings, and the ledger of the move is with them`(primary: Primary) throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2], new: ["b": 3])
        let another = try ScratchSuite(["c": 4])
        let carrier = [Primary.source: fixture.old, .destination: fixture.new, .another: another][primary]
        let suite = try #require(carrier).suite
        let registry: MigrationRegistry = [
            fixture.move(removingSource: true),
            Migration(to: 2, "later", .renameSetting("a", to: "A", in: fixture.new.suite)),
        ]
        let report = try suite.upgrade(with: registry)
        report.expectKeys("a: moved", "b: kept, the destination has another value, which stays", "a: renamed, to A")
        for _ in 0..<2 {
            try fixture.expect(old: ["b": 2], new: ["A": 1, "b": 3])
            #expect(try another.values == ["c": 4])
            for scratch in [fixture.old, fixture.new, another] {
                let hasLedger = scratch.suite == suite || scratch.suite == fixture.new.suite
                #expect(try scratch.history == (hasLedger ? ["move", "later"] : []))
                #expect(try scratch.allValues.keys.contains("molt.ledger") == hasLedger)
            }
            #expect(try suite.upgrade(with: registry).isEmpty)
        }
    }
}
