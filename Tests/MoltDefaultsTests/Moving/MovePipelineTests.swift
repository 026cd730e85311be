import Foundation
import Testing

@testable import Molt

@Suite struct `A move of settings among other migrations` {
    // MARK: Values

    @Test func `Values of every type arrive unchanged`() throws {
        let values: [String: PropertyListValue] = [
            "bool": true, "one": 1, "min": .int(.min), "max": .unsigned(.max), "double": 0.1, "inf": .double(.infinity),
            "string": "e\u{301} \u{1F468}\u{200D}\u{1F469} <&>\n", "empty": "", "data": .data(Data([0, 255])),
            "date": .date(Date(timeIntervalSince1970: 1_000_000)), "array": [1, "two", [3.5, []]],
            "dictionary": ["": ["deep": [["k": true]]]], "key with <&> \u{E9}": 1,
        ]
        let fixture = try MoveFixture(old: values)
        let report = try fixture.upgrade(fixture.move(afterwards: .clean))
        #expect(try fixture.new.values == values)
        #expect(try fixture.old.values.isEmpty)
        #expect(report.keys.count == values.count)
        #expect(Set(report.keys.map(\.outcome)) == [.moved])
    }

    #if os(Linux)
        @Test func `A date with fractional seconds in a binary file is moved once and cleaned`() throws {
            let date = Date(timeIntervalSince1970: 1.75)
            let fixture = try MoveFixture()
            try fixture.old.writeFile(["d": .date(date)], .binary)
            #expect(try fixture.old.values == ["d": .date(date)])
            try fixture.upgrade(fixture.move())
            #expect(try fixture.new.values == ["d": .date(Date(timeIntervalSince1970: 1))])
            let again = fixture.move(to: 2, "again", conflict: .sourceWins, afterwards: .clean)
            #expect(try fixture.upgrade(fixture.move(), again).keys.map(\.outcome) == [.alreadyCurrent])
            #expect(try fixture.old.values.isEmpty)
        }
    #endif

    // MARK: Several moves

    @Test func `A move there and back changes nothing, in one upgrade or in two`() throws {
        let values: [String: PropertyListValue] = ["a": 1, "b": [2]]
        let once = try MoveFixture(old: values)
        try once.upgrade(once.move(afterwards: .clean), once.moveBack(to: 2, afterwards: .clean))
        let twice = try MoveFixture(old: values)
        try twice.upgrade(twice.move(afterwards: .clean))
        #expect(try twice.new.values == values)
        try twice.upgrade(twice.move(afterwards: .clean), twice.moveBack(to: 2, afterwards: .clean))
        for fixture in [once, twice] {
            #expect(try fixture.old.values == values)
            #expect(try fixture.new.values.isEmpty)
        }
    }

    @Test func `Two crossing moves exchange settings in one upgrade`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "x": "old"], new: ["b": 2, "x": "new"])
        let there = fixture.move(keys: .only(["a"]), afterwards: .clean)
        let back = Migration.suiteToAppGroup(
            to: 1,
            "back",
            from: fixture.new.suite,
            into: fixture.old.suite,
            keys: .only(["b", "x"]),
            conflict: .sourceWins,
            afterwards: .clean
        )
        try fixture.upgrade(there, back)
        #expect(try fixture.new.values == ["a": 1])
        #expect(try fixture.old.values == ["b": 2, "x": "new"])
    }

    @Test func `A second move passes on what the first one moved`() throws {
        let fixture = try MoveFixture(old: ["a": 1])
        let third = try ScratchSuite()
        try fixture.upgrade(
            fixture.move(afterwards: .clean),
            .suiteToAppGroup(to: 2, "on", from: fixture.new.suite, into: third.suite, afterwards: .clean)
        )
        #expect(try third.values == ["a": 1])
        #expect(try fixture.old.values.isEmpty)
        #expect(try fixture.new.values.isEmpty)
    }

    // MARK: Stores

    @Test func `A plan and a dry run describe the move and change nothing`() throws {
        let fixture = try MoveFixture(old: ["a": 1])
        let registry = MigrationRegistry([fixture.move(afterwards: .clean)])
        let plan = try MigrationPlan(forFileAt: fixture.cache.url, migrations: registry)
        #expect(plan.entries[0].steps == ["move settings from \(fixture.old.suite) into \(fixture.new.suite)"])
        let report = try fixture.old.suite.dryRun(of: registry)
        #expect(report.keys.map(\.outcome) == [.moved])
        #expect(try fixture.old.values == ["a": 1])
        #expect(try fixture.new.values.isEmpty)
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
            fixture.move(afterwards: .clean),
            Migration(to: 2, "later", .renameKey("a", to: "A", in: fixture.new.suite)),
        ]
        let report = try suite.upgrade(with: registry)
        #expect(report.keys.map(\.outcome) == [.moved, .kept, .renamed])
        for _ in 0..<2 {
            #expect(try fixture.old.values == ["b": 2])
            #expect(try fixture.new.values == ["A": 1, "b": 3])
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
