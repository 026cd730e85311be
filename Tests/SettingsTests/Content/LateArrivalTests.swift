import Foundation
import Molt
import Testing

/// What a step brings in when the store has been through later steps already.
@Suite("Records and settings that come late") struct LateArrivalTests {
    private static let draft: PropertyListValue = #"{"title":"a"}"#

    /// Opens a cache, and returns the contents of its records by key.
    private func contents(_ cache: ScratchCache, _ migrations: MigrationRegistry) throws -> [String: String] {
        let records = try CodableCache(at: cache.url, migrations: migrations)
        defer { records.close() }
        try records.backfillAndWait()
        return try StoreFile.contents(at: cache.url).records.reduce(into: [:]) { contents, record in
            contents[record.key] = "\(record.typeName) \(String(decoding: record.content, as: UTF8.self))"
        }
    }

    private func move(_ scratch: ScratchSuite) -> MigrationStep {
        .moveToRecords(.settings(withPrefix: "draft.", in: scratch.suite), ofType: "Draft", key: "d")
    }

    @Test func `A record from an older copy of a suite goes through all steps after its own`() throws {
        let scratch = try ScratchSuite(["draft.1": Self.draft])
        let cache = try ScratchCache()
        let migrations: MigrationRegistry = [
            Migration(to: 1, "move", move(scratch), .addProperty("Draft", "n", default: 1)),
            Migration(to: 2, "type", .renameType("Draft", to: "Note"), .addProperty("Note", "m", default: 2)),
            Migration(to: 3, "mark", .addProperty("Note", "o", default: ["id": "x"])).onRead(),
            Migration(to: 4, "extract", .extractRecords("Note", "o", as: "Other", key: .derived)),
            Migration(to: 5, "rename", .renameKeys("Note", to: .property("title"))),
        ]
        let expected = ["a": #"Note {"title":"a","n":1,"m":2,"o":"d1/o"}"#, "d1/o": #"Other {"id":"x"}"#]
        #expect(try contents(cache, migrations) == expected)
        try scratch.expect([:])
        // The record is gone, or as it was.
        for key in ["a", nil] {
            if let key {
                let records = try CodableCache(at: cache.url, migrations: migrations)
                try records.remove(forKey: key)
                records.close()
            }
            try scratch.putBack(["draft.1": Self.draft])
            try cache.upgrade(migrations).expectKeys(#"draft.1: moved, to the record "a" of type Note"#)
            #expect(try contents(cache, migrations) == expected)
            try scratch.expect([:])
        }
    }

    @Test
    func `A record from an older copy is compared with today's form of a record that waits for a migration on read`()
        throws
    {
        let scratch = try ScratchSuite(["draft.1": Self.draft])
        let cache = try ScratchCache()
        let first = [
            Migration(to: 1, "move", move(scratch)), Migration(to: 2, "type", .renameType("Draft", to: "Note")),
        ]
        #expect(try contents(cache, MigrationRegistry(first)) == ["d1": #"Note {"title":"a"}"#])
        let last = Migration(to: 3, "mark", .addProperty("Note", "o", default: 1)).onRead()
        let all = MigrationRegistry(first + [last])
        let still = MoltConfiguration { $0.runsBackfill = false }
        try CodableCache(at: cache.url, migrations: all, configuration: still).close()
        try scratch.putBack(["draft.1": Self.draft])
        #expect(try contents(cache, all) == ["d1": #"Note {"title":"a","o":1}"#])
        try scratch.expect([:])
    }

    @Test func `What was extracted from a record stays, though a later step drops the record`() throws {
        let scratch = try ScratchSuite(["draft.1": #"{"title":"a","note":{"id":"x"}}"#])
        let cache = try ScratchCache()
        let migrations: MigrationRegistry = [
            Migration(to: 1, "move", move(scratch)),
            Migration(to: 2, "extract", .extractRecords("Draft", "note", as: "Note", key: .derived)),
            Migration(to: 3, "drop", .deleteType("Draft")),
        ]
        #expect(try contents(cache, migrations) == ["d1/note": #"Note {"id":"x"}"#])
        try scratch.putBack(["draft.2": #"{"title":"b","note":{"id":"y"}}"#])
        let found = try contents(cache, migrations)
        #expect(found == ["d1/note": #"Note {"id":"x"}"#, "d2/note": #"Note {"id":"y"}"#])
        try scratch.expect([:])
    }

    @Test func `A setting stays if its record would have to go through a block`() throws {
        let scratch = try ScratchSuite(["draft.1": Self.draft])
        let cache = try ScratchCache()
        let migrations: MigrationRegistry = [
            Migration(to: 1, "move", move(scratch)),
            Migration(to: 2, "count", .run { try $0.enumerate("Draft") { _, new in new["n"] = 1 } }),
        ]
        let expected = ["d1": #"Draft {"title":"a","n":1}"#]
        #expect(try contents(cache, migrations) == expected)
        try scratch.putBack(["draft.2": Self.draft])
        let reason = "as a record it would miss step 1 of migration \"count\" (version 2), which needs the whole store"
        try cache.upgrade(migrations).expectKeys("draft.2: kept, \(reason)")
        try scratch.expect(["draft.2": Self.draft], history: ["move"])
        #expect(try contents(cache, migrations) == expected)
    }

    @Test func `A new cache waits for a deferred move, so that the record goes through later blocks`() throws {
        let scratch = try ScratchSuite(["draft.1": Self.draft])
        let cache = try ScratchCache()
        let migrations: MigrationRegistry = [
            Migration(to: 1, "move", move(scratch)),
            Migration(to: 3, "count", .run { try $0.enumerate("Draft") { _, new in new["n"] = 1 } }),
        ]
        let error = try #require(throws: MoltError.self) { try cache.upgrade(migrations, process: .tool) }
        #expect(error.code == .deferred && error.migration?.name == "move", "\(error)")
        #expect(try contents(cache, migrations) == ["d1": #"Draft {"title":"a","n":1}"#])
        try scratch.expect([:])
    }

    @Test func `A failure policy holds for the steps that a record goes through late`() throws {
        let broken: PropertyListValue = #"{"title":7}"#
        for policy in [FailurePolicy.stop, .quarantine(), .drop()] {
            let scratch = try ScratchSuite()
            let cache = try ScratchCache()
            let migrations = MigrationRegistry([
                Migration(to: 1, "move", move(scratch)),
                Migration(to: 2, "split", .splitProperty("Draft", "title", into: ["first", "last"])),
            ]).onFailure(policy)
            try cache.upgrade(migrations)
            try scratch.putBack(["draft.1": broken])
            if policy == .stop {
                let error = try #require(throws: MoltError.self) { try cache.upgrade(migrations) }
                #expect(
                    [error.code.rawValue, error.key, error.migration?.name] == ["typeMismatch", "draft.1", "move"]
                )
                #expect(error.problem.contains("step 1 of migration \"split\""), "\(error)")
            } else {
                try cache.upgrade(migrations)
            }
            if case .drop = policy { try scratch.expect([:]) } else { try scratch.expect(["draft.1": broken]) }
            #expect(try StoreFile.contents(at: cache.url).records.isEmpty)
        }
    }

    @Test func `What a late migration adopts, creates or extracts goes through the later ones`() throws {
        let cache = try ScratchCache()
        let directory = cache.directory.appending(path: "Floppy")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(#"{"object":{"title":"b"}}"#.utf8).write(
            to: directory.appending(path: CacheDirectory.fileName(forKey: "b"))
        )
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 9e6)],
            ofItemAtPath: directory.appending(path: CacheDirectory.fileName(forKey: "b")).path
        )
        let later = Migration(to: 3, "later", .addProperty("Draft", "n", default: 1), .renameType("Draft", to: "Note"))
        let first = Migration(
            to: 1,
            "first",
            .run(onFreshStore: true) { try $0.create("Outer", forKey: "outer", ["in": ["title": "c"]] as RecordValue) }
        )
        try cache.upgrade([first, later])
        let late: [Migration] = [
            .adoptCacheDirectory(to: 2, directory: CacheDirectory(at: directory, keys: .fileNames, type: "Draft")),
            Migration(to: 2, "create", .run { try $0.create("Draft", forKey: "new", ["title": "a"] as RecordValue) }),
            Migration(to: 2, "extract", .extractRecords("Outer", "in", as: "Draft", key: .derived)),
        ]
        let registry = MigrationRegistry([first] + late + [later]).allowingLateMigrations()
        let once = try ScratchCache()
        let expected = try contents(once, registry)
        #expect(expected.values.count { $0.hasPrefix("Note") && $0.contains(#","n":1}"#) } == 3, "\(expected)")
        #expect(try contents(cache, registry) == expected)
    }

    @Test func `Settings of an older copy go through all steps again`() throws {
        let old: [String: PropertyListValue] = ["tags": #"["a"]"#, "level": "high"]
        let (scratch, group, cache) = (try ScratchSuite(old), try ScratchSuite(), try ScratchCache())
        let migrations: MigrationRegistry = [
            .defaultsV4ToV5(to: 1, suite: scratch.suite, keys: [.key("tags", .array(of: .string))]),
            Migration(to: 2, "level", .mapValue(.setting("level", in: scratch.suite), [], ["high": 3])),
            .suiteToAppGroup(to: 3, from: scratch.suite, into: group.suite),
            Migration(to: 4, "more", .mapValue(.setting("level", in: group.suite), [], [3: 30])),
        ]
        let new: [String: PropertyListValue] = ["tags": ["a"], "level": 30]
        try cache.upgrade(migrations)
        try group.expect(new)
        // The group has been through the move, so the copy waits in its suite, in today's form.
        try scratch.putBack(old)
        try cache.upgrade(migrations)
        try group.expect(new)
        try scratch.expect(["tags": ["a"], "level": 3])
        // A copy of both goes the same way again.
        for suite in [scratch, group] { try suite.suite.removeAll() }
        try scratch.putBack(old)
        try group.putBack(["theme": "dark"])
        try cache.upgrade(migrations)
        try group.expect(new.merging(["theme": "dark"]) { $1 })
    }

    @Test(arguments: PrimaryStore.allCases)
    func `A late move leaves settings where they are if the destination has been through a step on them`(
        _ primary: PrimaryStore
    ) throws {
        let (scratch, group, cache) = (
            try ScratchSuite(["level": 3, "theme": "dark"]), try ScratchSuite(["other": 1]), try ScratchCache()
        )
        let later = Migration(to: 2, "later", .mapValue(.setting("level", in: group.suite), [], [3: 30]))
        try primary.upgrade(group.suite, cache: cache.url, with: [later])
        let move = Migration.suiteToAppGroup(to: 1, from: scratch.suite, into: group.suite, removingSource: true)
        let report = try primary.upgrade(
            group.suite,
            cache: cache.url,
            with: MigrationRegistry([move, later]).allowingLateMigrations()
        )
        let reason = "it would miss step 1 of migration \"later\" (version 2), which \(group.suite) has been through"
        report.expectKeys("level: kept, \(reason)", "theme: moved")
        try scratch.expect(["level": 3])
        try group.expect(["other": 1, "theme": "dark"])
    }

    @Test func `A block on a suite that is not new runs when the cache is new`() throws {
        let (scratch, other) = (try ScratchSuite(["volume": 7]), try ScratchSuite())
        let block = MigrationStep.run("halve", suites: [scratch.suite, other.suite]) { migration in
            let settings = try migration.suite(scratch.suite)
            guard case .int(let volume)? = try settings.value(forKey: "volume") else { return }
            try settings.set(.int(volume * 2), forKey: "volume")
            _ = try migration.suite(other.suite)
        }
        let migrations: MigrationRegistry = [
            Migration(to: 1, "plain", .run { _ in Issue.record("There are no records and no settings to work on.") }),
            Migration(to: 2, "double", block),
        ]
        // The first release with a cache, then caches that were emptied, or of an extension.
        for _ in 0..<2 {
            let cache = try ScratchCache()
            try cache.upgrade(migrations)
            try scratch.expect(["volume": 14], history: ["double"])
        }
        // A new device: no suite has anything to change.
        let (fresh, cache) = (try ScratchSuite(), try ScratchCache())
        let unneeded = MigrationStep.run("none", suites: [fresh.suite]) { _ in Issue.record("The suite is new.") }
        try cache.upgrade([Migration(to: 1, "none", unneeded)])
        #expect(
            try CacheFile(at: cache.url).plan([Migration(to: 1, "none", unneeded)]).pending.isEmpty
        )
    }

    @Test func `A step on settings that an earlier migration has moved away says where they are`() throws {
        let (scratch, group) = (try ScratchSuite(["tags": #"["a"]"#]), try ScratchSuite())
        let migrations: MigrationRegistry = [
            .suiteToAppGroup(to: 1, from: scratch.suite, into: group.suite, removingSource: true),
            .defaultsV4ToV5(to: 2, suite: scratch.suite, keys: [.key("tags", .array(of: .string))]),
            Migration(to: 3, "rename", .renameSetting("tags", to: "labels", in: scratch.suite)),
        ]
        let reason = #"migration "suite-to-app-group" (version 1) moves it into \#(group.suite): name that suite"#
        try scratch.suite.upgrade(with: migrations).expectKeys(
            "tags: moved",
            "tags: absent, \(reason)",
            "tags: absent, \(reason)"
        )
        // A move from a suite that has nothing is in the report, too.
        let (empty, other) = (try ScratchSuite(), try ScratchSuite(["x": 1]))
        let move = Migration.suiteToAppGroup(to: 1, from: empty.suite, into: other.suite)
        try other.suite.upgrade(with: [move]).expectKeys("*: absent")
    }
}
