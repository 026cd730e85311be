import Foundation
import Generators
import Molt
import TestSupport
import Testing

@Suite("A seed") struct SeedTests {
    private let directory: ScratchDirectory
    private var file: URL { directory.file("presets.json") }
    private var url: URL { directory.file() }

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Writes the file that the app ships.
    private func ship(_ records: String..., version: Int = 0, migrations: String = "[]", as url: URL? = nil) throws {
        let head = #""format":"molt-export","formatVersion":1,"version":\#(version),"migrations":\#(migrations)"#
        try Data("{\(head),\"records\":[\(records.joined(separator: ","))]}".utf8).write(to: url ?? file)
    }

    private static func preset(_ key: String, _ content: String, type: String = "Int", _ rest: String = "") -> String {
        #"{"key":"\#(key)","type":"\#(type)","created":1,"updated":2\#(rest),"content":\#(content)}"#
    }

    private func registry(_ migrations: [Migration] = [], removingOthers: Bool = false) -> MigrationRegistry {
        MigrationRegistry(migrations).seed("presets", from: file, removingOthers: removingOthers)
    }

    /// Opens the store, and closes it.
    ///
    /// - Returns: What was done with the file; "" if nothing.
    @discardableResult
    private func open(_ registry: MigrationRegistry, _ configuration: MoltConfiguration = .init()) throws -> String {
        let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return cache.report.seeds.map(\.description).joined(separator: "; ")
    }

    private func change(_ body: (CodableCache) throws -> Void) throws {
        let cache = try CodableCache(at: url)
        defer { cache.close() }
        try body(cache)
    }

    private func texts() throws -> [String: String] { try Snapshot(of: url).texts }

    // MARK: Records

