import Foundation
import Molt
import MoltCore
import Testing

@Suite("What is said and done when an upgrade with a backup fails behind a commit")
struct BatchedBackupTests {
    private let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
        try scenario.fill(1, count: 100)
    }

    private func open(
        _ migrations: [Migration],
        _ change: (inout CodableCache.Configuration) -> Void = { _ in }
    ) throws -> CodableCache {
        try CodableCache(
            at: scenario.url,
            migrations: MigrationRegistry(BackupScenario.registry(1).migrations + migrations),
            configuration: BackupScenario.configuration { configuration in
                configuration.batchSize = 10
                change(&configuration)
            }
        )
    }

    /// Commits batches of 10 records, and fails at one.
    private func batched(at key: String, _ failure: @escaping @Sendable () throws -> Void) -> Migration {
        let step = MigrationStep.transform("Person") { person in
            if person.key == key { try failure() }
            person["batched"] = true
        }
        return Migration(to: 3, "batched", step).committingInBatches(of: 10)
    }

    @Test func `A plain migration stays when the first batch behind it fails`() throws {
        let plain = Migration(to: 2, "plain", .addProperty("Person", "plain", default: true))
        let error = #expect(throws: MigrationError.self) {
            try open([plain, batched(at: "0") { throw Refusal() }])
        }
        let message = try #require(error?.message)
        #expect(error?.code == .stepFailed)
        #expect(message.contains("what was committed before stays"), "\(message)")
        #expect(!message.contains("as it was"), "\(message)")
        #expect(try scenario.contents.version == 2)
        #expect(try scenario.backups.map(\.schemaVersion) == [1])
    }

    @Test func `Batches stay when the backup cannot be put back`() throws {
        let url = scenario.url
        let error = #expect(throws: MigrationError.self) {
            try open([batched(at: "55") { throw Refusal() }]) { configuration in
                configuration.atPoint = { point in
                    guard point.kind == .afterBackup else { return }
                    let backup = try #require(try CodableCache.backups(at: url).first)
                    try Data(repeating: 0x78, count: 40_000).write(to: backup.url)
                }
            }
        }
        let message = try #require(error?.message)
        #expect(message.contains("could not be put back"), "\(message)")
        #expect(message.contains("what was committed before stays"), "\(message)")
        #expect(!message.contains("as it was"), "\(message)")
        #expect(try CacheStore.state(at: url).unfinished?.counts.read == 50)
    }

    @Test func `Batches stay when a closure was asked to stop`() throws {
        let error = #expect(throws: MigrationError.self) {
            try open([batched(at: "55") { throw CancellationError() }])
        }
        let message = try #require(error?.message)
        #expect(message.contains("what was committed before stays"), "\(message)")
        #expect(!message.contains("restored"), "\(message)")
        #expect(try CacheStore.state(at: scenario.url).unfinished?.counts.read == 50)
        #expect(try open([batched(at: "55") {}]).report.entries.map(\.counts.changed) == [100])
    }

    /// A notebook that a restore brings back to having no lines.
    private struct EmptiedNotebook: AttachedStore {
        let notebook: Notebook
        var attachedName: String { notebook.attachedName }

        func begin() throws -> Notebook.Pages { try notebook.begin() }
        func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws { try notebook.apply(changes, phase) }
        func changesBackToNow() throws -> [UInt8]? {
            Array(try JSONEncoder().encode(Notebook.Pages.Changes(removed: ["one"])))
        }
    }

    @Test func `The note of the attempt is gone when the backup was put back`() throws {
        let notebook = Notebook(url: scenario.scratch.file("notes"))
        let attached = EmptiedNotebook(notebook: notebook)
        let note = Migration(to: 2, "note", .run(attaching: [attached]) { try $0.attached(attached).add("one") })
        let lines = Log<[String]>()
        let error = #expect(throws: MigrationError.self) {
            try open([
                note,
                batched(at: "55") {
                    lines.append(try notebook.lines)
                    throw Refusal()
                },
            ])
        }
        let message = try #require(error?.message)
        #expect(message.contains("was restored from the backup made before"), "\(message)")
        #expect(lines.all.first == ["one"])
        #expect(try notebook.lines.isEmpty)
        #expect(CodableCache.unfinishedAttempts(at: scenario.url).isEmpty)
        #expect(try scenario.scratch.names().allSatisfy { !$0.hasSuffix("-attempt") })
    }
}
