import Foundation
import Molt
import Testing

@Suite struct `A backup before an upgrade` {
    let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
    }

    @Test func `holds the store's previous contents, beside the store, and only its owner may read it`() throws {
        try scenario.fill(1)
        let before = try scenario.contents
        try scenario.open(2).close()

        let backup = try #require(try scenario.backups.first)
        let name = try #require(BackupName(backup.url.lastPathComponent, of: "cache.molt"))
        #expect(name == BackupName(store: "cache.molt", version: 1, date: backup.date, kind: .automatic))
        #expect(abs(backup.date.timeIntervalSinceNow) < 600)
        let attributes = try FileManager.default.attributesOfItem(atPath: backup.url.path)
        #expect(backup.version == 1 && backup.recordCount == 3 && backup.isAutomatic)
        #expect(backup.size == attributes[.size] as? Int)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try scenario.expectContents(before, at: backup.url)
        #expect(try scenario.contents.version == 2)
        // The backup can be read without a log, and no other file was left.
        #expect(try SQLite(backup.url).text("PRAGMA journal_mode") == "delete")
        try scenario.expectOtherNames(backup.url.lastPathComponent)
    }

    @Test func `is not made without a policy, of a new, an up-to-date or an in-memory store, or for a dry run`()
        async throws
    {
        for _ in 0..<2 { try scenario.open(1).close() }
        _ = try await CacheFile(at: scenario.url).dryRun(
            BackupScenario.registry(2),
            configuration: BackupScenario.configuration()
        )
        try scenario.open(2, MoltConfiguration()).close()
        try scenario.expectOtherNames()
        let store = try OldStore([StoredRecord("Person", "ada", "{}")], through: .inMemory)
        let report = try await store.upgrade(BackupScenario.registry(1), BackupScenario.configuration())
        #expect("\(report.counts)" == "1 read, 1 changed")
    }

    @Test func `stands beside the store itself when the store is opened through a symbolic link`() throws {
        try scenario.fill(1)
        let links = try ScratchDirectory()
        try FileManager.default.createSymbolicLink(at: links.file("link"), withDestinationURL: scenario.url)
        try scenario.open(2, at: links.file("link")).close()
        #expect(try links.names() == ["link"])
        try scenario.expectBackups(1)
        #expect(try CacheFile(at: links.file("link")).backups() == scenario.backups)
    }

    #if CHILD_PROCESSES
        @Test func `is reported as unreadable, not as missing, in a directory that cannot be listed`() async throws {
            try scenario.fill(1)
            try scenario.open(2).close()
            let path = scenario.url.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let url = URL(fileURLWithPath: path)
                let directory = url.deletingLastPathComponent().path
                // The directory cannot be listed, but files in it can be used by their names.
                try FileManager.default.setAttributes([.posixPermissions: 0o311], ofItemAtPath: directory)
                // Root ignores permissions, so the test continues as another user.
                if getuid() == 0 { try #require(setuid(65_534) == 0) }
                let error = MoltError.thrown { try CacheFile(at: url).backups() }
                error?.expect(.noPermission, store: path)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scenario.scratch.url.path)
            #expect(try scenario.backups.count == 1)
            // A missing directory has no backups; a file in its place is an error.
            #expect(try CacheFile(at: scenario.scratch.file("none/cache.molt")).backups() == [])
            MoltError.thrown {
                try CacheFile(at: scenario.url.appending(path: "cache.molt")).backups()
            }?.expect(.storeFailed)
        }
    #endif

    @Test func `is not begun when it would not fit, and is when the system does not report the free space`() throws {
        try scenario.fill(1)
        let size = try #require(try FileManager.default.attributesOfItem(atPath: scenario.url.path)[.size] as? Int)
        for free in [0, Int64(size) - 1] {
            let configuration = BackupScenario.configuration { $0.backup?.freeSpace = { _ in free } }
            let words = "needs \(size) bytes in \(scenario.scratch.url.path)"
            let error = try scenario.expectRefusal(.noSpaceForBackup, says: words, "only \(free) bytes are free") {
                try scenario.open(2, configuration)
            }
            error?.expect(store: scenario.url.path)
            #expect(MoltError.isOutOfSpace(try #require(error)))
        }
        for (version, free) in [(2, Int64(size)), (3, nil)] as [(Int, Int64?)] {
            try scenario.open(version, BackupScenario.configuration { $0.backup?.freeSpace = { _ in free } }).close()
        }
        try scenario.expectBackups(2, 1)
        #expect(FreeSpace.bytes(at: scenario.scratch.url.path).map { $0 > 0 } == true)
        #expect(FreeSpace.bytes(at: scenario.scratch.url.path + "/nowhere") == nil)
    }

    @Test func `does not follow a link in place of its own file, and removes what killed processes left`() throws {
        try scenario.fill(1)
        let date = Date(timeIntervalSince1970: 1_800_000_000.25)
        let name = BackupName(store: "cache.molt", version: 1, date: date, kind: .automatic)
        let victim = scenario.scratch.file("victim")
        try Data("precious".utf8).write(to: victim)
        let part = scenario.scratch.file(name.text + ".part")
        try FileManager.default.createSymbolicLink(at: part, withDestinationURL: victim)
        let old = BackupName(store: "cache.molt", version: 0, date: Date(timeIntervalSince1970: 5), kind: .automatic)
        for suffix in [".part", ".part-journal"] {
            try Data("left".utf8).write(to: scenario.scratch.file(old.text + suffix))
        }
        // Files of other stores and apps are not touched.
        let foreign = ["cache.molt.backup.part", "other.molt.v1-19700101T000005000Z.backup.part", "cache.molt.v1.part"]
        for name in foreign { try Data("foreign".utf8).write(to: scenario.scratch.file(name)) }

        try scenario.open(2, BackupScenario.configuration { $0.backup?.now = { date } }).close()

        #expect(try String(contentsOf: victim, encoding: .utf8) == "precious")
        #expect(try scenario.otherNames() == (foreign + ["victim", name.text]).sorted())
        let backup = try #require(try scenario.backups.first)
        #expect(backup.date == date)
        let type = try FileManager.default.attributesOfItem(atPath: backup.url.path)[.type] as? FileAttributeType
        #expect(type == .typeRegular)
    }

    @Test(arguments: ["n", "é"])
    func `of a store with the longest possible name is found and restored`(letter: String) throws {
        try scenario.fill(1)
        let before = try scenario.contents
        let stem = String(repeating: letter, count: 240 / letter.utf8.count)
        // The two names differ only in the part for which their backups' names have no room.
        let stores = ["first", "other"].map { scenario.scratch.file(stem + $0) }
        for store in stores {
            try FileManager.default.copyItem(at: scenario.url, to: store)
            try scenario.open(2, at: store).close()
        }
        for store in stores {
            let backups = try CacheFile(at: store).backups()
            #expect(backups.map(\.version) == [1])
            try CacheFile(at: store).restore(try #require(backups.first))
            try scenario.expectContents(before, at: store)
        }
    }

    @Test func `has a unique name, even among backups made at the same moment`() async throws {
        try scenario.fill(1)
        let before = try scenario.contents
        let url = scenario.url
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let count = 8
        let made = try await withThrowingTaskGroup(of: StoreBackup.self) { group in
            for _ in 0..<count {
                group.addTask {
                    var request = BackupRequest(.manual, version: 1)
                    request.policy.now = { date }
                    return try StoreFile(at: url).makeBackup(request)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(made.map(\.url)).count == count)
        #expect(try Set(scenario.backups.map(\.url)) == Set(made.map(\.url)))
        for backup in made { try scenario.expectContents(before, at: backup.url) }
        #expect(made.allSatisfy { (0..<0.1).contains($0.date.timeIntervalSince(date)) })
        #expect(try scenario.otherNames().count == count)
    }

    @Test func `Publishing a file under a name that another process takes at the same time overwrites nothing`()
        async throws
    {
        let place = scenario.scratch.file("place").path
        for round in 0..<TestRun.choose(8, long: 40) {
            let winners = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<4 {
                    let part = scenario.scratch.file("part \(number)")
                    group.addTask {
                        do {
                            try Data("\(number)".utf8).write(to: part)
                            try DurableFile.publish(part.path, as: place)
                            return number
                        } catch {
                            return nil
                        }
                    }
                }
                return await group.reduce(into: [Int]()) { if let number = $1 { $0.append(number) } }
            }
            #expect(winners.count == 1, "\(round)")
            let text = try String(contentsOf: URL(fileURLWithPath: place), encoding: .utf8)
            #expect(winners.map { "\($0)" } == [text], "\(round)")
            try FileManager.default.removeItem(atPath: place)
        }
    }

    @Test func `fails the upgrade before it writes, when the backup cannot be made`() throws {
        try scenario.fill(1)
        let before = try scenario.contents
        // Nothing is forbidden to root, so the path is too long.
        var long = scenario.scratch.file(String(repeating: "d", count: 200))
        long.appendPathComponent(String(repeating: "d", count: 460 - long.path.utf8.count))
        try FileManager.default.createDirectory(at: long, withIntermediateDirectories: true)
        long.appendPathComponent("cache.molt")
        try FileManager.default.moveItem(at: scenario.url, to: long)
        MoltError.thrown { try scenario.open(2, at: long) }?.expect(
            .backupFailed,
            says: "Use a shorter path for the cache"
        )
        try scenario.expectContents(before, at: long)
    }

    @Test func `is cancelled with the upgrade, between any two parts, and leaves nothing`() throws {
        try scenario.fill(1, ballast: 1_400_000)
        /// - Returns: The number of parts.
        func open(cancellingAfter last: Int?) throws -> Int {
            let seen = Log<Int>()
            let configuration = BackupScenario.configuration { configuration in
                configuration.hooks.atPoint = { point in
                    guard point.kind == .copyForBackup else { return }
                    seen.append(1)
                }
                // Cancellation is checked before the next part.
                configuration.isCancelled = { last.map { seen.count >= $0 } ?? false }
            }
            try scenario.open(2, configuration).close()
            return seen.count
        }
        for last in 1...5 { try scenario.expectRefusal(.cancelled) { try open(cancellingAfter: last) } }
        #expect(try open(cancellingAfter: nil) >= 5)
    }
}
