import Foundation
import Molt
import Testing

@Suite struct `Restoring a backup` {
    let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
    }

    /// A store with a backup at version 1, upgraded and changed since.
    private func upgraded() throws -> (backup: StoreBackup, before: StoreContents) {
        try scenario.fill(1)
        let before = try scenario.contents
        let cache = try scenario.open(2)
        try cache.set(Person.jane, forKey: "later")
        try cache.remove(forKey: "1")
        cache.close()
        return (try #require(try scenario.backups.first), before)
    }

    @Test func `brings back every record, the version and the ledger, byte for byte, and keeps the backup`() throws {
        let (backup, before) = try upgraded()
        let bytes = try Data(contentsOf: backup.url)
        try CacheFile(at: scenario.url).restore(backup)
        try scenario.expectContents(before)
        #expect(try Data(contentsOf: backup.url) == bytes)
        let kept = try #require(try CacheFile(at: scenario.url).filesAside().first)
        try scenario.expectOtherNames(backup.url.lastPathComponent, kept.url.lastPathComponent)
        #expect(try SQLite(scenario.url).text("PRAGMA journal_mode") == "wal")
        let cache = try scenario.open(1)
        #expect(cache.report.isEmpty)
        cache.close()
        // The store can be upgraded again, and restored again.
        for _ in 0..<2 {
            let cache = try scenario.open(2, MoltConfiguration())
            #expect(cache.report.entries.map(\.migration.name) == ["add-2"])
            cache.close()
            try CacheFile(at: scenario.url).restore(backup)
            try scenario.expectContents(before)
        }
    }

    @Test func `creates a missing file or directory, which only its owner may read`() throws {
        let (backup, before) = try upgraded()
        func permissions(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        scenario.removeFiles()
        try CacheFile(at: scenario.url).restore(backup)
        try scenario.expectContents(before)
        #expect(try permissions(scenario.url) == 0o600)
        let directory = scenario.scratch.file("new")
        let url = directory.appending(path: "deep/cache.molt")
        try CacheFile(at: url).restore(backup, fromAnotherStore: true)
        try scenario.expectContents(before, at: url)
        #expect(try permissions(directory) == 0o700)
        #expect(try CacheFile(at: url).filesAside() == [])
    }

    @Test func `A copy of a backup can be used as the store's file`() throws {
        let (backup, before) = try upgraded()
        try FileManager.default.removeItem(at: scenario.url)
        try FileManager.default.copyItem(at: backup.url, to: scenario.url)
        try scenario.expectContents(before)
        let cache = try scenario.open(2)
        #expect(try cache.count() == 3)
        #expect(try SQLite(scenario.url).text("PRAGMA journal_mode") == "wal")
    }

    @Test func `into an intact file with another page size is refused`() throws {
        let (backup, _) = try upgraded()
        scenario.removeFiles()
        let store = StoreFile(at: scenario.url)
        store.options.pageSize = 1024
        _ = try Migrator(BackupScenario.registry(2)).migrate(store)
        #expect(try SQLite(scenario.url).text("PRAGMA page_size") == "1024")
        try scenario.expectRefusal(.restoreFailed, says: "page sizes") {
            try CacheFile(at: scenario.url).restore(backup)
        }
        store.close()
    }

    // MARK: Other connections

    /// Even if the version and the ledger are the same as before.
    @Test(arguments: [1, 2])
    func `An open cache reads the old values until the restore, and then throws an error`(version: Int) throws {
        try scenario.fill(1)
        let backup = try CacheFile(at: scenario.url).backUp()
        let open = try scenario.open(version)
        try open.set(Person.jane, forKey: "1")
        #expect(try open.value(Person.self, forKey: "1") == .jane)
        try CacheFile(at: scenario.url).restore(backup)
        for _ in 0..<2 {
            let error = MoltError.thrown {
                try open.value(Person.self, forKey: "1")
            }
            error?.expect(.storeChanged, says: "restored a backup")
            if version == 2 { error?.expect(storeVersion: 1, registryVersion: 2) }
            #expect(error?.message.contains("from version 1 to 1") == false)
            MoltError.thrown { try open.set(Person.jane, forKey: "x") }?.expect(.storeChanged)
        }
        #expect(try scenario.open(version).value(Person.self, forKey: "1") == .john)
    }

    @Test func `waits for a writer until its timeout, and then changes nothing; a reader keeps its snapshot`() throws {
        let (backup, _) = try upgraded()
        let reader = try SQLite(scenario.url)
        let select = "SELECT key, content FROM molt_record ORDER BY id"
        let writer = try SQLite(scenario.url)
        try writer.run("BEGIN IMMEDIATE")
        try scenario.expectRefusal(.busy) {
            try CacheFile(at: scenario.url).restore(backup, timeout: .milliseconds(200))
        }
        try writer.run("ROLLBACK")
        try reader.run("BEGIN")
        let seen = try reader.rows(select)
        try CacheFile(at: scenario.url).restore(backup)
        #expect(try reader.rows(select) == seen)
        try reader.run("COMMIT")
        #expect(try reader.rows(select) != seen)
    }

    // MARK: Refusals

    @Test func `A damaged, foreign, empty, missing or linked backup is refused, and nothing is changed`() throws {
        let (backup, _) = try upgraded()
        let bytes = try Data(contentsOf: backup.url)
        func expectRefusal(_ words: String, _ change: () throws -> Void) throws {
            try? FileManager.default.removeItem(at: backup.url)
            try change()
            let error = try scenario.expectRefusal(.backupUnusable, says: words) {
                try CacheFile(at: scenario.url).restore(backup)
            }
            // Advice about opening a cache does not apply to a backup.
            #expect(error?.message.contains("another path") == false, "\(error?.message ?? "")")
        }
        try expectRefusal("no such file") {}
        try expectRefusal("not a SQLite database") { try Data(repeating: 7, count: 10_000).write(to: backup.url) }
        try expectRefusal("nothing in it") { try Data().write(to: backup.url) }
        try expectRefusal("damaged") { try bytes.prefix(bytes.count / 2).write(to: backup.url) }
        try expectRefusal("damaged") {
            var bytes = bytes
            // From the second page on, which belongs to a table.
            bytes.replaceSubrange(8192..<bytes.count, with: Data(repeating: 0xA5, count: bytes.count - 8192))
            try bytes.write(to: backup.url)
        }
        try expectRefusal("molt_record_expiry") {
            func declare(_ old: String, as new: String) throws {
                try SQLite(backup.url).run(
                    """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = 'molt_record_expiry'
                    """
                )
            }
            // The index lacks rows.
            try bytes.write(to: backup.url)
            try declare("IS NOT NULL", as: "IS NULL")
            try SQLite(backup.url).run("REINDEX molt_record_expiry")
            try declare("IS NULL", as: "IS NOT NULL")
        }
        try expectRefusal("did not make") { try SQLite(backup.url).run("CREATE TABLE a(b)") }
        let other = scenario.scratch.file("other")
        try bytes.write(to: other)
        try expectRefusal("a link") {
            try FileManager.default.createSymbolicLink(at: backup.url, withDestinationURL: other)
        }
        var itself = backup
        itself.url = scenario.url
        try scenario.expectRefusal(.backupUnusable) { try CacheFile(at: scenario.url).restore(itself) }
    }

    @Test func `A backup with attached stores is refused unless all are named, and nothing is changed`() throws {
        try scenario.fill(1)
        let notebook = try Notebook(["one"])
        let list = try Notebook(["two"])
        let suites = [notebook.suite, list.suite]
        let backup = try CacheFile(at: scenario.url).backUp(suites: suites)
        #expect(backup.suites == [notebook.name, list.name])
        let cache = try scenario.open(1)
        try cache.set(Person.jane, forKey: "later")
        cache.close()
        // The file's own list counts, not that of the value.
        var forgotten = backup
        forgotten.suites = []
        let cases: [(StoreBackup, attached: [Suite], missing: String)] = [
            (backup, [], "\(notebook.name) and \(list.name)"), (forgotten, [notebook.suite], list.name),
        ]
        for (backup, attached, missing) in cases {
            let error = try scenario.expectRefusal(.suiteNotNamed) {
                try CacheFile(at: scenario.url).restore(backup, suites: attached)
            }
            error?.expect(suite: (attached.isEmpty ? notebook : list).name)
            let message = """
                The backup at \(backup.url.path) also contains \(missing). Nothing was changed. Pass \(missing) in \
                `suites`, also when you next open the store; or pass `leavingOthers: true`, which restores the store \
                without them.
                """
            #expect(error?.message == message)
        }
    }

    @Test func `A database of another app is not overwritten`() throws {
        let (backup, _) = try upgraded()
        let foreign = scenario.scratch.file("foreign")
        try SQLite(foreign).run("CREATE TABLE a(b); INSERT INTO a VALUES(1)")
        MoltError.thrown { try CacheFile(at: foreign).restore(backup, fromAnotherStore: true) }?.expect(.foreignFile)
        #expect(try SQLite(foreign).text("SELECT b FROM a") == "1")
    }

    // MARK: Other stores

    @Test func `A backup of another store is refused unless the call allows it`() throws {
        try scenario.fill(1)
        let backup = try CacheFile(at: scenario.url).backUp()
        let before = try scenario.contents
        let directory = try ScratchDirectory()
        // A store of another name beside it, and a store of the same name elsewhere.
        for url in [scenario.scratch.file("other.molt"), directory.file(scenario.url.lastPathComponent)] {
            let cache = try CodableCache(at: url, migrations: BackupScenario.registry(1))
            try cache.set(Person.jane, forKey: "jane")
            cache.close()
            let other = try StoreFile.contents(at: url)
            MoltError.thrown {
                try CacheFile(at: url).restore(backup)
            }?.expect(.backupUnusable, says: "fromAnotherStore: true")
            try scenario.expectContents(other, at: url)
            #expect(try CacheFile(at: url).filesAside().isEmpty)
            try CacheFile(at: url).restore(backup, fromAnotherStore: true)
            try scenario.expectContents(before, at: url)
            // The replaced store is kept all the same.
            let kept = try #require(try CacheFile(at: url).filesAside().first)
            try scenario.expectContents(other, at: kept.url)
        }
    }

    @Test func `A store that was moved with its backups can be restored from them`() throws {
        try scenario.fill(1)
        let before = try scenario.contents
        let listed = try CacheFile(at: scenario.url).backUp()
        let moved = try ScratchDirectory()
        for name in try scenario.scratch.names() {
            try FileManager.default.moveItem(at: scenario.scratch.file(name), to: moved.file(name))
        }
        let url = moved.file(scenario.url.lastPathComponent)
        let cache = try CodableCache(at: url, migrations: BackupScenario.registry(1))
        try cache.removeAll()
        cache.close()
        // As listed before the move: an app's container may move between two launches.
        try CacheFile(at: url).restore(listed)
        try scenario.expectContents(before, at: url)
        try CacheFile(at: url).remove(listed)
        #expect(try CacheFile(at: url).backups() == [])
    }

    // MARK: The replaced file

    @Test func `keeps the replaced store, which can be restored in turn`() throws {
        let (backup, before) = try upgraded()
        let after = try scenario.contents
        try CacheFile(at: scenario.url).restore(backup)
        let kept = try #require(try CacheFile(at: scenario.url).filesAside().first)
        #expect(kept.description.hasSuffix(".replaced: version 2, 3 records, \(kept.size) bytes") && !kept.isAutomatic)
        try scenario.expectContents(after, at: kept.url)
        // An older release cannot import it; the message says what can be done.
        let older = try scenario.open(1)
        MoltError.thrown { try older.importAndWait(from: kept.url) }?
            .expect(.superseded, storeVersion: 2, says: kept.url.path, "was set aside", "CacheFile.restore(_:)")
        older.close()
        // It is no backup: nothing restores it automatically.
        #expect(try scenario.backups == [backup])
        try CacheFile(at: scenario.url).restore(kept)
        try scenario.expectContents(after)
        // Each file stays, and a restore that keeps nothing adds none.
        let all = try CacheFile(at: scenario.url).filesAside()
        #expect(all.map(\.version) == [1, 2] && all.last == kept)
        try scenario.expectContents(before, at: all[0].url)
        try CacheFile(at: scenario.url).restore(backup, keepingReplaced: false)
        #expect(try CacheFile(at: scenario.url).filesAside() == all)
        for file in all { try CacheFile(at: scenario.url).remove(file) }
        try scenario.expectOtherNames(backup.url.lastPathComponent)
    }

    @Test func `keeps no copy of the store if the backup is damaged meanwhile, or if there is no room for the copy`()
        throws
    {
        let (backup, _) = try upgraded()
        let bytes = try Data(contentsOf: backup.url)
        let store = StoreFile(at: scenario.url)
        store.options.atCopy = { try? Data(repeating: 0x78, count: bytes.count).write(to: backup.url, options: []) }
        var request = RestoreRequest()
        for keeping in [nil, BackupRequest(.replaced, version: 0)] as [BackupRequest?] {
            try bytes.write(to: backup.url)
            request.keeping = keeping
            try scenario.expectRefusal(.backupUnusable) { try store.restore(backup, request, waiting: {}) }
        }
        try bytes.write(to: backup.url)
        store.options.atCopy = {}
        request.keeping = BackupRequest(.replaced, version: 0)
        request.keeping?.policy.freeSpace = { _ in 10 }
        try scenario.expectRefusal(.noSpaceForBackup, says: "keep no copy of what is replaced") {
            try store.restore(backup, request, waiting: {})
        }
    }

    @Test func `Kept files are listed and removed, damaged ones with their logs`() throws {
        let (backup, before) = try upgraded()
        try Data(repeating: 3, count: 20_000).write(to: scenario.url)
        try Data("log".utf8).write(to: URL(fileURLWithPath: scenario.url.path + "-wal"))
        try CacheFile(at: scenario.url).restore(backup)
        try scenario.expectContents(before)
        let damaged = try #require(try CacheFile(at: scenario.url).filesAside().first).url.lastPathComponent
        try scenario.expectOtherNames(backup.url.lastPathComponent, damaged, damaged + "-wal")
        try CacheFile(at: scenario.url).startAfresh()
        let aside = try CacheFile(at: scenario.url).filesAside()
        #expect(aside.map(\.url.pathExtension) == ["aside", "damaged"])
        #expect(aside.map(\.version) == [1, 0])
        for file in aside { try CacheFile(at: scenario.url).remove(file) }
        try scenario.expectOtherNames(backup.url.lastPathComponent)
    }

    // MARK: Damage

    @Test(arguments: ["cut off", "zeroed head", "zeroed pages", "in rollback-journal mode", "noise", "emptied"])
    func `over a damaged file keeps its bytes aside`(damage: String) throws {
        let (backup, before) = try upgraded()
        // A backup is in rollback-journal mode.
        var bytes = try Data(contentsOf: damage == "in rollback-journal mode" ? backup.url : scenario.url)
        switch damage {
        case "cut off": bytes = bytes.prefix(bytes.count / 2)
        case "zeroed head": bytes.replaceSubrange(0..<4096, with: Data(count: 4096))
        case "zeroed pages", "in rollback-journal mode":
            bytes.replaceSubrange(8192..<bytes.count, with: Data(count: bytes.count - 8192))
        case "noise": bytes = Data((0..<bytes.count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        default: bytes = Data()
        }
        try bytes.write(to: scenario.url)
        try CacheFile(at: scenario.url).restore(backup)
        try scenario.expectContents(before)
        let kept = try scenario.otherNames().filter { $0.hasSuffix(".damaged") }
        #expect(kept.count == (damage == "emptied" ? 0 : 1))
        if let name = kept.first, damage != "cut off" {
            let found = try Data(contentsOf: scenario.scratch.file(name))
            // All but the header, in which two bytes say whether there is a log.
            #expect(found.dropFirst(100) == bytes.dropFirst(100))
        }
        #expect(try scenario.otherNames().count == 1 + kept.count)
        #expect(try scenario.open(1).report.isEmpty)
    }

    @Test func `A file with a foreign trigger is replaced and kept aside`() throws {
        let (backup, before) = try upgraded()
        let trigger = "CREATE TRIGGER theirs AFTER INSERT ON molt_record BEGIN DELETE FROM molt_record; END"
        try SQLite(scenario.url).run(trigger)
        MoltError.thrown { try scenario.open(2) }?.expect(.foreignFile, says: "restore a backup")
        try CacheFile(at: scenario.url).restore(backup)
        try scenario.expectContents(before)
        let kept = try #require(try CacheFile(at: scenario.url).filesAside().first)
        #expect(kept.url.pathExtension == "damaged")
        let found = try SQLite(kept.url).text("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
        #expect(found == trigger)
    }

    // MARK: Listing and removing

    @Test func `Backups are listed from the newest to the oldest, without other files of similar names`() throws {
        try scenario.fill(1)
        try scenario.open(2).close()
        try scenario.open(3).close()
        let manual = try CacheFile(at: scenario.url).backUp()
        try Data("x".utf8).write(to: scenario.scratch.file("cache.molt.v7-20260101T000000000Z.backup"))
        let other = scenario.scratch.file("other.v1-20260101T000000000Z.backup")
        try FileManager.default.copyItem(at: manual.url, to: other)
        try FileManager.default.copyItem(at: manual.url, to: scenario.scratch.file("cache.molt.v3.backup"))
        try scenario.expectBackups(3, 2, 1)
        let backups = try scenario.backups
        #expect(backups.first == manual)
        #expect(backups.map(\.isAutomatic) == [false, true, true])
        let members = try JSONSerialization.jsonObject(with: JSONEncoder().encode(manual)) as? [String: Any]
        #expect(members?["url"] as? String == manual.url.absoluteString)
        #expect(members?["schemaVersion"] as? Int == 3 && members?["recordCount"] as? Int == 3)
        #expect(members?["size"] as? Int == manual.size && members?["isAutomatic"] as? Bool == false)
        #expect("\(manual)".hasSuffix("Z.manual.backup: version 3, 3 records, \(manual.size) bytes"))
        var single = manual
        single.recordCount = 1
        #expect("\(single)".contains(": version 3, 1 record, "))
        #expect(try CacheFile(at: scenario.scratch.file("nothing")).backups() == [])
    }

    @Test func `Only a backup of this store is removed`() throws {
        try scenario.fill(1)
        let backup = try CacheFile(at: scenario.url).backUp()
        let other = scenario.scratch.file("other.molt")
        try CodableCache(at: other, migrations: BackupScenario.registry(1)).close()
        let foreign = try CacheFile(at: other).backUp()
        var store = backup
        store.url = scenario.url
        for wrong in [foreign, store] {
            MoltError.thrown { try CacheFile(at: scenario.url).remove(wrong) }?.expect(.backupUnusable)
            #expect(FileManager.default.fileExists(atPath: wrong.url.path))
        }
        try CacheFile(at: scenario.url).remove(backup)
        #expect(try scenario.backups == [])
        #expect(try CacheFile(at: other).backups() == [foreign])
    }

    @Test func `A missing file cannot be backed up, and is not created`() throws {
        MoltError.thrown { try CacheFile(at: scenario.url).backUp() }?.expect(.fileMissing)
        #expect(try scenario.scratch.names() == [])
    }

    @Test func `A backup on demand holds what was committed, while another connection writes`() throws {
        let cache = try scenario.open(1)
        try cache.set(Person.john, forKey: "a")
        let writer = try SQLite(scenario.url)
        try writer.run("BEGIN IMMEDIATE; DELETE FROM molt_record")
        let backup = try CacheFile(at: scenario.url).backUp()
        try writer.run("COMMIT")
        #expect(try StoreFile.contents(at: backup.url).records.map(\.key) == ["a"])
        #expect(try cache.keys() == [])
    }
}
