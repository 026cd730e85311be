import Foundation
import Molt
import Testing

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

    @Test func `is not applied, unlike the others, until an opening can apply it`() throws {
        let records = Migration(to: 2, "records", .renameType("String", to: "Text"))
        let settings = notebook.adding("a")
        let registry: MigrationRegistry = [settings, records]
        let waiting = [notebook.excuse]
        func expect(_ report: MigrationReport, ran: [String], ledger: [LedgerEntry.Outcome]) throws {
            let names = report.applied.map(\.name)
            #expect(names == ran)
            let outcomes = try StoreFile.state(at: url).ledger.map(\.outcome)
            #expect(outcomes == ledger)
            #expect(try notebook.lines == (ledger.first == .ran ? ["old", "a"] : ["old"]))
        }
        let first = try notebook.whileClosed { try open(registry) }
        try expect(first, ran: ["records"], ledger: [.deferred, .ran])
        #expect(first.to == 2 && first.deferred.map(\.reason) == waiting)
        #expect(first.description.contains("waits: \"a\" (version 1): \(notebook.excuse)"))

        let bytes = try Data(contentsOf: url)
        try notebook.whileClosed {
            let second = try open(registry)
            #expect(second.isEmpty && second.deferred.map(\.reason) == waiting)
            let plan = try CacheFile(at: url).plan(registry)
            #expect(!plan.needsUpgrade && plan.deferred.map(\.reason) == waiting)
            #expect(plan.description.contains("must wait"))
        }
        #expect(try Data(contentsOf: url) == bytes)
        let third = try open(registry)
        #expect(third.deferred.isEmpty)
        try expect(third, ran: ["a"], ledger: [.ran, .ran])
        let fourth = try open(registry)
        #expect(fourth.isEmpty)
        try expect(fourth, ran: [], ledger: [.ran, .ran])
    }

    @Test func `does not disturb an open cache when another opening applies it`() throws {
        let holder = try notebook.whileClosed { try CodableCache(at: url, migrations: [notebook.adding("a")]) }
        defer { holder.close() }
        try open([notebook.adding("a")])
        #expect(try holder.value(String.self, forKey: "key") == "value")
    }

    @Test func `defers later migrations that work on the same suite, and no others`() throws {
        let other = try Notebook()
        let both = try Notebook()
        // It uses both notebooks, of which only one is closed.
        let move = Migration.suiteToAppGroup(
            to: 2,
            "b",
            from: notebook.suite,
            into: both.suite,
            keys: .only(["a"]),
            removingSource: true
        )
        let registry: MigrationRegistry = [
            notebook.adding("a"), move, both.adding("c", to: 3), other.adding("d", to: 4),
        ]
        func lines() throws -> [[String]] { try [notebook, both, other].map { try $0.lines } }
        let report = try notebook.whileClosed { try open(registry) }
        let reasons = [
            notebook.excuse,
            "It works on \(notebook.name), and so does migration \"a\" (version 1), which must wait.",
            "It works on \(both.name), and so does migration \"b\" (version 2), which must wait.",
        ]
        #expect(report.deferred.map(\.reason) == reasons)
        #expect(try lines() == [["old"], [], ["d"]])
        try open(registry)
        #expect(try lines() == [["old"], ["a", "c"], ["d"]])
    }

    @Test func `fails the opening without any change if it may change records`() throws {
        let block = MigrationStep.run(suites: [notebook.suite]) { [notebook] in try $0.pages(notebook).add("a") }
        for steps in [[block], [MigrationStep.renameType("String", to: "Text"), .notes(notebook) { _ in }]] {
            MoltError.thrown {
                try notebook.whileClosed { try open([Migration(to: 1, "both", steps: steps)]) }
            }?.expect(.deferred, migration: "both", says: notebook.excuse)
            #expect(try CacheFile(at: url).version() == 0)
        }
    }

    @Test func `fails an opening in which a block needs its attached store`() throws {
        let registry: MigrationRegistry = [
            notebook.adding("a"), Migration(to: 2, "b", .run { [notebook] in _ = try $0.pages(notebook) }),
        ]
        let configuration = MoltConfiguration { $0.suites = [notebook.suite] }
        let advice = "Name it in the step's `suites`, so that the migration can be deferred."
        MoltError.thrown {
            try notebook.whileClosed { try CodableCache(at: url, migrations: registry, configuration: configuration) }
        }?.expect(.deferred, migration: "b", says: advice)
        #expect(try CacheFile(at: url).version() == 0)
    }

    @Test func `waits for an attached store that had content after an earlier migration and is empty now`() throws {
        let both: MigrationRegistry = [notebook.adding("a"), notebook.adding("b", to: 2)]
        try open([notebook.adding("a")])
        try notebook.disappear()
        let report = try open(both)
        #expect(report.deferred.map(\.migration.name) == ["b"])
        let reason = try #require(report.deferred.first?.reason)
        #expect(reason.contains("read as empty, but there were 2"))
        // Only Apple's devices are unlocked.
        #if canImport(Darwin)
            #expect(reason.contains("may not have been unlocked"))
        #else
            #expect(reason.contains("emptied or removed their file") && !reason.contains("unlocked"))
        #endif
        try notebook.write(["old", "a"])
        try open(both)
        try notebook.expectLines("old", "a", "b")
    }
}
