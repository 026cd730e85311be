import Foundation
import Molt
import Testing

@Suite("The journal of changes to attached stores")
struct JournalTests {
    private let store: OldStore
    private var url: URL { store.url }
    private let notebook: Notebook
    private let other: Notebook

    init() throws {
        store = try OldStore([StoredRecord("String", "key", #""value""#)])
        notebook = try Notebook(["old"])
        other = try Notebook()
    }

    /// - Parameter refused: A notebook to which no change can be applied.
    @discardableResult
    private func open(_ registry: MigrationRegistry, refusing refused: Notebook? = nil) throws -> MigrationReport {
        let configuration = MoltConfiguration { $0.hooks.atPoint = refused?.refusing }
        let cache = try CodableCache(at: url, migrations: registry, configuration: configuration)
        defer { cache.close() }
        return cache.report
    }

    /// The error of an opening.
    @discardableResult
    private func failure(
        _ registry: MigrationRegistry,
        refusing refused: Notebook? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> MoltError {
        try #require(throws: MoltError.self, sourceLocation: sourceLocation) {
            try open(registry, refusing: refused)
        }
    }

    /// The stores in the journal.
    private func waiting() throws -> [String] {
        try SQLite(url).rows("SELECT store FROM molt_journal ORDER BY id").map { $0[0] }
    }

    @Test func `Changes are applied after the commit, and are seen by later steps before it`() throws {
        let notebook = notebook
        let later = MigrationStep.notes(notebook) { pages in
            #expect(try pages.lines == ["old", "new"])
            try notebook.expectLines("old")
            try pages.add("newer")
        }
        let report = try open([notebook.adding("new"), Migration(to: 2, "later", later)])
        try notebook.expectLines("old", "new", "newer")
        #expect(try waiting().isEmpty)
        #expect(report.entries.map(\.outcome) == [.ran, .ran])
        let counts = [[notebook.name: 2], [notebook.name: 3]]
        #expect(report.entries.map(\.attachedCounts) == counts)
        #expect(try StoreFile.state(at: url).ledger.map(\.attachedCounts) == counts)
    }

    #if CHILD_PROCESSES
        /// Where an upgrade ends.
        enum End: CaseIterable, Codable { case committed, stepFailed, finishingFailed }

        /// Ends, and which of three notebooks is changed too late; the second one makes the last end fail.
        private static let ends: [(End, Int)] = TestRun.choose(
            [(.committed, 1), (.stepFailed, 0), (.finishingFailed, 2)],
            long: End.allCases.flatMap { end in (0..<3).map { (end, $0) } }
        )

        @Test(arguments: ends)
        func `The settings of an upgrade that are used after it stop the process`(end: End, index: Int) async {
            let result = await #expect(processExitsWith: .failure) { [end = end as End, index = index as Int] in
                let scratch = try ScratchDirectory()
                let notebooks = [try Notebook(), try Notebook(), try Notebook()]
                if end == .finishingFailed {
                    // A ledger that this release can read but not write.
                    let ledger = #"{"format":9,"readerFormat":2,"version":0,"entries":[]}"#
                    try notebooks[1].suite.write(set: [Suite.ledgerKey: .string(ledger)])
                }
                let kept = Kept()
                let step = MigrationStep.run(suites: notebooks.map(\.suite)) { migration in
                    for notebook in notebooks {
                        kept.settings.append(try migration.pages(notebook))
                        try migration.pages(notebook).add("new")
                    }
                    if end == .stepFailed { throw Refusal() }
                }
                // A fresh store would skip the block.
                let url = scratch.file()
                try CodableCache(at: url).close()
                do {
                    try CodableCache(at: url, migrations: [Migration(to: 1, "a", step)]).close()
                    guard end == .committed else { return }
                } catch let error as MoltError {
                    guard error.code == (end == .stepFailed ? .stepFailed : .newerFormat) else { return }
                }
                for notebook in notebooks { notebook.suite.erase() }
                guard kept.settings.count == notebooks.count else { return }
                try kept.settings[index].add("late")
            }
            guard case .signal = result?.exitStatus else {
                Issue.record("The call threw an error, or did nothing.")
                return
            }
        }
    #endif

    /// Settings that outlive their upgrade; used on one thread only.
    private final class Kept: @unchecked Sendable {
        var settings: [SuiteEditor] = []
    }

    @Test func `An error of a subscript fails the step that caused it, and no attached store is changed`() throws {
        let registry: MigrationRegistry = [
            notebook.adding("new"),
            Migration(to: 2, "faulty", .notes(notebook) { $0.subscriptFailed(Refusal()) }),
            Migration(to: 3, "innocent", .notes(notebook) { _ in }),
        ]
        try failure(registry).expect(.stepFailed, migration: "faulty", step: 1, suite: notebook.name)
        try notebook.expectLines("old")
        #expect(try CacheFile(at: url).version() == 0)
    }

    @Test func `Changes that could not be applied stay in the journal until the next opening`() throws {
        let error = try failure([notebook.adding("new")], refusing: notebook)
        error.expect(.suiteFailed, suite: notebook.name)
        #expect(error.underlying is Notebook.Failure)

        let plan = try CacheFile(at: url).plan([notebook.adding("new")])
        #expect(plan.from == 1 && plan.needsUpgrade)
        #expect(plan.journal == [notebook.name])
        let line = "changes to \(notebook.name) from an earlier upgrade have not been applied yet"
        #expect(plan.description.contains(line))
        try notebook.expectLines("old")

        // They are applied before a new step runs.
        let seen = Log<[String]>()
        let look = Migration(to: 2, "look", .notes(notebook) { seen.append(try $0.lines) })
        let report = try open([notebook.adding("new"), look])
        #expect(report.entries.map(\.migration) == [look.id])
        #expect(seen.all == [["old", "new"]])
        try notebook.expectLines("old", "new")
        #expect(try waiting().isEmpty)
    }

    @Test func `Journaled changes for a store that is no longer attached are an error, and are kept`() throws {
        try failure([notebook.adding("new")], refusing: notebook)
        // Another registry, as after the migration was retired.
        let retired = MigrationRegistry([]).oldestVersion(1)
        let error = try failure(retired)
        error.expect(.suiteNotNamed, suite: notebook.name)
        let message = """
            The store has changes for \(notebook.name), which the configuration does not name. The changes are committed. \
            The next opening of the store completes them. Add it to \
            `MoltConfiguration.suites`.
            """
        #expect(error.message == message)
        #expect(try waiting() == [notebook.name])

        try CodableCache(at: url, migrations: retired, configuration: .init { $0.suites = [notebook.suite] }).close()
        try notebook.expectLines("old", "new")
    }

    @Test func `Nothing is removed from any store before everything is added to every store`() throws {
        let move = MigrationStep.run(suites: [notebook.suite, other.suite]) { [notebook, other] migration in
            try migration.pages(notebook).removeValue(forKey: "old")
            try migration.pages(other).add("old")
        }
        let registry: MigrationRegistry = [Migration(to: 1, "move", move)]
        try failure(registry, refusing: other)
        try notebook.expectLines("old")
        try open(registry)
        try notebook.expectLines()
        try other.expectLines("old")
    }

    @Test func `A block can use only suites that a step or the configuration names`() throws {
        let notebook = notebook
        let block = MigrationStep.run { try $0.pages(notebook).add("new") }
        let error = try failure([Migration(to: 1, "note", block)])
        error.expect(.suiteNotNamed, migration: "note", says: "Pass it in the step's `suites`, or add it to")
        #expect(try CacheFile(at: url).version() == 0)

        let attaching = MigrationStep.run(suites: [notebook.suite]) { try $0.pages(notebook).add("new") }
        try open([Migration(to: 1, "note", attaching)])
        try notebook.expectLines("old", "new")
    }

    @Test func `A store attached at the opening takes precedence over one that a step names`() throws {
        let configuration = MoltConfiguration {
            $0.suites = [notebook.suite.standIn(named: other.suite.domainName)]
        }
        try CodableCache(at: url, migrations: [notebook.adding("new")], configuration: configuration).close()
        try other.expectLines("new")
        try notebook.expectLines("old")
    }

    @Test func `A dry run reads the attached store, changes nothing, and refuses a store with a journal`() throws {
        let first = notebook.adding("new")
        let report = try CacheFile(at: url).dryRunAndWait([first])
        #expect(report.entries[0].attachedCounts == [notebook.name: 2])
        try notebook.expectLines("old")
        #expect(try CacheFile(at: url).version() == 0)

        try failure([first], refusing: notebook)
        let more: MigrationRegistry = [first, Migration(to: 2, "look", .notes(notebook) { _ in })]
        MoltError.thrown { try CacheFile(at: url).dryRunAndWait(more) }?.expect(.journalPending)
        #expect(try waiting() == [notebook.name])
    }

    @Test func `Steps that use attached stores run on a store that was just created`() throws {
        let records = Migration(to: 2, "records", .run { _ in Issue.record("There is no record.") })
        let fresh = store.directory.file("fresh.molt")
        let cache = try CodableCache(at: fresh, migrations: [notebook.adding("new"), records])
        defer { cache.close() }
        try notebook.expectLines("old", "new")
        #expect(cache.report.entries.map(\.outcome) == [.ran, .createdAtVersion])
    }

    @Test func `Progress counts no records for a step that reads none`() throws {
        let events = Log<MigrationEvent>()
        let monitor = MigrationMonitor { events.append($0) }
        let registry: MigrationRegistry = [
            Migration(to: 1, "touch", .transform("String") { _ in }),
            notebook.adding("new"),
        ]
        try CodableCache(at: url, migrations: registry, configuration: .init { $0.monitor = monitor }).close()
        #expect(events.all.lastProgress?.total == 1)
        #expect(events.all.lastProgress?.completed == 1)
    }
}
