import Foundation
import Molt
import Testing

@Suite("Races between the transactions of an upgrade")
struct RaceTests {
    private let store: OldStore
    private var url: URL { store.url }
    private let notebook: Notebook

    init() throws {
        store = try OldStore([StoredRecord("String", "key", #""value""#)])
        notebook = try Notebook(["old"])
    }

    /// Upgrades the store while another app commits an upgrade, and is interrupted before it has changed the notebook.
    private func upgrade(with mine: MigrationRegistry, whileInterrupted other: MigrationRegistry) throws
        -> MigrationReport
    {
        let monitor = MigrationMonitor.afterPlanning { [url, notebook] in
            let configuration = MoltConfiguration { $0.hooks.atPoint = notebook.refusing }
            MoltError.thrown {
                try CodableCache(at: url, migrations: other, configuration: configuration)
            }
        }
        return try upgrade(with: mine, .init { $0.monitor = monitor })
    }

    @discardableResult
    private func upgrade(with migrations: MigrationRegistry, _ configuration: MoltConfiguration) throws
        -> MigrationReport
    {
        try Migrator(migrations, configuration: configuration).migrate(StoreFile(at: url))
    }

    @Test func `A newer app's journal is not applied by an older one`() throws {
        let first = notebook.adding("a")
        MoltError.thrown {
            try upgrade(with: [first], whileInterrupted: [first, notebook.adding("b", to: 2)])
        }?.expect(.superseded)
        try notebook.expectLines("old")
        #expect(try StoreFile.state(at: url).journal == [notebook.name])
    }

    @Test func `The journal of an app with the same or fewer migrations is applied first`() throws {
        let first = notebook.adding("a")
        let report = try upgrade(with: [first, notebook.adding("b", to: 2)], whileInterrupted: [first])
        #expect(report.entries.map(\.migration.name) == ["b"])
        try notebook.expectLines("old", "a", "b")
        #expect(try StoreFile.state(at: url).journal == [])
    }

    /// The lock of a suite, which an upgrade has until its end, keeps other apps away; a directory has none.
    @Test func `An app that upgrades the store in between supersedes this one`() throws {
        let old = try OldDirectory()
        try old.write(#"{"object":1}"#, for: "key")
        let mine = old.adoption(.list(["key"]), removingSource: true)
        let configuration = afterCommit { [store = old.store] in
            // The version is the same, so it alone does not tell.
            try CodableCache(at: store, migrations: [mine, Self.rename]).close()
        }
        MoltError.thrown {
            try Migrator([mine], configuration: configuration).migrate(StoreFile(at: old.store))
        }?.expect(.migrationMissing)
        #expect(!FileManager.default.fileExists(atPath: old.url.path))
    }

    private static let rename = Migration(to: 1, "text", .renameType("String", to: "Text"))

    /// A configuration that runs a closure when the upgrade was committed.
    private func afterCommit(_ body: @escaping @Sendable () throws -> Void) -> MoltConfiguration {
        .init { $0.hooks.atPoint = { if $0 == UpgradePoint(.afterCommit, "of the upgrade") { try body() } } }
    }

    @Test func `Another app waits until the changes of a committed upgrade are made`() throws {
        let mine = notebook.adding("a")
        let refusals = Log<MoltError.Code?>()
        let configuration = afterCommit { [url] in
            let impatient = MoltConfiguration { $0.timeout = .zero }
            let refusal = MoltError.thrown {
                try CodableCache(at: url, migrations: [mine, Self.rename], configuration: impatient)
            }
            refusals.append(refusal?.code)
        }
        try upgrade(with: [mine], configuration)
        #expect(refusals.all == [.busy])
        try notebook.expectLines("old", "a")
    }

    @Test func `Each wait for the lock has its own timeout`() throws {
        let writer = try Writer(url)
        // A transaction's first wait starts its timeout, and its second wait exceeds it.
        var configuration = afterCommit { try writer.begin() }
        configuration.monitor = writer.monitor
        configuration.timeout = .zero
        let first = notebook.adding("a")
        try upgrade(with: [first], configuration)
        #expect(writer.count == 2)
        try notebook.expectLines("old", "a")

        try writer.begin()
        configuration.monitor = nil
        MoltError.thrown {
            try upgrade(with: [first, notebook.adding("b", to: 2)], configuration)
        }?.expect(.busy)
        try writer.end()
    }

    @Test func `Past the commit, cancellation has no effect`() throws {
        let writer = try Writer(url)
        let isCommitted = Locked(false)
        var configuration = afterCommit {
            isCommitted.withLock { $0 = true }
            try writer.begin()
        }
        configuration.monitor = writer.monitor
        configuration.isCancelled = { isCommitted.withLock { $0 } }
        try upgrade(with: [notebook.adding("a")], configuration)
        #expect(writer.count == 2)
        try notebook.expectLines("old", "a")
        #expect(try StoreFile.state(at: url).journal == [])
    }

    /// Another process that has the write lock of a file until an upgrade waits for it; used on one thread only.
    private final class Writer: @unchecked Sendable {
        private let connection: SQLite
        /// How often it took the lock.
        private(set) var count = 0

        init(_ url: URL) throws {
            connection = try SQLite(url)
        }

        func begin() throws {
            try connection.run("BEGIN IMMEDIATE")
            count += 1
        }

        func end() throws {
            try connection.run("COMMIT")
        }

        /// Takes the lock when an upgrade is planned, and releases it each time the upgrade waits.
        var monitor: MigrationMonitor {
            let once = Once()
            once.set { #expect(throws: Never.self) { try self.begin() } }
            return MigrationMonitor { event in
                switch event {
                case .planned: once.run()
                case .waiting: #expect(throws: Never.self) { try self.end() }
                default: break
                }
            }
        }
    }
}
