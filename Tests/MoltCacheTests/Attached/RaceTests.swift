import Foundation
import Molt
import Testing

@Suite("Races between the transactions of an upgrade")
struct RaceTests {
    private let scratch: ScratchDirectory
    private let url: URL
    private let notebook: Notebook

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        notebook = Notebook(url: scratch.file("notes"))
        try notebook.write(["old"])
        let cache = try CodableCache(at: url)
        try cache.set("value", forKey: "key")
        cache.close()
    }

    private func open(_ registry: MigrationRegistry) throws {
        try CodableCache(at: url, migrations: registry).close()
    }

    @Test func `A newer app's journal is not applied by an older one`() throws {
        // The newer app is interrupted between its commit and the end of its upgrade.
        let newer = {
            #expect(throws: MoltError.self) {
                try open([notebook.broken.adding("a"), notebook.broken.adding("b", to: 2)])
            }
        }
        let store = RacingStore(at: url, before: [{ _ = newer() }])
        let error = #expect(throws: MoltError.self) { try Migrator([notebook.adding("a")]).migrate(store) }
        #expect(error?.code == .superseded)
        #expect(try notebook.lines == ["old"])
        #expect(try CacheStore.state(at: url).journal == [notebook.attachedName])
    }

    @Test func `The journal of an app with the same or fewer migrations is applied first`() throws {
        let other = { #expect(throws: MoltError.self) { try open([notebook.broken.adding("a")]) } }
        let store = RacingStore(at: url, before: [{ _ = other() }])
        let report = try Migrator([notebook.adding("a"), notebook.adding("b", to: 2)]).migrate(store)
        #expect(report.entries.map(\.migration.name) == ["b"])
        #expect(try notebook.lines == ["old", "a", "b"])
        #expect(try CacheStore.state(at: url).journal == [])
    }

    @Test func `An app that upgrades the store in between supersedes this one`() throws {
        // The version is the same, so it alone does not tell.
        let mine = notebook.adding("a")
        let newer = { try open([mine, Migration(to: 1, "text", .renameType("String", to: "Text"))]) }
        let store = RacingStore(at: url, before: [{}, newer])
        #expect(throws: MoltError.self) { try Migrator([mine]).migrate(store) }?.expect(.migrationMissing)
        #expect(try notebook.lines == ["old", "a"])
    }

    @Test func `Each wait for the lock has its own timeout`() throws {
        var options = MigrationOptions()
        // A transaction's first wait starts its timeout, and its second wait exceeds it.
        options.lockTimeout = .zero
        let store = RacingStore(at: url, waits: 1)
        let report = try Migrator([notebook.adding("a")], options: options).migrate(store)
        #expect(report.to == 1)
        #expect(try notebook.lines == ["old", "a"])
        let slow = RacingStore(at: url, waits: 2)
        #expect(throws: MoltError.self) {
            try Migrator([notebook.adding("a"), notebook.adding("b", to: 2)], options: options).migrate(slow)
        }?.expect(.busy)
    }

    @Test func `Past the commit, cancellation has no effect`() throws {
        let isCommitted = Flag()
        let store = RacingStore(at: url, waits: 1, before: [{}, { isCommitted.set() }])
        let options = MigrationOptions(isCancelled: { isCommitted.isSet })
        let report = try Migrator([notebook.adding("a")], options: options).migrate(store)
        #expect(report.entries.map(\.outcome) == [.ran])
        #expect(try notebook.lines == ["old", "a"])
        #expect(try CacheStore.state(at: url).journal == [])
    }

    private final class Flag: Sendable {
        private let value = Locked(false)

        var isSet: Bool { value.withLock { $0 } }

        func set() {
            value.withLock { $0 = true }
        }
    }
}
