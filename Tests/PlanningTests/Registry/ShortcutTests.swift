import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// A migration may stand beside those that it replaces, or complete what some of them have begun.
@Suite("Shortcuts and replacements")
struct ShortcutTests {
    private static let records = [StoredRecord("Person", "p", #"{"trace":""}"#)]

    private static func appending(_ text: String) -> MigrationStep {
        .transform("Person") { $0["trace"] = .string(try $0.string("trace") + text) }
    }

    private static func trace(_ number: Int) -> Migration {
        Migration(to: number, "v\(number)", appending("v\(number)"))
    }

    /// A migration that does what those to some versions do.
    private static func shortcut(_ name: String, _ versions: ClosedRange<Int>) -> Migration {
        Migration(
            to: versions.upperBound,
            name,
            replacing: versions.map { "v\($0)" },
            steps: versions.map { appending("v\($0)") }
        )
    }

    private static let released = MigrationRegistry((1...5).map(trace))

    @Test func `A store in the middle of many nested shortcuts takes none of them`() throws {
        let versions = 1...40
        let squashed = versions.dropFirst().map { version in
            let parts = version == 2 ? ["v1"] : ["v\(version - 1)", "to v\(version - 1)"]
            return Migration(to: version, "to v\(version)", replacing: parts + ["v\(version)"])
        }
        let all = versions.flatMap { version in
            [Migration(to: version, "v\(version)")] + squashed.filter { $0.version == version }
        }
        let plan = plan(MigrationRegistry(all), at: 1, ledger: [("v1", 1)])
        #expect(plan.problems.isEmpty)
        #expect(plan.entries.dropFirst().allSatisfy { $0.status == .pending })
        #expect(plan.entries.count { $0.action == .record(.replaced) } == 39)
    }

    // MARK: Merged migrations

    @Test(arguments: 0...5)
    func `GRDB 34 and 35: replaced migrations may stay beside their replacement, for stores in the middle`(
        start: Int
    ) async throws {
        let store = try OldStore(Self.records)
        try await store.upgrade(Self.released.upTo(version: start))
        let registry = MigrationRegistry(
            Self.released.migrations[...3] + [Self.shortcut("merged", 2...4), Self.released.migrations[4]]
        )
        let report = try await store.upgrade(registry)
        let ran = [
            "v1 ran, merged ran, v5 ran", "merged ran, v5 ran", "v3 ran, v4 ran, merged replaced, v5 ran",
            "v4 ran, merged replaced, v5 ran", "merged replaced, v5 ran", "",
        ]
        #expect(report.outcomes == ran[start])
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4v5"}"#])
        #expect(try await store.upgrade(registry).isEmpty)
        // The replaced migrations may leave the registry once every store is through it.
        let later = MigrationRegistry([Self.trace(1), Self.shortcut("merged", 2...4), Self.trace(5), Self.trace(6)])
        #expect(try await store.upgrade(later).outcomes.hasSuffix("v6 ran"))
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4v5v6"}"#])
    }

    /// GRDB's closure runs on every store, and its merged identifiers leave the log.
    @Test(arguments: ["v4", "merged"], 0...5)
    func `GRDB 34 and 35: a block may be told which replaced migrations were applied, and complete the others`(
        name: String,
        start: Int
    ) async throws {
        let store = try OldStore(Self.records)
        try await store.upgrade(Self.released.upTo(version: start))
        let told = Log<Set<String>>()
        let merged = Migration(to: 4, name, merging: ["v2", "v3", "v4"]) { migration in
            told.append(migration.appliedMigrations)
            let missing = ["v2", "v3", "v4"].filter { !migration.appliedMigrations.contains($0) }
            try migration.enumerate("Person") { _, person in
                person["trace"] = .string(try person.string("trace") + missing.joined())
            }
        }
        let registry: MigrationRegistry = [Self.trace(1), merged, Self.trace(5)]
        try await store.upgrade(registry)
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4v5"}"#])
        let applied: [Set<String>] = [[], [], ["v2"], ["v2", "v3"]]
        #expect(told.all == (start < 4 ? [applied[start]] : []))
        #expect(try await store.upgrade(registry).isEmpty)
    }

    // MARK: Any shortcuts

    @Test(arguments: 0..<40)
    func `Whatever shortcuts a registry has, a store of any release has the same records in the end`(
        seed: Int
    ) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var migrations: [Migration] = []
        var made: [(name: String, versions: ClosedRange<Int>)] = []
        for version in 1...6 {
            migrations.append(Self.trace(version))
            for number in 0..<random.below(3) where version > 1 {
                let first = 1 + random.below(version - 1)
                let shortcut = Self.shortcut("s\(version)-\(number)", first...version)
                // It may name an earlier shortcut instead of what that one replaces, or beside it.
                let earlier = made.last { $0.versions.lowerBound == first }
                let isBeside = random.oneIn(2)
                let parts = (first...version).filter { isBeside || earlier?.versions.contains($0) != true }
                let names = [earlier?.name].compactMap(\.self) + parts.map { "v\($0)" }
                migrations.append(
                    Migration(
                        to: version,
                        shortcut.name,
                        replacing: names.shuffled(using: &random),
                        steps: shortcut.steps
                    )
                )
                made.append((shortcut.name, first...version))
            }
        }
        var registry = MigrationRegistry(migrations)
        // The app may have counted the first versions itself.
        let baseline = random.oneIn(3) ? random.below(7) : 0
        let trace = (1...6).prefix(baseline).map { "v\($0)" }.joined()
        let store = try OldStore([StoredRecord("Person", "p", "{\"trace\":\"\(trace)\"}")])
        if baseline > 0 { registry = registry.baseline(baseline) }
        // The first releases may have had no shortcuts.
        let start = random.below(7)
        for version in 1...6 where random.oneIn(2) && version >= baseline {
            let release = registry.upTo(version: version)
            try await store.upgrade(version < start ? release.withoutShortcuts : release)
        }
        try await store.upgrade(registry)
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4v5v6"}"#])
        let plan = try registry.plan(for: StoreFile(at: store.url))
        #expect(plan.completed.count == migrations.count && !plan.needsUpgrade, "\(plan)")
        // A build without the shortcuts has all that they do, and one that has retired them and their parts, too.
        let squashed = Self.shortcut("squashed", 1...6)
        for other in [registry.withoutShortcuts, [squashed], [squashed, Self.trace(7)]] {
            let report = try await store.upgrade(baseline > 0 ? other.baseline(baseline) : other)
            #expect(report.entries.allSatisfy { $0.outcome == .replaced || $0.migration.name == "v7" }, "\(report)")
        }
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4v5v6v7"}"#])
    }

    // MARK: Retired parts

    /// The names that a replacement of everything may list, in any order.
    @Test(arguments: ["v1 v2 v3", "v3 v2 v1", "v1 v2 short v3", "short v3 v2 v1"])
    func `A replacement stands for a retired one, whose parts a store may have gone through one by one`(
        list: String
    ) async throws {
        let names = list.split(separator: " ").map(String.init)
        let short = Self.shortcut("short", 1...2)
        let beside = MigrationRegistry(Self.released.migrations[...1] + [short, Self.trace(3)])
        let registry: MigrationRegistry = [
            Migration(to: 3, "all", replacing: names, steps: (1...3).map { Self.appending("v\($0)") }), Self.trace(4),
        ]
        let ways: [[MigrationRegistry]] = [[], [beside], [beside.upTo(version: 2), beside], [[short, Self.trace(3)]]]
        for way in ways + [[Self.released.upTo(version: 2), beside]] {
            let store = try OldStore(Self.records)
            for release in way { try await store.upgrade(release) }
            let report = try await store.upgrade(registry)
            #expect(report.outcomes == (way.isEmpty ? "all ran, v4 ran" : "all replaced, v4 ran"))
            #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4"}"#])
            #expect(try await store.upgrade(registry).isEmpty)
        }
        // A store with the parts alone says nothing about the one that replaces them.
        let apart = try OldStore(Self.records)
        try await apart.upgrade(Self.released.upTo(version: 3))
        if names.contains("short") {
            try await apart.failure(registry).expect(
                .partlyReplaced,
                migration: "all",
                says: #"(missing: "short")"#,
                "If a missing one itself replaces some of the others, leave it out of `replacing:`."
            )
        } else {
            #expect(try await apart.upgrade(registry).outcomes == "all replaced, v4 ran")
        }
    }

    @Test func `A shortcut over a replacement without its parts is not taken by a store with some of these`()
        async throws
    {
        let steps = (1...3).map { Self.appending("v\($0)") }
        let long = Migration(to: 3, "long", replacing: ["short", "v3"], steps: steps)
        let registry: MigrationRegistry = [Self.shortcut("short", 1...2), Self.trace(3), long]
        let partly = try OldStore(Self.records)
        try await partly.upgrade(Self.released.upTo(version: 1))
        try await partly.failure(registry).expect(.partlyReplaced, migration: "short", says: #"(missing: "v2")"#)
        let whole = try OldStore(Self.records)
        try await whole.upgrade(Self.released.upTo(version: 2))
        #expect(try await whole.upgrade(registry).outcomes == "short replaced, v3 ran, long replaced")
        #expect(try await OldStore(Self.records).upgrade(registry).outcomes == "long ran")
    }

    // MARK: Older builds

    @Test(arguments: [2, 3])
    func `A build that has all that a shortcut replaces opens the store as its own`(version: Int) async throws {
        let older = Self.released.upTo(version: 2)
        let both = Self.shortcut("both", 1...2)
        let newer = MigrationRegistry(
            older.migrations + [Migration(to: version, "both", replacing: both.replaces, steps: both.steps)]
        )
        let store = try OldStore(Self.records)
        #expect(try await store.upgrade(newer).outcomes == "both ran")
        let cache = try CodableCache(at: store.url, migrations: older)
        #expect(cache.report.isEmpty && !cache.isReadOnly)
        #expect(try cache.value([String: String].self, forKey: "p") == ["trace": "v1v2"])
        try cache.set(["trace": "v1v2"], forKey: "q")
        cache.close()
        let plan = try CacheFile(at: store.url).plan(older)
        #expect(!plan.needsUpgrade && plan.to == version)
        #expect(plan.entries.first?.description == "1  v1  (applied, as \"both\" (version \(version)) replaces it)")
        #expect(try await store.upgrade(newer).isEmpty)
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2"}"#, #"{"trace":"v1v2"}"#])
        // One that has only a part knows that it lacks the other.
        try await store.failure(older.upTo(version: 1)).expect(.superseded)
    }

    /// What the replaced migration declares that the older build lacks, and whether a shortcut over the shortcut ran.
    @Test(arguments: ["nothing", "readable", "writable"], [false, true])
    func `An older build may do what the replaced migrations that it lacks declare`(
        declared: String,
        isNested: Bool
    ) async throws {
        var bump = Migration(to: 2, "bump")
        if declared == "readable" { bump = bump.olderReleases(may: .read) }
        if declared == "writable" { bump = bump.olderReleases(may: .write) }
        let steps = [Self.appending("v1")]
        let both = Migration(to: 2, "both", replacing: ["v1", "bump"], steps: steps)
        var newer: MigrationRegistry = [Self.trace(1), bump, both]
        if isNested {
            newer.register(Migration(to: 3, "third").olderReleases(may: .write))
            newer.register(Migration(to: 3, "all", replacing: ["both", "third"], steps: steps))
        }
        let store = try OldStore(Self.records)
        #expect(try await store.upgrade(newer).outcomes == (isNested ? "all ran" : "both ran"))
        func open() throws -> CodableCache {
            declared == "writable"
                ? try CodableCache(at: store.url, migrations: [Self.trace(1)])
                : try CodableCache(reading: store.url, migrations: [Self.trace(1)])
        }
        guard declared != "nothing" else {
            let error = #expect(throws: MoltError.self) { try open() }
            error?.expect(.superseded, says: "does not declare `olderReleases(may: .read)`")
            return
        }
        let cache = try open()
        defer { cache.close() }
        #expect(cache.isReadOnly == (declared == "readable"))
        #expect(try cache.value([String: String].self, forKey: "p") == ["trace": "v1"])
    }

    @Test func `A longer shortcut goes before a shorter one, and may replace another shortcut`() async throws {
        let long = Migration(
            to: 4,
            "long",
            replacing: ["short", "v4"],
            steps: (2...4).map { Self.appending("v\($0)") }
        )
        let registry = MigrationRegistry(
            Self.released.migrations[...2] + [Self.shortcut("short", 2...3), Self.trace(4), long]
        )
        let store = try OldStore(Self.records)
        #expect(try await store.upgrade(registry.upTo("v1")).outcomes == "v1 ran")
        let plan = try registry.plan(for: StoreFile(at: store.url))
        #expect(
            plan.description.hasSuffix(
                """
                : version 1 to 4, 1 of 6 migrations to run
                  · 1  v1  (applied)
                  · 2  v2  (not needed: "long" (version 4) replaces it)
                  · 3  v3  (not needed: "long" (version 4) replaces it)
                  · 3  short  (not needed: "long" (version 4) replaces it)
                  · 4  v4  (not needed: "long" (version 4) replaces it)
                  > 4  long  (pending)
                       - transform Person
                       - transform Person
                       - transform Person
                """
            ),
            "\(plan)"
        )
        #expect(try await store.upgrade(registry).outcomes == "long ran")
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4"}"#])

        let other = try OldStore(Self.records)
        try await other.upgrade(registry.upTo("short"))
        #expect(try await other.upgrade(registry).outcomes == "v4 ran, long replaced")
        #expect(try other.snapshot().contents == [#"{"trace":"v1v2v3v4"}"#])
    }

    @Test func `A new store is created with the shortcut, and a document goes through what it replaces`() throws {
        let registry = MigrationRegistry(Self.released.migrations[...2] + [Self.shortcut("short", 2...3)])
        let cache = try CodableCache(inMemory: registry)
        #expect(cache.report.outcomes == "v1 bornFresh, short bornFresh")
        let document = try DocumentUpgrade(registry)
            .upgrade(Data(#"{"trace":"v1v2"}"#.utf8), ofType: "Person", writtenAt: 2)
        #expect(String(decoding: document.content, as: UTF8.self) == #"{"trace":"v1v2v3"}"#)
    }

    @Test func `A replacement may have the name of its first part, and runs once on a store with that one`()
        async throws
    {
        let store = try OldStore(Self.records)
        try await store.upgrade(Self.released.upTo(version: 2))
        let merged = Migration(to: 3, "v2", merging: ["v2", "v3"]) {
            try $0.enumerate("Person") { _, new in new["trace"] = .string(try new.string("trace") + "v3") }
        }
        let registry: MigrationRegistry = [Self.trace(1), merged]
        for _ in 1...3 { try await store.upgrade(registry) }
        try await store.upgrade([Self.trace(1), merged, Self.trace(4)])
        #expect(try store.snapshot().contents == [#"{"trace":"v1v2v3v4"}"#])
        #expect(try store.snapshot().ledger.map(\.name) == ["v1", "v2", "v4"])
    }

    @Test func `A record in quarantine is retried through the replaced migrations, and not through the shortcut`()
        async throws
    {
        let store = try OldStore([StoredRecord("Person", "p", #"{"trace":1}"#)])
        try await store.upgrade(Self.released.upTo(version: 2).onFailure(.quarantine(upTo: .unlimited)))
        let registry = MigrationRegistry(
            Self.released.migrations[...2] + [Self.shortcut("short", 2...3), Self.trace(4)]
        )
        try await store.upgrade(registry)
        try SQLite(store.url).run(#"UPDATE molt_quarantine SET content = '{"trace":""}'"#)
        let cache = try CodableCache(at: store.url, migrations: registry)
        defer { cache.close() }
        try cache.retry(with: registry, expecting: "p: converted")
        #expect(try cache.value([String: String].self, forKey: "p") == ["trace": "v1v2v3v4"])
    }

    // MARK: Corrections

    private func correct(_ change: LedgerChange, of store: OldStore, _ registry: MigrationRegistry) throws {
        try CacheFile(at: store.url).correctLedger(change, migrations: registry, reason: "a test")
    }

    @Test func `A replaced migration that is marked as applied puts the store in the middle`() async throws {
        let registry = MigrationRegistry(Self.released.migrations[...3] + [Self.shortcut("short", 2...4)])
        let store = try OldStore(Self.records)
        try correct(.markApplied("v1"), of: store, registry)
        #expect(try StoreFile.state(at: store.url).version == 1)
        try correct(.markApplied("v2"), of: store, registry)
        let plan = try CacheFile(at: store.url).plan(registry)
        #expect(plan.applied.map(\.name) == ["v1", "v2"])
        #expect(
            plan.entries.last?.description
                == "4  short  (counts as applied once the migrations that it replaces have run)"
        )
        #expect(try await store.upgrade(registry).outcomes == "v3 ran, v4 ran, short replaced")
        #expect(try store.snapshot().contents == [#"{"trace":"v3v4"}"#])
        // The shortcut itself stands for all of them.
        let other = try OldStore(Self.records)
        try correct(.markApplied("v1"), of: other, registry)
        try correct(.markApplied("short"), of: other, registry)
        #expect(try StoreFile.state(at: other.url).version == 4)
        #expect(try await other.upgrade(registry).isEmpty)
        // It can be marked as pending, too, although the store counts the shortcut as applied.
        try correct(.markPending("v3"), of: store, registry)
        #expect(try await store.upgrade(registry).outcomes == "v3 ran")
        #expect(try store.snapshot().contents == [#"{"trace":"v3v4v3"}"#])
    }

    @Test func `A replacement with the name of a part can be marked as applied on a store with that part`() async throws
    {
        let store = try OldStore(Self.records)
        try await store.upgrade(Self.released.upTo(version: 1))
        let merged = Migration(to: 2, "v1", replacing: ["v1", "v2"], Self.appending("v1"), Self.appending("v2"))
        let registry: MigrationRegistry = [merged, Self.trace(3)]
        try await store.failure(registry).expect(.partlyReplaced)
        try correct(.markApplied("v1"), of: store, registry)
        #expect(try await store.upgrade(registry).outcomes == "v3 ran")
        #expect(try await store.upgrade(registry).isEmpty)
    }

    // MARK: Settings

    /// A line that each migration adds to a suite, in order.
    private func registry(_ notebook: Notebook) -> MigrationRegistry {
        [
            notebook.adding("a"), notebook.adding("b", to: 2),
            Migration(
                to: 2,
                "both",
                replacing: ["a", "b"],
                .notes(notebook) {
                    try $0.add("a")
                    try $0.add("b")
                }
            ),
        ]
    }

    @Test func `A cache goes through what a shortcut replaces if another store brought its suite through a part`()
        async throws
    {
        let notebook = try Notebook(["old"])
        let registry = registry(notebook)
        try await OldStore(Self.records).upgrade(registry.upTo("a"))
        let store = try OldStore(Self.records)
        #expect(try await store.upgrade(registry).outcomes == "a ran, b ran, both replaced")
        #expect(try notebook.lines == ["old", "a", "b"])
        let last = try OldStore(Self.records)
        #expect(try await last.upgrade(registry).outcomes == "both ran")
        #expect(try notebook.lines == ["old", "a", "b"])
    }

    @Test func `A later migration that was marked as applied says nothing about replaced ones`() throws {
        let notebook = try Notebook(["old"])
        let parts = registry(notebook)
        let later = MigrationRegistry([parts.migrations[0], parts.migrations[1], notebook.adding("c", to: 5)])
        try notebook.suite.upgrade(with: parts.upTo("a"))
        try notebook.suite.correctLedger(.markApplied("c"), with: later, reason: "a test")
        let merged: MigrationRegistry = [parts.migrations[2], notebook.adding("c", to: 5)]
        #expect(throws: MoltError.self) { try notebook.suite.upgrade(with: merged) }?
            .expect(.partlyReplaced, migration: "both", says: #"(missing: "b")"#)
        try notebook.suite.upgrade(with: MigrationRegistry(parts.migrations + [notebook.adding("c", to: 5)]))
        #expect(try notebook.lines == ["old", "a", "b"])
    }

    /// Puts a suite back from a copy, which has a ledger, as every copy that an upgrade has left.
    private func put(_ copy: [String: PropertyListValue], into notebook: Notebook) throws {
        let values = copy.merging([Suite.ledgerKey: #"{"entries":[],"format":2,"version":0}"#]) { own, _ in own }
        try notebook.suite.write(set: values, remove: Set(notebook.suite.allValues().keys).subtracting(values.keys))
    }

    @Test func `A suite that is put back from a copy goes through what it lacks, by the shortcut or by its parts`()
        async throws
    {
        let notebook = try Notebook(["old"])
        let registry = registry(notebook)
        let copies = try [registry.upTo(version: 0), registry.upTo("a")].map { part in
            try notebook.suite.upgrade(with: part)
            return try notebook.suite.allValues()
        }
        let store = try OldStore(Self.records)
        try await store.upgrade(MigrationRegistry([]))
        for (copy, outcomes) in zip(copies, ["both ran", "b ran"]) {
            try put(copy, into: notebook)
            let report = try await store.upgrade(registry)
            #expect(report.outcomes == outcomes)
            #expect(try notebook.lines == ["old", "a", "b"])
            #expect(try await store.upgrade(registry).isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `A replacement without its parts is refused, whatever opens a suite that has been through some of them`(
        isNew: Bool
    ) throws {
        let notebook = try Notebook(["old"])
        let parts = registry(notebook)
        try notebook.suite.upgrade(with: parts.upTo("a"))
        let registry: MigrationRegistry = [parts.migrations[2], notebook.adding("c", to: 5)]
        let store = try OldStore(Self.records)
        let url = isNew ? store.url.appendingPathExtension("new") : store.url
        let errors = [
            #expect(throws: MoltError.self) { try CodableCache(at: url, migrations: registry) },
            #expect(throws: MoltError.self) { try CacheFile(at: store.url).dryRunAndWait(registry) },
            #expect(throws: MoltError.self) { try notebook.suite.upgrade(with: registry) },
        ]
        for error in errors {
            error?.expect(.partlyReplaced, migration: "both", says: #"("a") but not all (missing: "b")"#)
        }
        #expect(try notebook.lines == ["old", "a"])
        // Beside its parts, the suite goes on from where it is.
        try notebook.suite.upgrade(with: parts)
        try CodableCache(at: url, migrations: registry).close()
        #expect(try notebook.lines == ["old", "a", "b", "c"])
    }

    @Test func `A suite need not have been through replaced migrations that do not work on it`() async throws {
        let notebook = try Notebook(["old"])
        let mixed = Migration(
            to: 2,
            "mixed",
            replacing: ["a", "v2"],
            .notes(notebook) { try $0.add("a") },
            Self.appending("v2")
        )
        let released: MigrationRegistry = [notebook.adding("a"), Self.trace(2)]
        let store = try OldStore(Self.records)
        try await store.upgrade(released)
        #expect(try await store.upgrade([mixed]).isEmpty)
        // Without the store that knows, the suite's later migrations tell.
        let other = try OldStore(Self.records)
        try await other.failure([mixed]).expect(.partlyReplaced, migration: "mixed")
        try notebook.suite.upgrade(with: MigrationRegistry(released.migrations + [notebook.adding("c", to: 3)]))
        #expect(try await other.upgrade([mixed, notebook.adding("c", to: 3)]).outcomes == "mixed ran, c ran")
        #expect(try notebook.lines == ["old", "a", "c"])
        try notebook.suite.upgrade(with: [mixed, notebook.adding("c", to: 3)])
    }

    @Test func `A part of a suite's history may have the name of its replacement`() async throws {
        let notebook = try Notebook(["old"])
        try notebook.suite.upgrade(with: [notebook.adding("a")])
        let merged = Migration(to: 2, "a", replacing: ["a", "b"], .notes(notebook) { try $0.add("b") })
        try await OldStore(Self.records).failure([merged]).expect(.partlyReplaced, migration: "a")
    }

    @Test(arguments: 0..<16)
    func `Settings go through each change once, by whatever paths and registries`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let notebook = try Notebook(["old"])
        let letters = ["a", "b", "c", "d"]
        var migrations: [Migration] = []
        for (index, letter) in letters.enumerated() {
            migrations.append(notebook.adding(letter, to: index + 1))
            guard index > 0, random.oneIn(2) else { continue }
            let parts = Array(letters[random.below(index)...index])
            let steps = MigrationStep.notes(notebook) { for part in parts { try $0.add(part) } }
            migrations.append(Migration(to: index + 1, "to \(letter)", replacing: parts, steps))
        }
        let last = notebook.adding("e", to: 5)
        let registry = MigrationRegistry(migrations + [last])
        let squashed = Migration(
            to: 4,
            "squashed",
            replacing: letters,
            .notes(notebook) { for letter in letters { try $0.add(letter) } }
        )
        // Without the migrations that it replaces.
        let retired: MigrationRegistry = [squashed, last]
        let expected = ["old"] + letters + ["e"]
        let stores = try [OldStore(Self.records), OldStore(Self.records)]
        for _ in 1...5 {
            var release = registry.upTo(version: 1 + random.below(5))
            if random.oneIn(2) { release = release.withoutShortcuts }
            if random.oneIn(3) { release = random.oneIn(2) ? [squashed] : retired }
            let before = try notebook.lines
            let path = random.below(4)
            do {
                switch path {
                case 0: try notebook.suite.upgrade(with: release)
                case 1: try CodableCache(at: stores[0].url.appendingPathExtension("new"), migrations: release).close()
                default: try await stores[path - 2].upgrade(release)
                }
            } catch let error as MoltError {
                #expect([.superseded, .partlyReplaced, .migrationMissing].contains(error.code), "\(error)")
                #expect(try notebook.lines == before)
            }
            #expect(try notebook.lines == Array(expected.prefix(notebook.lines.count)))
        }
        try notebook.suite.upgrade(with: registry)
        for store in stores { try await store.upgrade(registry) }
        #expect(try notebook.lines == expected)
        try notebook.suite.upgrade(with: retired)
        #expect(try notebook.lines == expected)
    }

    @Test func `Nested shortcuts run once for each suite, whichever store or copy comes first`() async throws {
        let notebook = try Notebook(["old"])
        func shortcut(to version: Int, _ name: String, _ replaced: [String], _ lines: String...) -> Migration {
            let steps = MigrationStep.notes(notebook) { for line in lines { try $0.add(line) } }
            return Migration(to: version, name, replacing: replaced, steps)
        }
        let registry: MigrationRegistry = [
            Self.trace(1), notebook.adding("b", to: 3), shortcut(to: 3, "short", ["v1", "b"], "b"),
            notebook.adding("c", to: 4), shortcut(to: 4, "long", ["short", "c"], "b", "c"),
        ]
        let original = try notebook.suite.allValues()
        try notebook.suite.upgrade(with: [registry.migrations[1]])
        let partly = try notebook.suite.allValues()
        try put(original, into: notebook)
        // The migration on records comes first in one store only.
        let first = try OldStore(Self.records)
        #expect(try await first.upgrade(registry).outcomes == "long ran")
        let second = try OldStore(Self.records)
        try await second.upgrade(registry.upTo("v1"))
        #expect(try await second.upgrade(registry).outcomes == "b ran, short replaced, c ran, long replaced")
        #expect(try notebook.lines == ["old", "b", "c"])
        // A copy that has been through a part gets the other.
        try put(partly, into: notebook)
        #expect(try await first.upgrade(registry).outcomes == "c ran")
        #expect(try notebook.lines == ["old", "b", "c"])
        #expect(try await first.upgrade(registry).isEmpty)
    }

    @Test func `A suite alone is up to date after a shortcut, and nothing is written`() throws {
        let notebook = try Notebook(["old"])
        let registry = MigrationRegistry(registry(notebook).migrations + [Self.trace(3)])
        #expect(try notebook.suite.upgrade(with: registry).outcomes == "both ran")
        #expect(try notebook.suite.upgrade(with: registry).isEmpty)
        #expect(try !notebook.suite.plan(registry).needsUpgrade)
    }

    @Test func `A cache that waits with a shortcut goes through what another store left of the replaced migrations`()
        async throws
    {
        let notebook = try Notebook(["old"])
        let registry = registry(notebook)
        let store = try OldStore(Self.records)
        try notebook.whileClosed { try CodableCache(at: store.url, migrations: registry).close() }
        try notebook.suite.upgrade(with: registry.upTo("a"))
        #expect(try await store.upgrade(registry).outcomes == "a ran, b ran, both replaced")
        #expect(try notebook.lines == ["old", "a", "b"])
        // Nothing waits any more.
        let other = try OldStore(Self.records)
        try notebook.whileClosed { try CodableCache(at: other.url, migrations: registry.withoutShortcuts).close() }
        try await other.upgrade(registry)
        #expect(try other.snapshot().ledger.allSatisfy { $0.outcome != .deferred })
    }

    @Test func `A shortcut waits with the replaced migration that waits`() async throws {
        let notebook = try Notebook(["old"])
        let registry = registry(notebook)
        let store = try OldStore(Self.records)
        try await store.upgrade(registry.upTo("a"))
        let waiting = MigrationPlan.Action.wait(#"It replaces migration "b" (version 2), which must wait."#)
        try notebook.whileClosed {
            let plan = try registry.plan(for: StoreFile(at: store.url))
            #expect(plan.entries.last?.action == waiting, "\(plan)")
            try CodableCache(at: store.url, migrations: registry).close()
        }
        #expect(try await store.upgrade(registry).outcomes == "b ran, both replaced")
        #expect(try notebook.lines == ["old", "a", "b"])
    }

    // MARK: One number, two shapes

    /// The guide's recipe; each store ends with one email.
    @Test func `Two builds may have given one number to different migrations, and a later one completes either`()
        async throws
    {
        func renaming(_ name: String, to newName: String) -> Migration {
            Migration(to: 1, name, .renameProperty("Person", "mail", to: newName))
        }
        let records = [StoredRecord("Person", "p", #"{"mail":"m"}"#)]
        let beta = try OldStore(records)
        try await beta.upgrade([renaming("beta-address", to: "address")])
        let shipped: MigrationRegistry = [renaming("mail-becomes-email", to: "email")]
        try await beta.failure(shipped).expect(
            .migrationMissing,
            migration: "beta-address",
            says: #"Version 1 is "beta-address" there and "mail-becomes-email" here."#,
            "If two builds gave version 1 to different migrations",
            #"`merging: ["beta-address", "mail-becomes-email"]`"#
        )
        let stores = try [beta, OldStore(records), OldStore(records)]
        try await stores[1].upgrade(shipped)
        for store in stores {
            try await store.upgrade([
                Migration(to: 2, "email", merging: ["beta-address", "mail-becomes-email"]) { migration in
                    if migration.appliedMigrations.contains("beta-address") {
                        try migration.renameProperty("Person", "address", to: "email")
                    } else if migration.appliedMigrations.isEmpty {
                        try migration.renameProperty("Person", "mail", to: "email")
                    }
                }
            ])
            #expect(try store.snapshot().contents == [#"{"email":"m"}"#])
        }
    }
}
