import Foundation
import Molt
import Testing

@Suite("The journal of changes to attached stores")
struct JournalTests {
    private let scratch: ScratchDirectory
    private let url: URL
    private let notebook: Notebook
    private let other: Notebook

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        notebook = Notebook(url: scratch.file("notes"))
        other = Notebook(url: scratch.file("others"))
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

    private func waiting() throws -> [String] {
        try SQLite(url).rows("SELECT store FROM molt_journal ORDER BY id").map { $0[0] }
    }

    @Test func `Changes are applied after the commit, and then deleted from the journal`() throws {
        let notebook = notebook
        let report = try open([
            Migration(
                to: 1,
                "note",
                .notes(notebook) { migration in
                    try migration.pages(notebook).add("new")
                    #expect(try notebook.lines == ["old"])
                }
            )
        ])
        #expect(try notebook.lines == ["old", "new"])
        #expect(try waiting().isEmpty)
        #expect(report.entries.map(\.outcome) == [.ran])
        #expect(report.entries[0].attachedCounts == ["notebook notes": 2])
        #expect(try CacheStore.state(at: url).ledger.map(\.attachedCounts) == [["notebook notes": 2]])
    }

    @Test func `A step sees the changes of the steps before it`() throws {
        let notebook = notebook
        _ = try open([
            notebook.adding("new"),
            Migration(
                to: 2,
                "second",
                .notes(notebook) { migration in
                    let pages = try migration.pages(notebook)
                    #expect(pages.lines == ["old", "new"])
                    try pages.add("newer")
                }
            ),
        ])
        #expect(try notebook.lines == ["old", "new", "newer"])
    }

