import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite(.enabled(if: TestHome.isAvailable)) struct `Backups of settings` {
    private let scratch: ScratchSuite
    private var suite: Suite { scratch.suite }

    init() throws {
        scratch = try ScratchSuite([
            "name": "n", "volume": 0.5, "when": .date(Date(timeIntervalSince1970: 1)),
            "bytes": .data(Data([0, 255])),
        ])
    }

    private func registry(_ version: Int) -> MigrationRegistry {
        let suite = suite
        return MigrationRegistry(
            (1...version).map { number in
                Migration(
                    to: number,
                    "change \(number)",
                    .settings(in: suite) { settings in
                        try settings.set(.int(Int64(number)), forKey: "version")
                        try settings.removeValue(forKey: "name")
                    }
                )
            }
        )
    }

    private func configuration(keep: Int = 2) -> MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy(keep: keep)
        return configuration
    }

    private var state: StoreState {
        get throws { try suite.upgradeState() }
    }

    // MARK: A suite as a store

    @Test func `A backup made before an upgrade restores every value and the version`() throws {
        let before = try scratch.allValues
        try suite.upgrade(with: registry(1), configuration: configuration())
        let backup = try #require(try suite.backups().first)
        #expect(try suite.backups().count == 1)
        #expect(backup.schemaVersion == 0 && backup.isAutomatic && backup.attachedStores == [])
        #expect(try StoreFile.state(at: backup.url).journal == [suite.attachedName])
        #expect(try FileManager.default.attributesOfItem(atPath: backup.url.path)[.posixPermissions] as? Int == 0o600)
        let after = try scratch.values
        #expect(after != before)

        try suite.set("later", forKey: "later")
        try suite.restore(backup)
        #expect(try scratch.allValues == before)
        #expect(try state == StoreState(version: 0, isFresh: false, ledger: []))
        // The migration runs again.
        #expect(try suite.upgrade(with: registry(1), configuration: configuration()).entries.count == 1)
        #expect(try scratch.values == after)
        let others = try scratch.otherFiles().filter { !$0.hasSuffix(".backup") && !$0.hasSuffix(".molt-lock") }
        #expect(others.count == 1 && others[0].hasSuffix(".replaced"), "\(others)")
    }

    @Test func `Restoring keeps the replaced settings as a backup that can be restored`() throws {
        let other = try ScratchSuite(["theme": "dark"])
        let backup = try suite.backUp(attaching: [other.suite])
        let before = try scratch.values
        try suite.set("later", forKey: "later")
        try other.suite.set("light", forKey: "theme")
        let after = (try scratch.values, try other.values)
        try suite.restore(backup, attaching: [other.suite])
        #expect(try scratch.values == before)
        #expect(try other.values == ["theme": "dark"])
        let kept = try #require(try suite.filesAside().first)
        #expect(!kept.isAutomatic && kept.attachedStores == [other.suite.attachedName])
        #expect(try suite.backups() == [backup])
        try suite.restore(kept, attaching: [other.suite])
        #expect(try scratch.values == after.0)
        #expect(try other.values == after.1)
        // The backup that was kept first is still there.
        let all = try suite.filesAside()
        #expect(all.count == 2 && all.last == kept)
        try suite.restore(backup, attaching: [other.suite], keepsReplaced: false)
        #expect(try suite.filesAside() == all)
        for file in all { try suite.removeBackup(file) }
        #expect(try suite.filesAside() == [])
    }

    /// Restores a backup of one suite while the changes of an upgrade to it and to another suite are pending.
    @Test(arguments: [true, false])
    func `Restoring over an interrupted upgrade keeps what the upgrade committed`(isAttached: Bool) throws {
        let other = try ScratchSuite(["theme": "dark"])
        let (suite, group) = (suite, other.suite)
        let backup = try suite.backUp()
        let before = try scratch.allValues
        try scratch.commit([
            Migration(to: 1, "change", .settings(in: suite) { try $0.set("changed", forKey: "name") }),
            Migration(to: 2, "change both", .settings(in: group) { try $0.set("light", forKey: "theme") }),
        ])
        #expect(try state.version == 2 && state.journal.count == 2)
        #expect(try scratch.values["name"] == "n")

        guard isAttached else {
            // The changes to the other suite could not be made.
            let error = #expect(throws: MoltError.self) { try suite.restore(backup) }
            #expect(error?.code == .notAttached && error?.attachedStore == group.attachedName)
            #expect(try scratch.allValues == before)
            #expect(try state.journal.count == 2)
            #expect(try suite.filesAside() == [])
            return
        }
        try suite.restore(backup, attaching: [group])
        #expect(try scratch.allValues == before)
        #expect(try other.values["theme"] == "light")
        #expect(try state.journal == [])
        let kept = try #require(try suite.filesAside().first)
        #expect(kept.schemaVersion == 2 && kept.attachedStores == [group.attachedName])
        try suite.restore(kept, attaching: [group])
        #expect(try scratch.values["name"] == "changed" && other.values["theme"] == "light")
        #expect(try state.version == 2 && state.journal.isEmpty)
        #expect(try scratch.history == ["change", "change both"])
        #expect(try other.history == ["change both"])
    }

    @Test func `A backup of another suite, or from another place, is refused unless that is allowed`() throws {
        let other = try ScratchSuite(["name": "other"])
        let backup = try suite.backUp(attaching: [other.suite])
        let error = #expect(throws: MoltError.self) { try other.suite.restore(backup) }
        error?.expect(.backupUnusable, says: "fromAnotherStore: true")
        #expect(try other.values == ["name": "other"])
        #expect(try other.suite.filesAside() == [])

        let elsewhere = try ScratchCache()
        var copied = backup
        copied.url = elsewhere.url.deletingLastPathComponent().appending(path: backup.url.lastPathComponent)
        try FileManager.default.copyItem(at: backup.url, to: copied.url)
        try suite.set("changed", forKey: "name")
        #expect(throws: MoltError.self) { try suite.restore(copied) }
        #expect(try scratch.values["name"] == "changed")
        try suite.restore(copied, attaching: [other.suite], fromAnotherStore: true)
        #expect(try scratch.values["name"] == "n")
        // The backup was listed before its directory was moved.
        try FileManager.default.removeItem(at: copied.url)
        try suite.set("changed", forKey: "name")
        try suite.restore(copied, attaching: [other.suite])
        #expect(try scratch.values["name"] == "n")

        // The settings of the backup go back to the suites that they are from.
        try suite.set("changed", forKey: "name")
        try other.suite.set("changed", forKey: "name")
        try other.suite.restore(backup, attaching: [suite], fromAnotherStore: true)
        #expect(try scratch.values["name"] == "n")
        #expect(try other.values == ["name": "other"])
    }

    #if os(Linux)
        @Test func `A backup can be restored over a file or a ledger that cannot be read`() throws {
            try suite.upgrade(with: registry(1))
            let before = try scratch.allValues
            let backup = try suite.backUp()
            for damage in [{ try scratch.writeFile("noise") }, { try suite.write(set: [Suite.ledgerKey: "noise"]) }] {
                try damage()
                try suite.restore(backup)
                #expect(try scratch.allValues == before)
            }
        }
    #endif

    // MARK: Older apps

    @Test func `A backup can be restored for an older app`() throws {
        try suite.upgrade(with: registry(1))
        let before = try scratch.allValues
        try suite.upgrade(with: registry(3), configuration: configuration())
        let after = try scratch.allValues
        let error = #expect(throws: MoltError.self) { try suite.upgrade(with: registry(1)) }
        error?.expect(.superseded, says: "Update the app", "restore a backup")
        #expect(try scratch.allValues == after)
        let backup = try #require(try suite.backups().first)
        #expect(backup.schemaVersion == 1)
        try suite.restore(backup)
        let report = try suite.upgrade(with: registry(1))
        #expect(report.isEmpty)
        #expect(try scratch.allValues == before)
        #expect(try state.version == 1)
    }

    /// Migration 3 moves the settings into a group, which only the backup made for it contains.
    private func moving(_ version: Int, into group: Suite) -> MigrationRegistry {
        let move = Migration.suiteToAppGroup(to: 3, from: suite, into: group, afterwards: .clean)
        return version < 3 ? registry(version) : MigrationRegistry(registry(2).migrations + [move])
    }

    /// As the guide says: from the newest backup to the wanted one, with an opening after each.
    @Test(arguments: [true, false]) func `Restoring newest to oldest restores suites of later backups too`(
        isCache: Bool
    ) throws {
        let other = try ScratchSuite(["theme": "dark"])
        let (cache, group, suite) = (try filledCache(), other.suite, suite)
        func upgrade(_ version: Int) throws {
            let migrations = moving(version, into: group)
            guard !isCache else {
                try cache.upgrade(migrations, attaching: [suite, group], backup: BackupPolicy(keep: 3))
                return
            }
            var configuration = configuration(keep: 3)
            configuration.attached = [group]
            try suite.upgrade(with: migrations, configuration: configuration)
        }
        try upgrade(1)
        try suite.set(12, forKey: "volume")
        try upgrade(2)
        try upgrade(3)
        #expect(try other.values["volume"] == 12 && other.values["theme"] == "dark")
        try group.set("later", forKey: "later")

        let backups = try (isCache ? CodableCache.backups(at: cache.url) : suite.backups())
            .filter { $0.schemaVersion >= 1 }
        #expect(backups.map(\.schemaVersion) == [2, 1])
        for backup in backups {
            if isCache {
                try CodableCache.restore(backup, at: cache.url, attaching: [suite, group])
            } else {
                try suite.restore(backup, attaching: [group])
            }
            try upgrade(backup.schemaVersion)
        }
        // As before the move of the later release.
        #expect(try other.values == ["theme": "dark"])
        #expect(try scratch.values["volume"] == 12)
        try suite.set(20, forKey: "volume")
        try upgrade(3)
        #expect(try other.values["volume"] == 20)
        // The first settings to be replaced are all kept, those of the group too.
        if !isCache {
            let kept = try #require(try suite.filesAside().last)
            try suite.restore(kept, attaching: [group])
            #expect(try other.values["later"] == "later" && other.values["volume"] == 12)
        }
    }

    // MARK: Suites of a cache

    /// Creates a cache with a record.
    private func filledCache() throws -> ScratchCache {
        let cache = try ScratchCache()
        try CodableCache(at: cache.url).set("value", forKey: "key")
        return cache
    }

    private var change: Migration {
        Migration(to: 1, "change", .settings(in: suite) { try $0.set("changed", forKey: "name") })
    }

    @Test func `A cache's backup contains the suites that the upgrade changes, and is restored with all of them`()
        throws
    {
        let (cache, other) = (try filledCache(), try ScratchSuite(["theme": "dark"]))
        let (suite, group) = (suite, other.suite)
        try cache.upgrade([change])
        let before = (try scratch.allValues, try other.allValues)
        let newer: MigrationRegistry = [change, .suiteToAppGroup(to: 2, from: suite, into: group, afterwards: .clean)]
        try cache.upgrade(newer, backup: BackupPolicy())
        let after = (try scratch.values, try other.values)
        #expect(after.0.isEmpty && after.1["name"] == "changed")
        #expect(try scratch.history == ["change"] && other.history == ["suite-to-app-group"])
        let backup = try #require(try CodableCache.backups(at: cache.url).first)
        #expect(backup.attachedStores == [suite.attachedName, group.attachedName])
        #expect(try StoreFile.state(at: backup.url).journal == backup.attachedStores)

        #expect(throws: MoltError.self) {
            try CodableCache.restore(backup, at: cache.url, attaching: [suite])
        }?.expect(.notAttached, says: "Pass \(group.attachedName) in")
        #expect(try StoreFile.state(at: cache.url).version == 2)
        #expect(try scratch.values == after.0 && other.values == after.1)

        try group.set("later", forKey: "later")
        try CodableCache.restore(backup, at: cache.url, attaching: [suite, group])
        // The next opening restores the settings, even if it upgrades nothing.
        #expect(try scratch.values == after.0 && other.values["theme"] == "dark")
        try cache.upgrade([change], attaching: [group])
        #expect(try scratch.allValues == before.0)
        #expect(try other.allValues == before.1)
        let state = try StoreFile.state(at: cache.url)
        #expect(state.version == 1 && state.journal == [])

        // The upgrade can run again.
        try cache.upgrade(newer)
        #expect(try scratch.values == after.0)
        #expect(try other.values == after.1)
    }

    @Test func `No backup of a cache is made while changes to suites are pending`() throws {
        struct Stop: Error {}
        let (cache, suite) = (try filledCache(), suite)
        #expect(throws: MoltError.self) { try cache.upgrade([change]) { if $0.kind == .beforeApply { throw Stop() } } }
        #expect(try StoreFile.state(at: cache.url).journal == [suite.attachedName])
        let error = #expect(throws: MoltError.self) { try CodableCache.backUp(at: cache.url, attaching: [suite]) }
        error?.expect(.backupFailed, says: "Open it first")
        #expect(try CodableCache.backups(at: cache.url) == [])
        try cache.upgrade([change])
        #expect(try scratch.values["name"] == "changed")
        let backup = try CodableCache.backUp(at: cache.url, attaching: [suite])
        #expect(backup.attachedStores == [suite.attachedName])
        #expect(try CodableCache.backups(at: cache.url) == [backup])
    }

    @Test func `A backup is made even if another process leaves changes between the plan and the lock`() throws {
        let (scratch, second) = (scratch, try ScratchSuite())
        func both(_ version: Int) -> MigrationRegistry {
            let other = Migration(to: 1, "second", .settings(in: second.suite) { try $0.set(1, forKey: "a") })
            return MigrationRegistry([other] + registry(version).migrations)
        }
        let killed = both(1)
        let isFirst = Locked(true)
        var configuration = configuration()
        configuration.monitor = MigrationMonitor { event in
            guard case .planned = event, isFirst.withLock({ $0 }) else { return }
            isFirst.withLock { $0 = false }
            do { try scratch.commit(killed) } catch { Issue.record(error) }
        }
        try suite.upgrade(with: both(2), configuration: configuration)
        #expect(try state.version == 2)
        #expect(try suite.backups().map(\.schemaVersion) == [1])
        #expect(try second.values == ["a": 1])
        try suite.restore(try #require(try suite.backups().first))
        #expect(try state.version == 1 && state.journal.isEmpty)
        #expect(try scratch.values["version"] == 1)
    }

    @Test func `Restoring a cache's backup keeps the replaced settings of the attached suites`() throws {
        let (cache, suite) = (try filledCache(), suite)
        func restore(_ backup: StoreBackup) throws {
            try CodableCache.restore(backup, at: cache.url, attaching: [suite])
        }
        func kept() throws -> StoreBackup { try #require(try CodableCache.filesAside(at: cache.url).first) }
        let backup = try CodableCache.backUp(at: cache.url, attaching: [suite])
        try suite.set("newest", forKey: "name")
        let newest = try scratch.values
        try restore(backup)
        // The next backup has the pending changes, not the suite's intermediate state.
        try restore(backup)
        let journal = "SELECT store, hex(changes) FROM molt_journal ORDER BY id"
        #expect(try SQLite(kept().url).rows(journal) == SQLite(backup.url).rows(journal))
        try cache.upgrade([], attaching: [suite])
        #expect(try scratch.values["name"] == "n")

        try suite.set("newest", forKey: "name")
        try restore(backup)
        let replaced = try kept()
        #expect(replaced.attachedStores == [suite.attachedName])
        try cache.upgrade([], attaching: [suite])
        #expect(try scratch.values["name"] == "n")
        try restore(replaced)
        try cache.upgrade([], attaching: [suite])
        #expect(try scratch.values == newest)
    }

    // MARK: Releases that do not know a suite

    /// A release that goes back to before a move into an app group cannot know the group.
    @Test func `Restoring a cache brings the records back, and leaves a suite as it is if that is asked for`() throws {
        let (app, group) = (try ScratchSuite(["theme": "dark"]), try ScratchSuite(["since": 3]))
        let cache = try filledCache()
        let old: MigrationRegistry = [Migration(to: 1, "first")]
        try cache.upgrade(old)
        let new = MigrationRegistry(
            old.migrations + [
                .suiteToAppGroup(to: 2, from: app.suite, into: group.suite, afterwards: .clean),
                Migration(to: 3, "gone", .deleteType("String")),
            ]
        )
        try cache.upgrade(new, backup: BackupPolicy())
        let backup = try #require(try CodableCache.backups(at: cache.url).first)
        #expect(backup.attachedStores.sorted() == [app, group].map(\.suite.attachedName).sorted())
        func restore(leavingUnattached leaves: Bool) throws -> [String] {
            try CodableCache.restore(backup, at: cache.url, attaching: [app.suite], leavingUnattached: leaves)
        }
        let error = #expect(throws: MoltError.self) { try restore(leavingUnattached: false) }
        error?.expect(.notAttached, says: "leavingUnattached: true")
        #expect(try restore(leavingUnattached: true) == [group.suite.attachedName])

        try cache.upgrade(old, attaching: [app.suite])
        #expect(try CodableCache(at: cache.url, migrations: old).value(String.self, forKey: "key") == "value")
        #expect(try app.values == ["theme": "dark"])
        #expect(try group.values == ["since": 3, "theme": "dark"])
    }

    @Test func `Restoring a suite leaves another one as it is if that is asked for`() throws {
        let (app, group) = (try ScratchSuite(["theme": "dark"]), try ScratchSuite(["since": 3]))
        let backup = try app.suite.backUp(attaching: [group.suite])
        try app.suite.set("light", forKey: "theme")
        try group.suite.set(4, forKey: "since")
        #expect(throws: MoltError.self) { try app.suite.restore(backup) }
        #expect(try app.values["theme"] == "light")
        #expect(try app.suite.restore(backup, leavingUnattached: true) == [group.suite.attachedName])
        #expect(try app.values["theme"] == "dark")
        #expect(try group.values == ["since": 4])
    }
}
