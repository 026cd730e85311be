import Foundation
import Molt
import TestSupport
import Testing

@Suite(.enabled(if: TestHome.isAvailable)) struct `Backups of settings` {
    private static let old: [String: PropertyListValue] = [
        "name": "n", "volume": 0.5, "when": .date(Date(timeIntervalSince1970: 1)), "bytes": .data(Data([0, 255])),
    ]

    private let scratch: ScratchSuite
    private var suite: Suite { scratch.suite }

    init() throws {
        scratch = try ScratchSuite(Self.old)
    }

    private func registry(_ version: Int) -> MigrationRegistry {
        let suite = suite
        return MigrationRegistry(
            (1...version).map { number in
                let step = MigrationStep.changeSettings(in: suite) { settings in
                    try settings.set(.int(Int64(number)), forKey: "version")
                    try settings.removeValue(forKey: "name")
                }
                return Migration(to: number, "change \(number)", step)
            }
        )
    }

    private let configuration = MoltConfiguration { $0.backup = BackupPolicy(keep: 2) }

    private var state: StoreState {
        get throws { try suite.upgradeState() }
    }

    // MARK: A suite as a store

    /// A release goes back to the version of an older app, which can then be used again.
    @Test func `A backup made before an upgrade restores every value and the version for an older app`() throws {
        let untouched = try scratch.allValues
        let first = try suite.backUp()
        try suite.upgrade(with: registry(1))
        try suite.restore(first, keepingReplaced: false)
        try expect(scratch.allValues, is: untouched)
        try state.expect(version: 0)
        try suite.remove(first)

        try suite.upgrade(with: registry(1))
        let before = try scratch.allValues
        try suite.upgrade(with: registry(3), configuration: configuration)
        let backup = try #require(try suite.backups().first)
        try expect(suite.backups(), is: [backup])
        #expect(backup.version == 1 && backup.isAutomatic && backup.suites == [])
        try expect(StoreFile.state(at: backup.url).journal, is: [suite.attachedName])
        try expect(FileManager.default.attributesOfItem(atPath: backup.url.path)[.posixPermissions] as? Int, is: 0o600)
        let after = try scratch.values

        try scratch.expectUnchanged {
            let error = MoltError.thrown { try suite.upgrade(with: registry(1)) }
            error?.expect(.superseded, says: "Update the app")
            #expect(error?.advice?.hasSuffix("restore a backup with `Suite.restore(_:)`.") == true)
        }
        // The advice for a cache would be wrong.
        let limited = MoltConfiguration { $0.hooks.attemptLimit = 0 }
        let later = Migration(to: 5, "later", .removeSettings("theme", in: suite))
        let retired = MigrationRegistry([later]).oldestVersion(4)
        let refused = [
            MoltError.thrown { try suite.upgrade(with: registry(4), configuration: limited) },
            MoltError.thrown { try suite.upgrade(with: retired) },
        ]
        #expect(refused.map(\.?.code) == [.attemptsFailed, .tooOld])
        for error in refused { #expect(error?.advice?.contains("ache") == false, "\(error?.advice ?? "")") }
        try suite.set("later", forKey: "later")
        try suite.restore(backup)
        try expect(scratch.allValues, is: before)
        try expect(suite.upgrade(with: registry(1)).isEmpty, is: true)
        try state.expect(version: 1)
        let report = try suite.upgrade(with: registry(3), configuration: configuration)
        #expect(report.outline == ["change 2 ran", "change 3 ran"])
        try scratch.expect(after)
        let others = try scratch.otherFiles().filter { name in
            ![".backup", ".molt-lock", ".molt-ledger"].contains { name.hasSuffix($0) }
        }
        #expect(others.count == 1 && others[0].hasSuffix(".replaced"), "\(others)")
    }

    @Test func `If the file of an unfinished upgrade is damaged, the advice leads back to the settings`() throws {
        let backup = try suite.backUp()
        let file = try SuiteFiles(suite).store
        try Data(repeating: 7, count: 9_000).write(to: file)
        let calls: [() throws -> Void] = [
            { _ = try suite.upgrade(with: registry(1)) }, { _ = try suite.restore(backup) },
        ]
        for call in calls {
            let error = MoltError.thrown(by: call)
            error?.expect(.notADatabase, store: file.path, says: "Move it away", "with `Suite.restore(_:)`")
            #expect(error?.advice?.contains("CodableCache") == false)
        }
        try FileManager.default.removeItem(at: file)
        try suite.restore(backup)
        try suite.upgrade(with: registry(1))
    }

    @Test func `Restoring keeps the replaced settings as a backup that can be restored`() throws {
        let other = try ScratchSuite(["theme": "dark"])
        let backup = try suite.backUp(suites: [other.suite])
        let before = try scratch.values
        try suite.set("later", forKey: "later")
        try other.suite.set("light", forKey: "theme")
        let after = try scratch.values
        try suite.restore(backup, suites: [other.suite])
        try scratch.expect(before)
        try other.expect(["theme": "dark"])
        let kept = try #require(try suite.filesAside().first)
        #expect(!kept.isAutomatic && kept.suites == [other.suite.attachedName])
        try expect(suite.backups(), is: [backup])
        try suite.restore(kept, suites: [other.suite])
        try scratch.expect(after)
        try other.expect(["theme": "light"])
        // The backup that was kept first is still there.
        let all = try suite.filesAside()
        #expect(all.count == 2 && all.last == kept)
        try suite.restore(backup, suites: [other.suite], keepingReplaced: false)
        try expect(suite.filesAside(), is: all)
        for file in all { try suite.remove(file) }
        try expect(suite.filesAside(), is: [])
    }

    /// Restores a backup of one suite while the changes of an upgrade to it and to another suite are pending.
    @Test(arguments: [true, false])
    func `Restoring over an interrupted upgrade keeps what the upgrade committed`(isAttached: Bool) throws {
        let other = try ScratchSuite(["theme": "dark"])
        let (suite, group) = (suite, other.suite)
        let backup = try suite.backUp()
        let before = try scratch.allValues
        try scratch.commit([
            Migration(to: 1, "change", .changeSettings(in: suite) { try $0.set("changed", forKey: "name") }),
            Migration(to: 2, "change both", .changeSettings(in: group) { try $0.set("light", forKey: "theme") }),
        ])
        let pending = try state
        pending.expect(version: 2, journal: [suite, group].map(\.attachedName))

        guard isAttached else {
            // The changes to the other suite could not be made.
            MoltError.thrown { try suite.restore(backup) }?.expect(.suiteNotNamed, suite: group.attachedName)
            try expect(scratch.allValues, is: before)
            try expect(state, is: pending)
            return try expect(suite.filesAside(), is: [])
        }
        try suite.restore(backup, suites: [group])
        try expect(scratch.allValues, is: before)
        try other.expect(["theme": "light"])
        try state.expect(version: 0)
        let kept = try #require(try suite.filesAside().first)
        #expect(kept.version == 2 && kept.suites == [group.attachedName])
        try suite.restore(kept, suites: [group])
        try scratch.expect(Self.old.merging(["name": "changed"]) { $1 }, history: ["change", "change both"])
        try other.expect(["theme": "light"], history: ["change both"])
        try state.expect(version: 2)
    }

    @Test func `A backup of another suite, or from another place, is refused unless that is allowed`() throws {
        let other = try ScratchSuite(["name": "other"])
        let backup = try suite.backUp(suites: [other.suite])
        MoltError.thrown { try other.suite.restore(backup) }?.expect(.backupUnusable, says: "fromAnotherStore: true")
        try other.expect(["name": "other"])
        try expect(other.suite.filesAside(), is: [])

        let elsewhere = try ScratchCache()
        var copied = backup
        copied.url = elsewhere.directory.appending(path: backup.url.lastPathComponent)
        try FileManager.default.copyItem(at: backup.url, to: copied.url)
        let changed = Self.old.merging(["name": "changed"]) { $1 }
        try suite.set("changed", forKey: "name")
        MoltError.thrown { try suite.restore(copied) }
        try scratch.expect(changed)
        try suite.restore(copied, suites: [other.suite], fromAnotherStore: true)
        try scratch.expect(Self.old)
        // The backup was listed before its directory was moved.
        try FileManager.default.removeItem(at: copied.url)
        try suite.set("changed", forKey: "name")
        try suite.restore(copied, suites: [other.suite])
        try scratch.expect(Self.old)

        // The settings of the backup go back to the suites that they are from.
        try suite.set("changed", forKey: "name")
        try other.suite.set("changed", forKey: "name")
        try other.suite.restore(backup, suites: [suite], fromAnotherStore: true)
        try scratch.expect(Self.old)
        try other.expect(["name": "other"])
    }

    #if os(Linux)
        @Test func `A backup can be restored over a file or a ledger that cannot be read`() throws {
            try suite.upgrade(with: registry(1))
            let before = try scratch.allValues
            let backup = try suite.backUp()
            for damage in [{ try scratch.writeFile("noise") }, { try suite.write(set: [Suite.ledgerKey: "noise"]) }] {
                try damage()
                try suite.restore(backup)
                try expect(scratch.allValues, is: before)
            }
        }
    #endif

    // MARK: Older apps

    /// Migration 3 moves the settings into a group, which only the backup made for it contains.
    private func moving(_ version: Int, into group: Suite) -> MigrationRegistry {
        let move = Migration.suiteToAppGroup(to: 3, from: suite, into: group, removingSource: true)
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
            let configuration = MoltConfiguration {
                $0.backup = BackupPolicy(keep: 3)
                $0.suites = [group]
            }
            try suite.upgrade(with: migrations, configuration: configuration)
        }
        try upgrade(1)
        try suite.set(12, forKey: "volume")
        try upgrade(2)
        try upgrade(3)
        var moved = Self.old.merging(["volume": 12, "version": 2, "theme": "dark"]) { $1 }
        moved["name"] = nil
        try other.expect(moved)
        try group.set("later", forKey: "later")

        let backups = try (isCache ? CacheFile(at: cache.url).backups() : suite.backups())
            .filter { $0.version >= 1 }
        #expect(backups.map(\.version) == [2, 1])
        for backup in backups {
            if isCache {
                try CacheFile(at: cache.url).restore(backup, suites: [suite, group])
            } else {
                try suite.restore(backup, suites: [group])
            }
            try upgrade(backup.version)
        }
        // As before the move of the later release.
        try other.expect(["theme": "dark"])
        let volume = try suite.value(forKey: "volume")
        #expect(volume == 12)
        try suite.set(20, forKey: "volume")
        try upgrade(3)
        try other.expect(moved.merging(["volume": 20]) { $1 })
        // The first settings to be replaced are all kept, those of the group too.
        if !isCache {
            let kept = try #require(try suite.filesAside().last)
            try suite.restore(kept, suites: [group])
            try other.expect(moved.merging(["later": "later"]) { $1 })
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
        Migration(to: 1, "change", .changeSettings(in: suite) { try $0.set("changed", forKey: "name") })
    }

    @Test func `A cache's backup contains the suites that the upgrade changes, and is restored with all of them`()
        throws
    {
        let (cache, other) = (try filledCache(), try ScratchSuite(["theme": "dark"]))
        let (suite, group) = (suite, other.suite)
        try cache.upgrade([change])
        let before = try [scratch, other].map { try $0.allValues }
        let newer: MigrationRegistry = [
            change, .suiteToAppGroup(to: 2, from: suite, into: group, removingSource: true),
        ]
        try cache.upgrade(newer, backup: BackupPolicy())
        let moved = Self.old.merging(["name": "changed", "theme": "dark"]) { $1 }
        try scratch.expect([:], history: ["change"])
        try other.expect(moved, history: ["suite-to-app-group"])
        let backup = try #require(try CacheFile(at: cache.url).backups().first)
        #expect(backup.suites == [suite.attachedName, group.attachedName])
        try expect(StoreFile.state(at: backup.url).journal, is: backup.suites)

        MoltError.thrown {
            try CacheFile(at: cache.url).restore(backup, suites: [suite])
        }?.expect(.suiteNotNamed, says: "Pass \(group.attachedName) in")
        try StoreFile.state(at: cache.url).expect(version: 2)
        try scratch.expect([:])
        try other.expect(moved)

        try group.set("later", forKey: "later")
        try CacheFile(at: cache.url).restore(backup, suites: [suite, group])
        // The next opening restores the settings, even if it upgrades nothing.
        try scratch.expect([:])
        try other.expect(moved.merging(["later": "later"]) { $1 })
        try cache.upgrade([change], attaching: [group])
        try expect([scratch, other].map { try $0.allValues }, is: before)
        try StoreFile.state(at: cache.url).expect(version: 1)

        // The upgrade can run again.
        try cache.upgrade(newer)
        try scratch.expect([:])
        try other.expect(moved)
    }

    @Test func `No backup of a cache is made while changes to suites are pending`() throws {
        let (cache, suite) = (try filledCache(), suite)
        interrupt { try cache.upgrade([change], $0) }
        try StoreFile.state(at: cache.url).expect(version: 1, journal: [suite.attachedName])
        MoltError.thrown {
            try CacheFile(at: cache.url).backUp(suites: [suite])
        }?.expect(.backupFailed, says: "Open it first")
        try expect(CacheFile(at: cache.url).backups(), is: [])
        try cache.upgrade([change])
        try scratch.expect(Self.old.merging(["name": "changed"]) { $1 })
        let backup = try CacheFile(at: cache.url).backUp(suites: [suite])
        #expect(backup.suites == [suite.attachedName])
        try expect(CacheFile(at: cache.url).backups(), is: [backup])
    }

    @Test func `A backup is made even if another process leaves changes between the plan and the lock`() throws {
        let (scratch, second) = (scratch, try ScratchSuite())
        func both(_ version: Int) -> MigrationRegistry {
            let other = Migration(to: 1, "second", .changeSettings(in: second.suite) { try $0.set(1, forKey: "a") })
            return MigrationRegistry([other] + registry(version).migrations)
        }
        let killed = both(1)
        var configuration = configuration
        configuration.monitor = .afterPlanning { try scratch.commit(killed) }
        try suite.upgrade(with: both(2), configuration: configuration)
        try state.expect(version: 2)
        let backups = try suite.backups()
        #expect(backups.map(\.version) == [1])
        try second.expect(["a": 1])
        try suite.restore(try #require(backups.first))
        try state.expect(version: 1)
        try expect(suite.value(forKey: "version"), is: 1)
    }

    @Test func `Restoring a cache's backup keeps the replaced settings of the attached suites`() throws {
        let (cache, suite) = (try filledCache(), suite)
        func restore(_ backup: StoreBackup) throws {
            try CacheFile(at: cache.url).restore(backup, suites: [suite])
        }
        func kept() throws -> StoreBackup { try #require(try CacheFile(at: cache.url).filesAside().first) }
        func journal(of backup: StoreBackup) throws -> [[String]] {
            try SQLite(backup.url).rows("SELECT store, hex(changes) FROM molt_journal ORDER BY id")
        }
        let backup = try CacheFile(at: cache.url).backUp(suites: [suite])
        let newest = Self.old.merging(["name": "newest"]) { $1 }
        try suite.set("newest", forKey: "name")
        try restore(backup)
        // The next backup has the pending changes, not the suite's intermediate state.
        try restore(backup)
        try expect(journal(of: kept()), is: journal(of: backup))
        try cache.upgrade([], attaching: [suite])
        try scratch.expect(Self.old)

        try suite.set("newest", forKey: "name")
        try restore(backup)
        let replaced = try kept()
        #expect(replaced.suites == [suite.attachedName])
        try cache.upgrade([], attaching: [suite])
        try scratch.expect(Self.old)
        try restore(replaced)
        try cache.upgrade([], attaching: [suite])
        try scratch.expect(newest)
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
                .suiteToAppGroup(to: 2, from: app.suite, into: group.suite, removingSource: true),
                Migration(to: 3, "gone", .deleteType("String")),
            ]
        )
        try cache.upgrade(new, backup: BackupPolicy())
        let backup = try #require(try CacheFile(at: cache.url).backups().first)
        #expect(backup.suites.sorted() == [app, group].map(\.suite.attachedName).sorted())
        func restore(leavingOthers leaves: Bool) throws -> [String] {
            try CacheFile(at: cache.url).restore(backup, suites: [app.suite], leavingOthers: leaves)
        }
        MoltError.thrown { try restore(leavingOthers: false) }?.expect(
            .suiteNotNamed,
            says: "leavingOthers: true"
        )
        try expect(restore(leavingOthers: true), is: [group.suite.attachedName])

        try cache.upgrade(old, attaching: [app.suite])
        try expect(CodableCache(at: cache.url, migrations: old).value(String.self, forKey: "key"), is: "value")
        try app.expect(["theme": "dark"])
        try group.expect(["since": 3, "theme": "dark"])
    }

    @Test func `Restoring a suite leaves another one as it is if that is asked for`() throws {
        let (app, group) = (try ScratchSuite(["theme": "dark"]), try ScratchSuite(["since": 3]))
        let backup = try app.suite.backUp(suites: [group.suite])
        try app.suite.set("light", forKey: "theme")
        try group.suite.set(4, forKey: "since")
        MoltError.thrown { try app.suite.restore(backup) }
        try app.expect(["theme": "light"])
        try expect(app.suite.restore(backup, leavingOthers: true), is: [group.suite.attachedName])
        try app.expect(["theme": "dark"])
        try group.expect(["since": 4])
    }
}
