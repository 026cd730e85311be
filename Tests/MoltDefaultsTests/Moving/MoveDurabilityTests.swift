import Foundation
import MoltCache
import MoltCore
import MoltDefaults
import MoltPlatform
import Testing

@Suite struct `An interrupted move of settings` {
    private struct Cut: Error {}

    #if CHILD_PROCESSES
        @Test func `A move killed before the copy is finished by the next opening`() async throws {
            let fixture = try MoveFixture(old: ["a": 1, "b": "two"])
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    old = fixture.old.suite.domainName as String, new = fixture.new.suite.domainName as String,
                    path = fixture.cache.url.path as String
                ] in
                let interruption = Interruption { phase in if phase == .add { kill(getpid(), SIGKILL) } }
                _ = try CodableCache(
                    at: URL(filePath: path),
                    migrations: [
                        interruption.migration,
                        .suiteToAppGroup(to: 2, "move", from: Suite(old), into: Suite(new), afterwards: .clean),
                    ]
                )
            }
            #expect(try fixture.old.values == ["a": 1, "b": "two"])
            #expect(try fixture.new.values.isEmpty)
            try fixture.upgrade(Interruption { _ in }.migration, fixture.move(to: 2, afterwards: .clean))
            #expect(try fixture.old.values.isEmpty)
            #expect(try fixture.new.values == ["a": 1, "b": "two"])
        }
    #endif

    #if CHILD_PROCESSES
        @Test func `A move killed between the copy and the cleaning is finished by the next opening`() async throws {
            let fixture = try MoveFixture(old: ["a": 1, "b": "two"])
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    old = fixture.old.suite.domainName as String, new = fixture.new.suite.domainName as String,
                    path = fixture.cache.url.path as String
                ] in
                let interruption = Interruption { phase in if phase == .remove { kill(getpid(), SIGKILL) } }
                _ = try CodableCache(
                    at: URL(filePath: path),
                    migrations: [
                        interruption.migration,
                        .suiteToAppGroup(to: 2, "move", from: Suite(old), into: Suite(new), afterwards: .clean),
                    ]
                )
            }
            #expect(try fixture.old.values == ["a": 1, "b": "two"])
            #expect(try fixture.new.values == ["a": 1, "b": "two"])
            try fixture.upgrade(Interruption { _ in }.migration, fixture.move(to: 2, afterwards: .clean))
            #expect(try fixture.old.values.isEmpty)
            #expect(try fixture.new.values == ["a": 1, "b": "two"])
        }
    #endif

    /// Runs the move until its changes are applied, and then the closure.
    private func cutOff(
        _ fixture: MoveFixture,
        _ body: @escaping @Sendable (AttachedPhase) throws -> Void
    ) throws {
        let error = #expect(throws: MigrationError.self) {
            try fixture.upgrade(
                Interruption(body: body).migration,
                fixture.move(to: 2, conflict: .sourceWins, afterwards: .clean)
            )
        }
        #expect(error?.code == .attachedStoreFailed)
        #expect(try CodableCache.schemaVersion(ofFileAt: fixture.cache.url) == 2)
    }

    private func goOn(_ fixture: MoveFixture) throws -> MigrationReport {
        try fixture.upgrade(
            Interruption { _ in }.migration,
            fixture.move(to: 2, conflict: .sourceWins, afterwards: .clean)
        )
    }

    @Test func `Values that the app sets in either suite before the next opening are kept`() throws {
        let fixture = try MoveFixture(old: ["a": 1, "b": 1, "c": 1], new: ["b": 0])
        try cutOff(fixture) { _ in throw Cut() }
        try fixture.old.suite.set(2, forKey: "a")
        try fixture.new.suite.update(set: ["b": 3, "d": 4])
        _ = try goOn(fixture)
        #expect(try fixture.new.values == ["a": 1, "b": 3, "c": 1, "d": 4])
        #expect(try fixture.old.values == ["a": 2])
    }

    #if os(Linux)
        @Test func `A destination that cannot be written loses nothing, and a later opening finishes the move`() throws
        {
            let fixture = try MoveFixture(old: ["a": 1])
            let file = try fixture.new.file
            try cutOff(fixture) { phase in
                guard phase == .add else {
                    Issue.record("Something is removed.")
                    return
                }
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            }
            #expect(try fixture.old.values == ["a": 1])
            // The destination still cannot be written: the opening fails again, and nothing is lost.
            #expect(throws: MigrationError.self) { try goOn(fixture) }
            #expect(try fixture.old.values == ["a": 1])
            try FileManager.default.removeItem(at: file)
            _ = try goOn(fixture)
            #expect(try fixture.old.values.isEmpty)
            #expect(try fixture.new.values == ["a": 1])
        }

        @Test(arguments: [true, false])
        func `An unreadable suite fails the move, which runs once the suite is readable`(isSource: Bool) throws {
            let fixture = try MoveFixture(old: ["a": 1], new: ["b": 2])
            let suite = isSource ? fixture.old : fixture.new
            let whole = try Data(contentsOf: suite.file)
            let damage = Data("damage".utf8)
            try suite.writeFile(damage)
            let error = #expect(throws: MigrationError.self) {
                try fixture.upgrade(fixture.move(afterwards: .clean))
            }
            #expect(error?.code == .attachedStoreFailed)
            #expect((error?.underlying as? DefaultsError)?.code == .unreadable)
            #expect(try Data(contentsOf: suite.file) == damage)
            #expect(try CodableCache.schemaVersion(ofFileAt: fixture.cache.url) == nil)
            try suite.writeFile(whole)
            try fixture.upgrade(fixture.move(afterwards: .clean))
            #expect(try fixture.new.values == ["a": 1, "b": 2])
            #expect(try fixture.old.values.isEmpty)
        }
    #endif
}
