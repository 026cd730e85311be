import Foundation
import Molt
import TestSupport
import Testing

#if os(Linux)
    /// On a device that was not unlocked since its start, the system keeps settings files closed.
    @Suite struct `Settings whose file cannot be opened` {
        private let scratch: ScratchSuite
        private let group: ScratchSuite
        /// Outside the suites' directory, to which a test denies access.
        private let cache: ScratchCache

        init() throws {
            scratch = try ScratchSuite(["tags": #"["a"]"#, "frogs": .data(Data("[1]".utf8)), "old": 1, "gone": 1])
            group = try ScratchSuite()
            cache = try ScratchCache(in: FileManager.default.temporaryDirectory)
        }

        /// A migration for each kind of step on a suite.
        private static func migrations(_ suite: Suite, into group: Suite) -> [Migration] {
            [
                .defaultsV4ToV5(to: 1, suite: suite, keys: [.key("tags", .array(of: .string))]),
                .swiftyUserDefaults(to: 2, suite: suite, keys: [.key("frogs", .array(of: .int))]),
                Migration(to: 3, "settings", .changeSettings(in: suite) { try $0.set(true, forKey: "ran") }),
                Migration(to: 4, "rename", .renameSetting("old", to: "new", in: suite)),
                Migration(to: 5, "remove", .removeSettings("gone", in: suite)),
                .suiteToAppGroup(to: 6, from: suite, into: group),
            ]
        }

        #if CHILD_PROCESSES
            @Test func `Each kind of step is deferred and not marked as applied`() async throws {
                await #expect(processExitsWith: .success) {
                    [name = scratch.name as String, group = group.name as String, directory = cache.directory as URL]
                    in
                    Suite.closedDomains.withLock { _ = $0.insert(name) }
                    let reason = """
                        The settings in \(name) exist but cannot be read until the device is unlocked for the first \
                        time after a restart.
                        """
                    for migration in Self.migrations(Suite(name), into: Suite(group)) {
                        let cache = directory.appending(path: "\(migration.version).molt")
                        for _ in 0..<2 {
                            let plan = try CacheFile(at: cache).plan([migration])
                            #expect(plan.deferred.map(\.migration) == [migration.id])
                            let opened = try CodableCache(at: cache, migrations: [migration])
                            #expect(opened.report.deferred.map(\.migration) == [migration.id])
                            #expect(opened.report.deferred.map(\.reason) == [reason])
                            opened.close()
                            let ledger = try StoreFile.state(at: cache).ledger
                            #expect(ledger.map(\.outcome) == [.deferred])
                        }
                    }
                }
            }

            /// The app's first launch with Molt before the first unlock, and the next launch after it.
            @Test(arguments: PrimaryStore.allCases)
            func `Conversions run once the file can be read, and the closed suite itself is not upgraded`(
                primary: PrimaryStore
            ) async throws {
                await #expect(processExitsWith: .success) {
                    [
                        name = scratch.name as String, group = group.name as String, cache = cache.url as URL,
                        primary = primary as PrimaryStore
                    ] in
                    Suite.closedDomains.withLock { _ = $0.insert(name) }
                    let registry = MigrationRegistry(Self.migrations(Suite(name), into: Suite(group)))
                    if primary == .cache {
                        let cache = try CodableCache(at: cache, migrations: registry)
                        #expect(cache.report.deferred.count == 6)
                        return cache.close()
                    }
                    let error = #expect(throws: MoltError.self) {
                        try Suite(name).upgrade(with: registry)
                    }
                    error?.expect(.deferred, store: Suite(name).attachedName)
                    let isLast = error?.message.hasSuffix("Try again later.") == true
                    #expect(isLast)
                }
                let registry = MigrationRegistry(Self.migrations(scratch.suite, into: group.suite))
                try primary.upgrade(scratch.suite, cache: cache.url, with: registry)
                let expected: [String: PropertyListValue] = ["tags": ["a"], "frogs": [1], "new": 1, "ran": true]
                try scratch.expect(expected)
                try group.expect(expected)
            }

            /// Missing permissions, unlike a locked device, do not go away by waiting.
            @Test func `Each kind of step fails when permissions deny access`() async throws {
                await #expect(processExitsWith: .success) {
                    [name = scratch.name as String, group = group.name as String, directory = cache.directory as URL]
                    in
                    chmod(try ScratchSuite(named: name).file.path, 0)
                    if geteuid() == 0 {
                        chmod(try TestHome.directory.path, 0o711)
                        chmod(directory.path, 0o777)
                        try #require(seteuid(65_534) == 0)
                    }
                    for migration in Self.migrations(Suite(name), into: Suite(group)) {
                        for _ in 0..<2 {
                            let error = #expect(throws: (any Error).self) {
                                let cache = directory.appending(path: "\(migration.version).molt")
                                _ = try CodableCache(at: cache, migrations: [migration])
                            }
                            let text = "\(error as Any)"
                            #expect(text.contains("Check its permissions."))
                        }
                    }
                    MoltError.thrown { try Suite(name).values() }?.expect(.noPermission)
                }
            }
        #endif

        /// A new installation has no file, also on a locked device.
        @Test func `A missing file does not count as one that cannot be opened`() throws {
            let fresh = try ScratchSuite()
            let migrations = Self.migrations(fresh.suite, into: group.suite).filter { $0.version != 3 }
            let report = try cache.upgrade(MigrationRegistry(migrations))
            #expect(report.deferred.isEmpty)
            #expect(report.entries.count == 5)
            try fresh.expect([:])
            try group.expect([:])
        }
    }
#endif

@Suite struct `Evidence of settings in a suite's file` {
    @Test func `Only a file with values is evidence of settings`() throws {
        let scratch = try ScratchDirectory()
        let contents: [[String: Int]] = [[:], ["a": 1]]
        var found = [SuiteEvidence(fileAt: scratch.file().path)]
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            for objects in contents {
                let bytes = try PropertyListSerialization.data(fromPropertyList: objects, format: format, options: 0)
                try bytes.write(to: scratch.file())
                found.append(SuiteEvidence(fileAt: scratch.file().path))
            }
        }
        #expect(found == [.empty, .empty, .filled, .empty, .filled])
    }
}
