import Foundation
import Generators
import TestSupport
import Testing

@testable import Molt

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
        let merged = Migration(
            to: 4,
            name,
            replacing: ["v2", "v3", "v4"],
            .run { migration in
                told.append(migration.appliedReplaced)
                let missing = ["v2", "v3", "v4"].filter { !migration.appliedReplaced.contains($0) }
                try migration.enumerate("Person") { _, person in
                    person["trace"] = .string(try person.string("trace") + missing.joined())
                }
            }
        ).completesReplaced()
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
        for version in 1...6 {
            migrations.append(Self.trace(version))
            for number in 0..<random.below(3) where version > 1 {
                let first = 1 + random.below(version - 1)
                migrations.append(Self.shortcut("s\(version)-\(number)", first...version))
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
        let plan = try MigrationPlan(for: StoreFile(at: store.url), migrations: registry)
        #expect(plan.completed.count == migrations.count && !plan.needsUpgrade, "\(plan)")
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
        let plan = try MigrationPlan(for: StoreFile(at: store.url), migrations: registry)
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
        let merged = Migration(
            to: 3,
            "v2",
            replacing: ["v2", "v3"],
            .run { try $0.enumerate("Person") { _, new in new["trace"] = .string(try new.string("trace") + "v3") } }
        ).completesReplaced()
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
        try await store.upgrade(Self.released.upTo(version: 2).onFailure(.quarantine(upTo: .none)))
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
        try CodableCache.correctLedger(change, at: store.url, migrations: registry, reason: "a test")
    }

    @Test func `A replaced migration that is marked as applied puts the store in the middle`() async throws {
        let registry = MigrationRegistry(Self.released.migrations[...3] + [Self.shortcut("short", 2...4)])
        let store = try OldStore(Self.records)
        try correct(.markApplied("v1"), of: store, registry)
        #expect(try StoreFile.state(at: store.url).version == 1)
        try correct(.markApplied("v2"), of: store, registry)
        let plan = try MigrationPlan(forFileAt: store.url, migrations: registry)
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

    /// Puts a suite back from a copy.
    private func put(_ values: [String: PropertyListValue], into notebook: Notebook) throws {
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
        try await notebook.suite.upgrade(with: [registry.migrations[1]])
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

    @Test func `A suite alone is up to date after a shortcut, and nothing is written`() async throws {
        let notebook = try Notebook(["old"])
        let registry = MigrationRegistry(registry(notebook).migrations + [Self.trace(3)])
        #expect(try await notebook.suite.upgrade(with: registry).outcomes == "both ran")
        #expect(try await notebook.suite.upgrade(with: registry).isEmpty)
        #expect(try !MigrationPlan(for: notebook.suite, migrations: registry).needsUpgrade)
    }

    @Test func `A cache that waits with a shortcut goes through what another store left of the replaced migrations`()
        async throws
    {
        let notebook = try Notebook(["old"])
        let registry = registry(notebook)
        let store = try OldStore(Self.records)
        try notebook.whileClosed { try CodableCache(at: store.url, migrations: registry).close() }
        try await notebook.suite.upgrade(with: registry.upTo("a"))
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
            let plan = try MigrationPlan(for: StoreFile(at: store.url), migrations: registry)
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
            #"`replacing: ["beta-address", "mail-becomes-email"]` and `completesReplaced()`"#
        )
        let stores = try [beta, OldStore(records), OldStore(records)]
        try await stores[1].upgrade(shipped)
        for store in stores {
            try await store.upgrade([
                Migration(
                    to: 2,
                    "email",
                    replacing: ["beta-address", "mail-becomes-email"],
                    .run { migration in
                        if migration.appliedReplaced.contains("beta-address") {
                            try migration.renameProperty("Person", "address", to: "email")
                        } else if migration.appliedReplaced.isEmpty {
                            try migration.renameProperty("Person", "mail", to: "email")
                        }
                    }
                ).completesReplaced()
            ])
            #expect(try store.snapshot().contents == [#"{"email":"m"}"#])
        }
    }
}
