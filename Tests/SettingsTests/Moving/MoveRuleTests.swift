import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Rules of a move of settings` {
    // MARK: Keys

    @Test func `The listed keys are moved, and the report names those that are absent`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2, "com.apple.c": 3])
        let report = try fixture.upgrade(fixture.move(keys: .only(["a", "com.apple.c", "none", "a"])))
        // The source is kept unless it is to be cleaned.
        try fixture.expect(old: ["a": 1, "b": 2, "com.apple.c": 3], new: ["a": 1, "com.apple.c": 3])
        report.expectKeys("a: copied", "com.apple.c: copied", "none: absent")
        let stores = Set(report.keys.map(\.store))
        #expect(stores == [fixture.old.suite.attachedName])
    }

    @Test func `A renamed key arrives under its new name, and the report says so`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2, "c": 3])
        let report = try fixture.upgrade(
            fixture.move(renaming: ["a": "b", "b": "a", "c": "new.c"], removingSource: true)
        )
        try fixture.expect(old: [:], new: ["a": 2, "b": 1, "new.c": 3])
        report.expectKeys(
            #"a: moved, its key is "b" now"#,
            #"b: moved, its key is "a" now"#,
            #"c: moved, its key is "new.c" now"#
        )
    }

    @Test(arguments: [ConflictPolicy<Suite>.keep, .replace, .fail])
    func `Two keys with different values are not merged`(policy: ConflictPolicy<Suite>) throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2])
        MoltError.thrown {
            try fixture.upgrade(fixture.move(renaming: ["a": "b"], onConflict: policy, removingSource: true))
        }?.expect(.keyExists, key: "b", says: "\"a\"")
        try fixture.expect(old: ["a": 1, "b": 2], new: [:])
    }

    @Test func `A key may get the name of a missing key, or of one with the same value`() throws {
        for old: [String: PropertyListValue] in [["a": 1, "b": 1], ["a": 1]] {
            let fixture = try MoveFixture(old: old)
            try fixture.upgrade(fixture.move(renaming: ["a": "b"], removingSource: true))
            try fixture.expect(old: [:], new: ["b": 1])
        }
    }

    @Test func `An impossible move is a fault of the registry`() throws {
        let fixture = try MoveFixture()
        let cases: [(keys: Suite.Keys, names: [String: String], fault: String)] = [
            (.only([]), [:], "No key is named."),
            (.all, ["a": "x", "b": "x"], "The keys \"a\" and \"b\" would both become \"x\"."),
            (.only(["a", "b"]), ["a": "b"], "The keys \"a\" and \"b\" would both become \"b\"."),
            (.all, ["a": ""], "The key \"a\" would get an empty name."),
            (.all, ["a": "molt.ledger"], "The key \"molt.ledger\" is reserved by Molt."),
            (.only(["molt.ledger"]), [:], "The key \"molt.ledger\" is reserved by Molt."),
            (.only(["a"]), ["b": "c"], "The key \"b\" gets a new name, but it is not copied."),
            (.except(["a"]), ["a": "c"], "The key \"a\" gets a new name, but it is not copied."),
        ]
        for (keys, names, fault) in cases {
            let faults = MigrationRegistry([fixture.move(keys: keys, renaming: names)]).faults
            #expect(faults.count == 1 && faults[0].hasSuffix(fault), "\(fault)")
        }
    }

    // MARK: Conflicts

    @Test func `The source wins a conflict if so declared`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2, "c": 3], new: ["a": 0, "b": 2])
        let report = try fixture.upgrade(fixture.move(onConflict: .replace))
        try fixture.expect(old: ["a": 1, "b": 2, "c": 3], new: ["a": 1, "b": 2, "c": 3])
        report.expectKeys("a: replaced", "b: already current", "c: copied")
    }

    @Test(
        arguments: [
            (2, 1, true), (1, 2, false), (1, 1, false), (1, nil, true), (nil, 1, false), (nil, nil, false),
            (2.5, 2, true), (.unsigned(.max), .int(.max), true), (.double(.nan), 1, false),
            // One more than a Double can represent.
            (9_007_199_254_740_993, 9_007_199_254_740_992, true),
            (.date(Date(timeIntervalSince1970: 10)), .date(Date(timeIntervalSince1970: 9)), true),
            (.date(Date(timeIntervalSince1970: 9)), .date(Date(timeIntervalSince1970: 10)), false),
        ] as [(PropertyListValue?, PropertyListValue?, Bool)]
    )
    func `The suite with the newer time wins a conflict if so declared`(
        here: PropertyListValue?,
        there: PropertyListValue?,
        sourceWins: Bool
    ) throws {
        let old: [String: PropertyListValue?] = ["a": "old", "time": here]
        let new: [String: PropertyListValue?] = ["a": "new", "stamp": there]
        let fixture = try MoveFixture(old: old.compactMapValues(\.self), new: new.compactMapValues(\.self))
        let report = try fixture.upgrade(fixture.move(renaming: ["time": "stamp"], onConflict: .newest(by: "time")))
        #expect(report.keyOutcomes["a"] == (sourceWins ? .replaced : .kept))
        let values = try fixture.new.values
        #expect(values["a"] == (sourceWins ? "old" : "new"))
        #expect(values["stamp"] == (sourceWins ? here : there ?? here))
    }

    @Test(
        arguments: [("x", 1), (1, "x"), (.date(Date(timeIntervalSince1970: 0)), 1), (1, .date(Date()))]
            as [(PropertyListValue, PropertyListValue)]
    )
    func `A time key without a time is an error, and nothing is moved`(
        here: PropertyListValue,
        there: PropertyListValue
    ) throws {
        let fixture = try MoveFixture(old: ["a": "old", "time": here], new: ["time": there])
        MoltError.thrown {
            try fixture.upgrade(fixture.move(onConflict: .newest(by: "time")))
        }?.expect(.typeMismatch, key: "time")
        #expect(try fixture.new.values["a"] == nil)
    }

    @Test(arguments: [(false, false), (false, true), (true, true)])
    func `A former bundle identifier's settings, where today's already has some`(
        oldWins: Bool,
        removingSource: Bool
    ) throws {
        let old: [String: PropertyListValue] = ["theme": "dark", "name": "n", "saved": 2]
        let fixture = try MoveFixture(old: old, new: ["theme": "light", "size": 12, "saved": 1])
        // The own settings of the test process belong to all tests.
        let today = Suite.standard.standIn(named: fixture.new.name)
        let move = Migration.suiteToAppGroup(
            to: 1,
            from: fixture.old.suite,
            into: .standard,
            onConflict: oldWins ? .newest(by: "saved") : .keep,
            removingSource: removingSource
        )
        try fixture.cache.upgrade([move], attaching: [today])
        try fixture.expect(
            old: !removingSource ? old : oldWins ? [:] : ["theme": "dark", "saved": 2],
            new: ["theme": oldWins ? "dark" : "light", "name": "n", "size": 12, "saved": oldWins ? 2 : 1]
        )
        expect(try fixture.new.history, is: ["suite-to-app-group"])
    }

    @Test func `A move that fails on conflict changes nothing, and equal values are no conflict`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2, "c": 3], new: ["a": 1, "b": 3])
        let move = fixture.move(onConflict: .fail, removingSource: true)
        MoltError.thrown { try fixture.upgrade(move) }?.expect(.keyExists, key: "b", says: "onConflict:")
        try fixture.expect(old: ["a": 1, "b": 2, "c": 3], new: ["a": 1, "b": 3])
        let others = fixture.move(keys: .except(["b"]), onConflict: .fail)
        try fixture.upgrade(others)
        try fixture.expect(old: ["a": 1, "b": 2, "c": 3], new: ["a": 1, "b": 3, "c": 3])
    }

    // MARK: Cleaning the source

    @Test func `Cleaning leaves keys that lost a conflict and keys that were not moved`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2, "c": 3, "d": 4], new: ["a": 0, "b": 2])
        let report = try fixture.upgrade(fixture.move(keys: .except(["d"]), removingSource: true))
        report.expectKeys(
            "a: kept, the destination has another value, which stays",
            "b: already current",
            "c: moved",
            "d: kept, it is not one of the keys to move"
        )
        try fixture.expect(old: ["a": 1, "d": 4], new: ["a": 0, "b": 2, "c": 3])
    }

    @Test func `A source that was cleaned is not mistaken for one that cannot be seen`() throws {
        let fixture = try MoveFixture(old: ["a": 1])
        let move = fixture.move(removingSource: true)
        try fixture.upgrade(move)
        let later = Migration(to: 2, "later", .changeSettings(in: fixture.old.suite) { try $0.set(2, forKey: "b") })
        try fixture.upgrade(move, later).expectDeferred()
        try fixture.expect(old: ["b": 2], new: ["a": 1])
    }

    // MARK: The system's keys, and one file for two suites

    /// The file of settings that are not saved does not exist yet.
    @Test(.enabled(if: TestHome.isAvailable), arguments: [(true, true), (true, false), (false, true)])
    func `Two suites with one file are refused, and neither is changed`(isSaved: Bool, isSymbolic: Bool) throws {
        let fixture = try MoveFixture(old: isSaved ? ["theme": "dark"] : [:])
        if !isSaved { try fixture.old.defaults.set("dark", forKey: "theme") }
        if isSymbolic {
            try FileManager.default.createSymbolicLink(at: fixture.new.file, withDestinationURL: fixture.old.file)
        } else {
            try FileManager.default.linkItem(at: fixture.old.file, to: fixture.new.file)
        }
        let bytes = try isSaved ? Data(contentsOf: fixture.old.file) : nil
        MoltError.thrown {
            try fixture.upgrade(fixture.move(removingSource: true))
        }?.expect(.unsupported, suite: fixture.old.suite.attachedName)
        if let bytes { #expect(try Data(contentsOf: fixture.old.file) == bytes) }
        #expect(try fixture.old.values == ["theme": "dark"])
    }
}
