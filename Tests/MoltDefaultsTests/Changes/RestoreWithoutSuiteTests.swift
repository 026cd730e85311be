import Foundation
import Testing

@testable import Molt

/// A release that goes back to before a move into an app group cannot know the group.
@Suite("Restoring a cache by a release that does not know a suite") struct RestoreWithoutSuiteTests {
    @Test func `brings the records back, and leaves the suite as it is if that is asked for`() throws {
        let (app, group) = (try ScratchSuite(["theme": "dark"]), try ScratchSuite(["since": 3]))
        let cache = try ScratchCache()
        let old: MigrationRegistry = [Migration(to: 1, "first")]
        let first = try CodableCache(at: cache.url, migrations: old)
        try first.set("value", forKey: "key")
        first.close()
        var configuration = CodableCache.Configuration()
        configuration.backup = BackupPolicy()
        let new = MigrationRegistry(
            old.migrations + [
                .suiteToAppGroup(to: 2, from: app.suite, into: group.suite, afterwards: .clean),
                Migration(to: 3, "gone", .deleteType("String")),
            ]
        )
        try CodableCache(at: cache.url, migrations: new, configuration: configuration).close()
        let backup = try #require(try CodableCache.backups(at: cache.url).first)
        #expect(backup.attachedStores.sorted() == [app, group].map(\.suite.attachedName).sorted())

        let error = #expect(throws: MoltError.self) {
            try CodableCache.restore(backup, at: cache.url, attaching: [app.suite])
        }
        #expect(error?.code == .notAttached)
        #expect(error?.message.contains("leavingUnattached: true") == true)
        let left = try CodableCache.restore(
            backup,
            at: cache.url,
            attaching: [app.suite],
            leavingUnattached: true
        )

        #expect(left == [group.suite.attachedName])
        configuration.backup = nil
        configuration.attached = [app.suite]
        let restored = try CodableCache(at: cache.url, migrations: old, configuration: configuration)
        #expect(try restored.value(String.self, forKey: "key") == "value")
        #expect(try app.values == ["theme": "dark"])
        #expect(try group.values == ["since": 3, "theme": "dark"])
    }
    @Test func `works for the backup of a suite, too`() throws {
        let (app, group) = (try ScratchSuite(["theme": "dark"]), try ScratchSuite(["since": 3]))
        let backup = try app.suite.backUp(attaching: [group.suite])
        try app.suite.set("light", forKey: "theme")
        try group.suite.set(4, forKey: "since")

        #expect(throws: MoltError.self) { try app.suite.restore(backup) }
        #expect(try app.values["theme"] == "light")
        let left = try app.suite.restore(backup, leavingUnattached: true)

        #expect(left == [group.suite.attachedName])
        #expect(try app.values["theme"] == "dark")
        #expect(try group.values == ["since": 4])
    }
}