    @Test func `is added to a new store once, and the next opening neither writes nor takes a lock`() throws {
        try ship(Self.preset("a", "1"), Self.preset("b", " [2]", type: "List"), Self.preset("x", "3", #","expires":4"#))
        let plan = try CacheFile(at: url).plan(registry())
        #expect(plan.seeds == ["presets"] && "\(plan)".hasSuffix(#"  > the seed "presets" is applied"#))
        let monitor = MigrationMonitor()
        let cache = try CodableCache(at: url, migrations: registry(), configuration: .init { $0.monitor = monitor })
        #expect(try cache.entry(Int.self, forKey: "a")?.updated == Date(timeIntervalSince1970: 2))
        cache.close()
        #expect("\(cache.report)".hasSuffix("\nseed presets: 2 added, 1 expired") && !cache.report.isEmpty)
        #expect(monitor.summary?.description.contains(#""seeds":{"added":2,"expired":1}"#) == true)
        let json = String(decoding: try JSONEncoder().encode(cache.report), as: UTF8.self)
        #expect(json.contains(#""leftDeleted":0"#))
        #expect(try texts() == ["a": "1", "b": " [2]"])

        let before = try Data(contentsOf: url)
        let writer = try SQLite(url)
        try writer.run("BEGIN IMMEDIATE")
        let again = try CodableCache(at: url, migrations: registry())
        #expect(again.report.isEmpty)
        again.close()
        try writer.run("COMMIT")
        #expect(try Data(contentsOf: url) == before)
        let done = try CacheFile(at: url).plan(registry())
        #expect(done.seeds.isEmpty && !done.needsUpgrade && "\(done)".hasSuffix("up to date at version 0"))
    }

    @Test func `replaces what the user has left alone, and brings nothing back in a release or an earlier one`() throws
    {
        let first = [
            Self.preset("same", "1"), Self.preset("changed", "1"), Self.preset("edited", "1"),
            Self.preset("deleted", "1"), Self.preset("gone", "1"),
            #"{"key":"raw","type":"Data","created":1,"updated":2,"data":"AAE="}"#,
        ]
        let second = [
            Self.preset("same", " 1 "), Self.preset("changed", "2"), Self.preset("edited", "2"),
            Self.preset("deleted", "2"), Self.preset("new", "2"),
            #"{"key":"raw","type":"Data","created":1,"updated":3,"data":"AAI="}"#,
        ]
        func ship(_ records: [String]) throws {
            try self.ship(records.joined(separator: ","))
        }
        try ship(first)
        #expect(try open(registry()) == "presets: 6 added")
        try change { cache in
            try cache.set(9, forKey: "edited")
            try cache.remove(forKey: "deleted")
        }
        try ship(second)
        #expect(try "\(CacheFile(at: url).plan(registry()))".contains("version 0, with seeds to apply"))
        #expect(try open(registry()) == "presets: 1 added, 2 replaced, 1 unchanged, 1 kept, 1 left deleted")
        let expected = ["same": "1", "changed": "2", "edited": "9", "gone": "1", "new": "2", "raw": "\u{0}\u{2}"]
        #expect(try texts() == expected)
        // The earlier release is installed again, and then the later one.
        try ship(first)
        #expect(try open(registry()) == "presets: 2 replaced, 2 unchanged, 1 kept, 1 left deleted")
        try ship(second)
        #expect(try open(registry()) == "presets: 2 replaced, 2 unchanged, 1 kept, 1 left deleted")
        #expect(try texts() == expected)
        try expectIntegrity(of: url)
    }

    @Test func `removes on request what the file lacks and the user has left alone, until a file has it again`() throws
    {
        let first = ["a", "b", "c", "d"].map { Self.preset($0, "1") }.joined(separator: ",")
        try ship(first)
        try open(registry())
        try change { cache in
            try cache.set(9, forKey: "b")
            try cache.remove(forKey: "c")
        }
        try ship(Self.preset("d", "1"))
        #expect(try open(registry(removingOthers: true)) == "presets: 1 unchanged, 1 removed")
        #expect(try texts() == ["b": "9", "d": "1"])
        try ship(first)
        #expect(try open(registry()) == "presets: 1 added, 1 unchanged, 1 kept, 1 left deleted")
    }

    @Test func `leaves alone what the store had before, and later replaces what was equal`() throws {
        try change { try $0.setAll(["equal": 1, "other": 9]) }
        try ship(Self.preset("equal", "1", #","expires":9e9"#), Self.preset("other", "1"))
        #expect(try open(registry()) == "presets: 1 unchanged, 1 kept")
        try ship(Self.preset("equal", "2"), Self.preset("other", "2"))
        #expect(try open(registry()) == "presets: 1 replaced, 1 kept")
        #expect(try texts() == ["equal": "2", "other": "9"])
    }

    @Test func `has records of another one under its keys left alone`() throws {
        let other = directory.file("more.json")
        try ship(Self.preset("a", "1"))
        try ship(Self.preset("a", "5"), Self.preset("b", "5"), as: other)
        let both = registry().seed("more", from: other)
        #expect(try open(both) == "presets: 1 added; more: 1 added, 1 kept")
        try ship(Self.preset("a", "2"))
        try ship(Self.preset("a", "6"), as: other)
        #expect(try open(both) == "presets: 1 replaced; more: 1 kept")
        #expect(try texts() == ["a": "2", "b": "5"])
    }

    // MARK: Migrations

    @Test func `goes through the migrations since its own version, as what earlier files had does`() throws {
        func alien(_ key: String, _ name: String) -> String {
            Self.preset(key, #"{"name":"\#(name)","n":1}"#, type: "Alien")
        }
        let migrations = [
            Migration(
                to: 1,
                "split",
                .renameType("Alien", to: "Person"),
                .splitProperty("Person", "name", into: ["first", "last"]),
                .renameKeys("Person", to: .lowercased),
                .run("count") { context in
                    try context.enumerate("Person") { _, new in new["n"] = .int(try new.int("n") + 1) }
                }
            ),
            Migration(to: 2, "rename", .renameProperty("Person", "n", to: "count")).onRead(),
        ]
        try ship(alien("A", "Ada L"), alien("B", "Bob M"), alien("C", "Cyd N"), alien("D", "Dan O"))
        try open(registry())
        try change { cache in
            let edited = Data(#"{"name":"Rob M","n":1}"#.utf8)
            try cache.set(document: edited, ofType: "Alien", writtenAt: 0, forKey: "B")
            try cache.remove(forKey: "D")
        }
        // The file was not exported again.
        try ship(alien("A", "Ada K"), alien("B", "Bob K"), alien("C", "Cyd N"), alien("D", "Dan K"))
        let configuration = MoltConfiguration { $0.runsBackfill = false }
        let counts = "1 replaced, 1 unchanged, 1 kept, 1 left deleted"
        #expect(try open(registry(migrations), configuration) == "presets: \(counts)")
        let records = try Snapshot(of: url).records.map(\.description)
        // Those that the file has not changed still wait.
        let expected = [
            #"Person "a" v2 {"count":2,"first":"Ada","last":"K"}"#,
            #"Person "b" v1 {"n":2,"first":"Rob","last":"M"}"#,
            #"Person "c" v1 {"n":2,"first":"Cyd","last":"N"}"#,
        ]
        #expect(records == expected)
        // What the store remembers is upgraded, too: a file of today's version finds the values of the old ones.
        let applied = #"[{"name":"split","version":1},{"name":"rename","version":2}]"#
        let person = #"{"last":"N","first":"Cyd","count":3}"#
        try ship(Self.preset("c", person, type: "Person"), version: 2, migrations: applied)
        #expect(try open(registry(migrations), configuration) == "presets: 1 replaced")
        #expect(try texts()["c"] == person)
    }

    @Test func `is applied also if what earlier files had can no longer be converted`() throws {
        let migrations = [Migration(to: 1, "number", .changeValue("T", "n", to: .integer))]
        try ship(Self.preset("a", #"{"n":"x"}"#, type: "T"), Self.preset("b", #"{"n":"1"}"#, type: "T"))
        try open(registry())
        try change { try $0.remove(forKey: "a") }
        try ship(Self.preset("a", #"{"n":"2"}"#, type: "T"), Self.preset("b", #"{"n":"2"}"#, type: "T"))
        #expect(try open(registry(migrations)) == "presets: 1 replaced, 1 left deleted")
        try ship(Self.preset("a", #"{"n":"3"}"#, type: "T"))
        #expect(try open(registry(migrations)) == "presets: 1 left deleted")
        #expect(try texts() == ["b": #"{"n":2}"#])
    }

    @Test func `finds the values of earlier files in releases that have retired the migrations between`() throws {
        let migrations = [Migration(to: 1, "type", .renameType("Int", to: "Number"))]
        try ship(Self.preset("a", "1"))
        try open(registry())
        #expect(try open(registry(migrations)).isEmpty)
        try ship(Self.preset("a", "2", type: "Number"), version: 1)
        let retired = MigrationRegistry().oldestVersion(1).seed("presets", from: file)
        #expect(try open(retired) == "presets: 1 replaced")
    }

    @Test func `keeps to the keys if what earlier files had fails a migration as a whole`() throws {
        try ship(Self.preset("a", "1"), Self.preset("b", "1"))
        try open(registry())
        try change { try $0.remove(forKey: "a") }
        try ship(Self.preset("a", "2"), Self.preset("b", "2"), Self.preset("c", "2"))
        let block = Migration(
            to: 1,
            "block",
            .run { context in
                guard try context.record(forKey: "a")?.content() != 1 else { throw TestFailure.expected }
            }
        )
        #expect(try open(registry([block])) == "presets: 1 added, 1 kept, 1 left deleted")
        try ship(Self.preset("a", "3"), Self.preset("b", "3"), Self.preset("c", "3"))
        #expect(try open(registry([block])) == "presets: 1 replaced, 1 kept, 1 left deleted")
    }

    @Test func `has the form that a store which was upgraded has, whatever the migrations are`() throws {
        var count = 0
        for seed in 0..<TestRun.choose(8, long: 400) as Range<UInt64> where try Self.compare(seed: seed) { count += 1 }
        #expect(count >= 1, "\(count) were compared")
    }

    /// Applies a file with an early release, and the same one again with the last release.
    ///
    /// - Returns: Whether the migrations succeeded.
    private static func compare(seed: UInt64) throws -> Bool {
        let test = try SeedTests()
        var upgrade = RandomUpgrade(seed: seed, [.records, .models, .failures, .onRead])
        let comment: Comment = "\(upgrade)"
        let records = try upgrade.records().filter { (try? RecordValue(json: $0.content)) != nil }
        let store = try OldStore(records.map(StoredRecord.init))
        let source = try CodableCache(at: store.url)
        try source.exportAndWait(to: test.file)
        source.close()
        let first = upgrade.registry(of: upgrade.random.below(upgrade.registry.version + 1))
        let configuration = MoltConfiguration { $0.runsBackfill = false }
        func open(_ registry: MigrationRegistry, removingOthers: Bool = false) throws -> MigrationReport.Seed? {
            let registry = registry.seed("presets", from: test.file, removingOthers: removingOthers)
            let cache = try? CodableCache(at: test.url, migrations: registry, configuration: configuration)
            cache?.close()
            return cache?.report.seeds.first
        }
        guard try open(first) != nil else { return false }
        try (Data(contentsOf: test.file) + Data("\n".utf8)).write(to: test.file)
        // A closure of a migration on read may change more than the content, which fails when the record is read.
        let last = try? CodableCache(at: test.url, migrations: upgrade.registry, configuration: configuration)
        defer { last?.close() }
        guard (try? last?.exportAndWait(to: test.directory.file("export.json"))) != nil,
            let again = try open(upgrade.registry)
        else { return false }
        let others = [again.added, again.replaced, again.kept, again.leftDeleted]
        #expect(others == [0, 0, 0, 0], "\(again) \(comment)")
        // What the store remembers has that form, too.
        try test.ship()
        let emptied = try open(upgrade.registry, removingOthers: true)
        #expect(emptied?.removed == again.unchanged, comment)
        return again.unchanged > 0
    }

    // MARK: Stores

    @Test func `is applied by an upgrade of a directory, in memory, and by a dry run on its copy alone`() async throws {
        try ship(Self.preset("a", "1"))
        try change { try $0.set(2, forKey: "b") }
        let trial = try await CacheFile(at: url).dryRun(registry())
        #expect(trial.seeds.map(\.added) == [1] && "\(trial)".hasSuffix("seed presets: 1 added"))
        #expect(try texts() == ["b": "2"])
        let report = try await CacheFile.upgradeAll(in: directory.url, migrations: registry())
        #expect(report.stores.map { $0.report?.seeds.map(\.added) } == [[1]])
        #expect(try texts() == ["a": "1", "b": "2"])
        let memory = try CodableCache(inMemory: registry(), configuration: .init { $0.sizeLimit = 10 })
        #expect(try memory.value(Int.self, forKey: "a") == 1 && memory.report.seeds.map(\.added) == [1])
    }

    @Test func `is left to others by a reader, a helper, and an older release`() throws {
        try ship(Self.preset("a", "1"))
        let newer = Migration(to: 1, "newer").olderReleases(may: .write)
        try open([newer])
        let helper = MoltConfiguration { $0.process = .helper() }
        #expect(try open(registry([newer]), helper).isEmpty)
        #expect(try CacheFile(at: url).plan(registry([newer]), configuration: helper).seeds.isEmpty)
        #expect(try open(registry()).isEmpty)
        #expect(try CacheFile(at: url).plan(registry()).seeds.isEmpty)
        let reader = try CodableCache(reading: url, migrations: registry([newer]))
        #expect(try reader.report.seeds.isEmpty && reader.count() == 0)
        reader.close()
        // Neither an import nor a part of the registry has seeds.
        let cache = try CodableCache(at: url, migrations: registry([newer]).upTo(version: 1))
        try cache.importAndWait(from: file)
        #expect(try cache.report.seeds.isEmpty && cache.keys() == ["a"])
        cache.close()
    }

    @Test func `comes back with a backup from before it, and is not in an export`() throws {
        try ship(Self.preset("a", "1"), Self.preset("b", "1"))
        try change { _ in }
        let before = try CacheFile(at: url).backUp()
        try open(registry())
        try change { try $0.remove(forKey: "b") }
        let after = try CacheFile(at: url).backUp()
        try CacheFile(at: url).restore(before)
        #expect(try open(registry()) == "presets: 2 added")
        try CacheFile(at: url).restore(after)
        #expect(try open(registry()).isEmpty)
        #expect(try texts() == ["a": "1"])
        let export = directory.file("export.json")
        try change { try $0.exportAndWait(to: export) }
        let other = try CodableCache(at: directory.file("other.molt"), migrations: registry())
        try other.remove(forKey: "b")
        try other.importAndWait(from: export, onConflict: .replace)
        #expect(try other.keys() == ["a"])
        other.close()
    }

    @Test func `is seen by a cache that has the values in memory`() throws {
        try ship(Self.preset("a", "1"))
        let cache = try CodableCache(at: url, migrations: registry())
        #expect(try cache.value(Int.self, forKey: "a") == 1)
        try ship(Self.preset("a", "2"))
        try open(registry())
        #expect(try cache.value(Int.self, forKey: "a") == 2)
        cache.close()
    }

    @Test func `is applied once by two openings at a time`() throws {
        try ship(Self.preset("a", "1"))
        try change { _ in }
        let test = self
        let monitor = MigrationMonitor.afterPlanning { try test.open(test.registry()) }
        #expect(try open(registry(), .init { $0.monitor = monitor }).isEmpty)
        #expect(try texts() == ["a": "1"])
    }

    // MARK: Faults

    @Test func `that cannot be read fails the opening, with the upgrade kept`() throws {
        let migrations = [Migration(to: 1, "type", .renameType("A", to: "B"))]
        try change { try $0.set(1, forKey: "mine") }
        let missing = MoltError.thrown { try open(registry(migrations)) }
        #expect(missing?.code == .fileMissing && missing?.outcome == .committed)
        let problem = "The seed \"presets\" was not applied. There is no file at \(file.path)."
        #expect(missing?.problem == problem && missing?.store == url.path)
        #expect(missing?.advice == "Ship the file with the app, or remove the seed from the registry.")
        #expect(try CacheFile(at: url).version() == 1)
        #expect(try CacheFile(at: url).plan(registry(migrations)).seeds == ["presets"])
        let names = try directory.names()
        for (text, code) in [("{}", MoltError.Code.malformedExport), ("", .malformedExport)] {
            try Data(text.utf8).write(to: file)
            let error = MoltError.thrown { try open(registry(migrations)) }
            #expect(error?.code == code && error?.outcome == .unchanged)
        }
        try ship(version: 2, migrations: #"[{"name":"later","version":2}]"#)
        let newer = MoltError.thrown { try open(registry(migrations)) }
        #expect(newer?.code == .superseded && newer?.outcome == .unchanged)
        #expect(newer?.advice == "Ship a file that a release with the same migrations has exported.")
        #expect(try directory.names() == (names + ["presets.json"]).sorted())
        try open(MigrationRegistry(migrations))
        #expect(try texts() == ["mine": "1"])
    }

    @Test func `that fails in its transaction leaves the store as the upgrade has left it`() throws {
        struct Fault: Error {}
        try ship(Self.preset("a", "1"))
        let point = UpgradePoint(.beforeCommit, "of the seed")
        let configuration = MoltConfiguration { $0.hooks.atPoint = { if $0 == point { throw Fault() } } }
        #expect(throws: Fault.self) { _ = try open(registry(), configuration) }
        #expect(try texts().isEmpty)
        #expect(try open(registry()) == "presets: 1 added")
    }

    @Test func `needs a name of its own`() throws {
        let faults = registry().seed("presets", from: file).seed(" ", from: file).faults
        let expected = [
            "Two seeds are named \"presets\". Names of seeds are unique: choose another.",
            "A seed has an empty name. Give it one that never changes.",
        ]
        #expect(faults == expected)
    }
}
