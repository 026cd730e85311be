import Foundation
import Molt
import Testing

@Suite("A deferred migration")
struct DeferralTests {
    private let scratch: ScratchDirectory
    private let url: URL
    private let notebook: Notebook
    private var hidden: Notebook

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        notebook = Notebook(url: scratch.file("notes"))
        hidden = notebook
        hidden.excuse = "It is locked."
        try notebook.write(["old"])
        let cache = try CodableCache(at: url)
        try cache.set("value", forKey: "key")
        cache.close()
    }

    private func open(_ registry: MigrationRegistry) throws -> MigrationReport {
        let cache = try CodableCache(at: url, migrations: registry)
        defer { cache.close() }
        return cache.report
    }

    @Test func `is not applied, unlike the others, and a later opening applies it`() throws {
        let records = Migration(to: 2, "records", .renameType("String", to: "Text"))
        let first = try open([hidden.adding("a"), records])
        #expect(first.deferred.map(\.migration) == [MigrationID(name: "a", version: 1)])
        #expect(first.deferred.map(\.reason) == ["It is locked."])
        #expect(first.entries.map(\.outcome) == [.deferred, .ran])
        #expect(first.to == 2)
        #expect(first.description.contains("waits: \"a\" (version 1): It is locked."))
        #expect(try CacheStore.state(at: url).ledger.map(\.outcome) == [.deferred, .ran])
        #expect(try notebook.lines == ["old"])

        let second = try open([notebook.adding("a"), records])
        #expect(second.deferred.isEmpty)
        #expect(second.entries.map(\.outcome) == [.ran])
        #expect(try CacheStore.state(at: url).ledger.map(\.outcome) == [.ran, .ran])
        #expect(try notebook.lines == ["old", "a"])

        let third = try open([notebook.adding("a"), records])
        #expect(third.isEmpty)
        #expect(try notebook.lines == ["old", "a"])
    }

    @Test func `Opening writes nothing while the migration is deferred`() throws {
        _ = try open([hidden.adding("a")])
        let bytes = try Data(contentsOf: url)
        let report = try open([hidden.adding("a")])
        #expect(report.isEmpty)
        #expect(report.deferred.count == 1)
        #expect(try Data(contentsOf: url) == bytes)
        let plan = try MigrationPlan(forFileAt: url, migrations: [hidden.adding("a")])
        #expect(!plan.needsUpgrade)
        #expect(plan.entries.map(\.status) == [.deferred])
        #expect(plan.description.contains("must wait"))
    }

    @Test func `does not disturb an open cache when another opening applies it`() throws {
        _ = try open([hidden.adding("a")])
        let holder = try CodableCache(at: url, migrations: [hidden.adding("a")])
        defer { holder.close() }
        _ = try open([notebook.adding("a")])
        #expect(try holder.value(String.self, forKey: "key") == "value")
    }

    @Test func `defers later migrations that use the same attached store, and no others`() throws {
        let other = Notebook(url: scratch.file("others"))
        let registry: MigrationRegistry = [
            hidden.adding("a"), notebook.adding("b", to: 2), other.adding("c", to: 3),
        ]
        let report = try open(registry)
        #expect(report.deferred.map(\.migration.name) == ["a", "b"])
        #expect(report.deferred[1].reason.contains("\"a\" (version 1)"))
        #expect(try other.lines == ["c"])
        #expect(try notebook.lines == ["old"])

        _ = try open([notebook.adding("a"), notebook.adding("b", to: 2), other.adding("c", to: 3)])
        #expect(try notebook.lines == ["old", "a", "b"])
        #expect(try other.lines == ["c"])
    }

    @Test func `fails the opening without any change if it may change records`() throws {
        let hidden = hidden
        let block = MigrationStep.run(attaching: [hidden]) { try $0.pages(hidden).add("a") }
        for steps in [[block], [MigrationStep.renameType("String", to: "Text"), .notes(hidden) { _ in }]] {
            #expect(throws: MoltError.self) {
                try open([Migration(to: 1, "both", steps: steps)])
            }?.expect(.deferred, migration: "both", says: "It is locked.")
            #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)
        }
    }

    @Test func `fails an opening in which a block needs its attached store`() throws {
        let hidden = hidden
        let error = #expect(throws: MoltError.self) {
            try CodableCache(
                at: url,
                migrations: [
                    hidden.adding("a"), Migration(to: 2, "b", .run { _ = try $0.pages(hidden) }),
                ],
                configuration: .init { $0.attached = [hidden] }
            )
        }
        #expect(error?.code == .deferred)
        let advice = "Name it in the step's `attaching`, so that the migration can be deferred."
        #expect(error?.message.contains(advice) == true)
        #expect(error?.migration?.name == "b")
        #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)
    }

    @Test func `waits for an attached store that had content after an earlier migration and is empty now`() throws {
        _ = try open([notebook.adding("a")])
        try FileManager.default.removeItem(at: notebook.url)
        let report = try open([notebook.adding("a"), notebook.adding("b", to: 2)])
        #expect(report.deferred.map(\.reason) == ["It had 2 lines."])
        try notebook.write(["old", "a"])
        _ = try open([notebook.adding("a"), notebook.adding("b", to: 2)])
        #expect(try notebook.lines == ["old", "a", "b"])
    }

    @Test func `can be deferred in a store that was just created`() throws {
        let fresh = scratch.file("fresh.molt")
        let waiting = try CodableCache(at: fresh, migrations: [hidden.adding("a")])
        #expect(waiting.report.deferred.count == 1)
        #expect(waiting.schemaVersion == 1)
        waiting.close()
        let made = try CodableCache(at: fresh, migrations: [notebook.adding("a")])
        made.close()
        #expect(try notebook.lines == ["old", "a"])
    }
}
