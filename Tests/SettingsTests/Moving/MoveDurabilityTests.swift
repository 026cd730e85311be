import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `An interrupted move of settings` {
    private struct Cut: Error {}

    /// Runs the move, and a closure when all its changes, or only its removals, are about to be made.
    private func upgrade(
        _ fixture: MoveFixture,
        before part: AppliedPart = .add,
        _ body: @escaping @Sendable () throws -> Void = {}
    ) throws {
        // The destination is changed first.
        let suite = part == .add ? fixture.new.suite : fixture.old.suite
        try fixture.upgrade(fixture.move(onConflict: .replace, removingSource: true)) { point in
            if point == .before(part, of: suite) { try body() }
        }
    }

    /// Runs the move until its changes are made, where the closure fails or makes them fail.
    private func cutOff(
        _ fixture: MoveFixture,
        _ code: MoltError.Code = .suiteFailed,
        _ body: @escaping @Sendable () throws -> Void
    ) throws {
        MoltError.thrown { try upgrade(fixture, body) }?.expect(code, outcome: .committed)
        #expect(try CacheFile(at: fixture.cache.url).version() == 1)
    }

    @Test func `Values that the app sets in either suite before the next opening are kept`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 1, "c": 1], new: ["b": 0])
        try cutOff(fixture) { throw Cut() }
        try fixture.old.suite.set(2, forKey: "a")
        try fixture.new.suite.update(set: ["b": 3, "d": 4])
        try upgrade(fixture)
        try fixture.expect(old: ["a": 2], new: ["a": 1, "b": 3, "c": 1, "d": 4])
    }

    @Test func `A value that the destination had, and has no more after the commit, stays in the source`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2], new: ["a": 1])
        let new = fixture.new.suite
        try upgrade(fixture, before: .remove) { try new.removeValue(forKey: "a") }
        try fixture.expect(old: ["a": 1], new: ["b": 2])
    }

    @Test func `Values that later steps of the upgrade rename or remove in the destination leave the source`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 2, "c": 3])
        let new = fixture.new.suite
        try fixture.upgrade(
            fixture.move(removingSource: true),
            Migration(to: 2, "later", .renameSetting("a", to: "A", in: new), .removeSettings("b", in: new))
        )
        try fixture.expect(old: [:], new: ["A": 1, "c": 3])
    }

    @Test func `A value that was renamed in the destination is looked for under its new key`() throws {
        let fixture = try MoveFixture(old: ["a": 1])
        let (old, new) = (fixture.old.suite, fixture.new.suite)
        let rename = Migration(to: 2, "rename", .renameSetting("a", to: "A", in: new))
        try fixture.upgrade(fixture.move(removingSource: true), rename) { point in
            if point == .before(.remove, of: old) { try new.removeValue(forKey: "A") }
        }
        #expect(try fixture.old.values == ["a": 1])
    }

    #if os(Linux)
        @Test func `A destination that becomes a link to the source's file after the commit empties no suite`() throws {
            let fixture = try MoveFixture(old: ["a": 1])
            let (source, destination) = (try fixture.old.file, try fixture.new.file)
            try upgrade(fixture) {
                try FileManager.default.createSymbolicLink(at: destination, withDestinationURL: source)
            }
            #expect(try fixture.old.values == ["a": 1])
        }

        @Test
        func `A destination that had the values, and is damaged after the commit, is restored before the cleaning`()
            throws
        {
            let fixture = try MoveFixture(old: ["a": 1], new: ["a": 1, "b": 2])
            let file = try fixture.new.file
            try upgrade(fixture) { try Data("damage".utf8).write(to: file) }
            try fixture.expect(old: [:], new: ["a": 1, "b": 2])
        }

        @Test func `A destination that cannot be read when the source is to be cleaned stops the cleaning`() throws {
            let fixture = try MoveFixture(old: ["a": 1], new: ["a": 1])
            let (source, file) = (fixture.old.suite, try fixture.new.file)
            let whole = try Data(contentsOf: file)
            let move = fixture.move(onConflict: .replace, removingSource: true)
            MoltError.thrown {
                try fixture.upgrade(move) { point in
                    if point == .before(.remove, of: source) { try Data("damage".utf8).write(to: file) }
                }
            }?.expect(.settingUnreadable, outcome: .committed)
            #expect(try fixture.old.values == ["a": 1])
            try whole.write(to: file)
            try upgrade(fixture)
            try fixture.expect(old: [:], new: ["a": 1])
        }

        @Test func `A destination that cannot be written loses nothing, and a later opening finishes the move`() throws
        {
            let fixture = try MoveFixture(old: ["a": 1])
            let file = try fixture.new.file
            try cutOff(fixture, .suiteNotWritable) {
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            }
            #expect(try fixture.old.values == ["a": 1])
            // The destination still cannot be written: the opening fails again, and nothing is lost.
            MoltError.thrown { try upgrade(fixture) }
            #expect(try fixture.old.values == ["a": 1])
            try FileManager.default.removeItem(at: file)
            try upgrade(fixture)
            try fixture.expect(old: [:], new: ["a": 1])
        }
    #endif
}