    @Test func `A step that fails changes no attached store`() throws {
        #expect(throws: MoltError.self) {
            try open([notebook.adding("new"), Migration(to: 2, "fails", .run { _ in throw Refusal() })])
        }?.expect(.stepFailed)
        #expect(try notebook.lines == ["old"])
        #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)
    }

    @Test func `A session cannot be used after its upgrade, whether it was committed or not`() throws {
        let notebook = notebook
        let kept = Kept()
        #expect(throws: MoltError.self) {
            try open([
                Migration(
                    to: 1,
                    "a",
                    .notes(notebook) { migration in
                        kept.add(try migration.pages(notebook))
                        throw Refusal()
                    }
                )
            ])
        }
        _ = try open([Migration(to: 1, "b", .notes(notebook) { kept.add(try $0.pages(notebook)) })])
        #expect(kept.sessions.count == 2)
        for session in kept.sessions {
            #expect(throws: MoltError.self) { try session.add("late") }?.expect(.contextExpired)
        }
    }

    /// Sessions that outlive their upgrade; used on one thread only.
    private final class Kept: @unchecked Sendable {
        private(set) var sessions: [Notebook.Pages] = []

        func add(_ session: Notebook.Pages) { sessions.append(session) }
    }

    @Test func `Changes that could not be applied stay in the journal until the next opening`() throws {
        let error = #expect(throws: MoltError.self) { try open([notebook.broken.adding("new")]) }
        error?.expect(.attachedStoreFailed, attachedStore: "notebook notes")
        #expect(error?.underlying is Notebook.Failure)
        #expect(try CodableCache.schemaVersion(ofFileAt: url) == 1)
        #expect(try waiting() == ["notebook notes"])

        let plan = try MigrationPlan(forFileAt: url, migrations: [notebook.adding("new")])
        #expect(plan.journal == ["notebook notes"])
        #expect(plan.needsUpgrade)
        let line = "changes of a committed upgrade have not been applied yet to: notebook notes"
        #expect(plan.description.contains(line))
        #expect(try notebook.lines == ["old"])

        let report = try open([notebook.adding("new")])
        #expect(report.isEmpty)
        #expect(try notebook.lines == ["old", "new"])
        #expect(try waiting().isEmpty)
    }

    @Test func `Journaled changes are applied before new steps run`() throws {
        let notebook = notebook
        #expect(throws: MoltError.self) { try open([notebook.broken.adding("new")]) }
        _ = try open([
            notebook.adding("new"),
            Migration(
                to: 2,
                "look",
                .notes(notebook) { migration in
                    let lines = try migration.pages(notebook).lines
                    #expect(lines == ["old", "new"])
                }
            ),
        ])
    }

    @Test func `Journaled changes for a store that is no longer attached are an error, and are kept`() throws {
        #expect(throws: MoltError.self) {
            try open([notebook.broken.adding("new")])
        }
        // Another registry, as after the migration was retired.
        let retired = MigrationRegistry([], oldestSupportedVersion: 1)
        let error = #expect(throws: MoltError.self) { try open(retired) }
        #expect(error?.code == .notAttached)
        #expect(
            error?.message
                == "The store has changes for notebook notes, which is not attached. Attach it where the store is opened. "
                + "The upgrade is committed. Its remaining changes outside the store will be applied when the store is "
                + "next opened."
        )
        #expect(error?.attachedStore == "notebook notes")
        #expect(try waiting() == ["notebook notes"])

        try CodableCache(at: url, migrations: retired, configuration: .init { $0.attached = [notebook] }).close()
        #expect(try notebook.lines == ["old", "new"])
    }

    @Test func `An older app leaves the journal of a newer one alone`() throws {
        let first = Migration(to: 1, "first", .notes(notebook.broken) { _ in })
        #expect(throws: MoltError.self) {
            try open([first, notebook.broken.adding("new", to: 2)])
        }
        #expect(throws: MoltError.self) { try open([first]) }?.expect(.superseded)
        #expect(try notebook.lines == ["old"])
        #expect(try waiting() == ["notebook notes"])
    }

    @Test func `Nothing is removed from any store before everything is added to every store`() throws {
        let notebook = notebook
        func registry(_ other: Notebook) -> MigrationRegistry {
            [
                Migration(
                    to: 1,
                    "move",
                    .notes(notebook, also: [other]) { migration in
                        try migration.pages(notebook).remove("old")
                        try migration.pages(other).add("old")
                    }
                )
            ]
        }
        #expect(throws: MoltError.self) { try open(registry(other.broken)) }
        #expect(try notebook.lines == ["old"])
        _ = try open(registry(other))
        #expect(try notebook.lines == [])
        #expect(try other.lines == ["old"])
    }

    @Test func `A block can use only stores that are attached`() throws {
        let notebook = notebook
        let block = MigrationStep.run { try $0.pages(notebook).add("new") }
        let error = #expect(throws: MoltError.self) { try open([Migration(to: 1, "note", block)]) }
        error?.expect(.notAttached, migration: "note", says: "Pass it in the step's `attaching`, or attach it where")
        #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)

        let attaching = MigrationStep.run(attaching: [notebook]) { try $0.pages(notebook).add("new") }
        _ = try open([Migration(to: 1, "note", attaching)])
        #expect(try notebook.lines == ["old", "new"])
    }

    @Test func `A store attached at the opening takes precedence over one that a step names`() throws {
        var stand = other
        stand.url = scratch.url.appendingPathComponent("scratch").appendingPathComponent("notes")
        try FileManager.default.createDirectory(
            at: stand.url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let registry: MigrationRegistry = [notebook.adding("new")]
        try CodableCache(at: url, migrations: registry, configuration: .init { $0.attached = [stand] }).close()
        #expect(try stand.lines == ["new"])
        #expect(try notebook.lines == ["old"])
    }

    @Test func `A dry run reads the attached store and changes nothing`() throws {
        let registry: MigrationRegistry = [notebook.adding("new")]
        let report = try CodableCache.dryRun(at: url, migrations: registry)
        #expect(report.entries[0].attachedCounts == ["notebook notes": 2])
        #expect(try notebook.lines == ["old"])
        #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)
    }

    @Test func `A dry run refuses a store with a pending journal`() throws {
        let notebook = notebook
        let first = notebook.broken.adding("new")
        #expect(throws: MoltError.self) { try open([first]) }
        #expect(throws: MoltError.self) {
            try CodableCache.dryRun(
                at: url,
                migrations: [first, Migration(to: 2, "look", .notes(notebook) { _ = try $0.pages(notebook) })]
            )
        }?.expect(.journalPending)
        #expect(try waiting() == ["notebook notes"])
    }

    @Test func `Steps that use attached stores run on a store that was just created`() throws {
        let registry: MigrationRegistry = [
            notebook.adding("new"),
            Migration(to: 2, "records", .run { _ in Issue.record("There is no record.") }),
        ]
        let fresh = scratch.file("fresh.molt")
        let cache = try CodableCache(at: fresh, migrations: registry)
        defer { cache.close() }
        #expect(try notebook.lines == ["old", "new"])
        #expect(cache.report.entries.map(\.outcome) == [.ran, .bornFresh])
    }

    @Test func `Progress counts no records for a step that reads none`() throws {
        let monitor = MigrationMonitor()
        let registry: MigrationRegistry = [
            Migration(to: 1, "touch", .transform("String") { _ in }),
            notebook.adding("new"),
        ]
        try CodableCache(at: url, migrations: registry, configuration: .init { $0.monitor = monitor }).close()
        #expect(monitor.progress.totalUnitCount == 1)
        #expect(monitor.progress.isFinished)
    }

    @Test func `Faults of a built-in step are faults of the registry`() throws {
        let step = MigrationStep(kind: "w", summary: "w", parameters: [], faults: ["It is wrong."], attaching: []) {
            _ in
        }
        let error = #expect(throws: MoltError.self) { try open([Migration(to: 1, "wrong", step)]) }
        error?.expect(.invalidRegistry, says: "\"wrong\" (version 1), step 1: It is wrong.")
    }
}
