import Foundation
import Testing

@testable import Molt

@Suite("A deferred migration")
struct DeferralTests {
    private let store: OldStore
    private var url: URL { store.url }
    private let notebook: Notebook

    init() throws {
        store = try OldStore([StoredRecord("String", "key", #""value""#)])
        notebook = try Notebook(["old"])
    }

    @discardableResult
    private func open(_ registry: MigrationRegistry) throws -> MigrationReport {
        let cache = try CodableCache(at: url, migrations: registry)
        defer { cache.close() }
        return cache.report
    }

    @Test func `is not applied, unlike the others, and a later opening applies it`() throws {
        let records = Migration(to: 2, "records", .renameType("String", to: "Text"))
        let registry: MigrationRegistry = [notebook.adding("a"), records]
        let first = try notebook.whileClosed { try open(registry) }
        #expect(first.deferred.map(\.reason) == [notebook.excuse])
        #expect(first.entries.map(\.outcome) == [.deferred, .ran])
        #expect(first.to == 2)
        #expect(first.description.contains("waits: \"a\" (version 1): \(notebook.excuse)"))
        #expect(try StoreFile.state(at: url).ledger.map(\.outcome) == [.deferred, .ran])
        #expect(try notebook.lines == ["old"])

        let second = try open(registry)
        #expect(second.deferred.isEmpty)
        #expect(second.entries.map(\.outcome) == [.ran])
        #expect(try StoreFile.state(at: url).ledger.map(\.outcome) == [.ran, .ran])
        #expect(try notebook.lines == ["old", "a"])

        #expect(try open(registry).isEmpty)
        #expect(try notebook.lines == ["old", "a"])
    }

    @Test func `Opening writes nothing while the migration is deferred`() throws {
        let registry: MigrationRegistry = [notebook.adding("a")]
        try notebook.whileClosed {
            try open(registry)
            let bytes = try Data(contentsOf: url)
            let report = try open(registry)
            #expect(report.isEmpty)
            #expect(report.deferred.count == 1)
            #expect(try Data(contentsOf: url) == bytes)
            let plan = try MigrationPlan(forFileAt: url, migrations: registry)
            #expect(!plan.needsUpgrade)
            #expect(plan.deferred.map(\.migration) == plan.entries.map(\.migration))
            #expect(plan.description.contains("must wait"))
        }
    }

    @Test func `does not disturb an open cache when another opening applies it`() throws {
        let holder = try notebook.whileClosed { try CodableCache(at: url, migrations: [notebook.adding("a")]) }
        defer { holder.close() }
        try open([notebook.adding("a")])
        #expect(try holder.value(String.self, forKey: "key") == "value")
    }

    @Test func `defers later migrations that use the same attached store, and no others`() throws {
        let other = try Notebook()
        let both = try Notebook()
        // It uses both notebooks, of which only one is closed.
        let step = MigrationStep(
            kind: "both",
            summary: "use both",
            parameters: [],
            attaching: [.suite(notebook.suite), .suite(both.suite)]
        ) { [both] in try $0.pages(both).add("b") }
        let registry: MigrationRegistry = [
            notebook.adding("a"), Migration(to: 2, "b", step), both.adding("c", to: 3), other.adding("d", to: 4),
        ]
        let report = try notebook.whileClosed { try open(registry) }
        #expect(report.deferred.map(\.migration.name) == ["a", "b", "c"])
        #expect(report.deferred[1].reason.contains("\"a\" (version 1)"))
        #expect(report.deferred[2].reason.contains("\"b\" (version 2)"))
        #expect(try other.lines == ["d"])
        #expect(try notebook.lines == ["old"])
        #expect(try both.lines.isEmpty)

        try open(registry)
        #expect(try notebook.lines == ["old", "a"])
        #expect(try both.lines == ["b", "c"])
        #expect(try other.lines == ["d"])
    }

    @Test func `fails the opening without any change if it may change records`() throws {
        let block = MigrationStep.run(attaching: [notebook.suite]) { [notebook] in try $0.pages(notebook).add("a") }
        for steps in [[block], [MigrationStep.renameType("String", to: "Text"), .notes(notebook) { _ in }]] {
            #expect(throws: MoltError.self) {
                try notebook.whileClosed { try open([Migration(to: 1, "both", steps: steps)]) }
            }?.expect(.deferred, migration: "both", says: notebook.excuse)
            #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)
        }
    }

    @Test func `fails an opening in which a block needs its attached store`() throws {
        let registry: MigrationRegistry = [
            notebook.adding("a"), Migration(to: 2, "b", .run { [notebook] in _ = try $0.pages(notebook) }),
        ]
        let configuration = CodableCache.Configuration { $0.attached = [notebook.suite] }
        let advice = "Name it in the step's `attaching`, so that the migration can be deferred."
        #expect(throws: MoltError.self) {
            try notebook.whileClosed { try CodableCache(at: url, migrations: registry, configuration: configuration) }
        }?.expect(.deferred, migration: "b", says: advice)
        #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)
    }

    @Test func `waits for an attached store that had content after an earlier migration and is empty now`() throws {
        let both: MigrationRegistry = [notebook.adding("a"), notebook.adding("b", to: 2)]
        try open([notebook.adding("a")])
        try notebook.suite.removeAll()
        let report = try open(both)
        let deferral = try #require(report.deferred.first)
        #expect(report.deferred.count == 1 && deferral.migration.name == "b")
        #expect(deferral.reason.contains("read as empty, though there were 2"))
        try notebook.write(["old", "a"])
        try open(both)
        #expect(try notebook.lines == ["old", "a", "b"])
    }

    @Test func `can be deferred in a store that was just created`() throws {
        let fresh = store.directory.file("fresh.molt")
        let registry: MigrationRegistry = [notebook.adding("a")]
        let waiting = try notebook.whileClosed { try CodableCache(at: fresh, migrations: registry) }
        #expect(waiting.report.deferred.count == 1)
        #expect(waiting.schemaVersion == 1)
        waiting.close()
        try CodableCache(at: fresh, migrations: registry).close()
        #expect(try notebook.lines == ["old", "a"])
    }
}
