import Foundation
import Molt
import Testing

@Suite("A process that leaves the upgrade to another one")
struct OwnerTests {
    private let scratch: ScratchDirectory
    private let url: URL

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
    }

    private func makeOld() throws {
        let cache = try CodableCache(at: url)
        try cache.set(Person.john, forKey: "john")
        cache.close()
    }

    private func open(_ owner: MoltConfiguration.Process, isCancelled: Bool = false) throws -> CodableCache {
        let configuration = MoltConfiguration {
            $0.process = owner
            $0.isCancelled = { isCancelled }
        }
        return try CodableCache(at: url, migrations: renaming, configuration: configuration)
    }

    @Test func `gets an error, at once or after its timeout, if the store must be upgraded`() throws {
        MoltError.thrown { try open(.helper()) }?.expect(.needsMigration, says: "The store does not exist yet")
        try expectNames(in: scratch)
        try makeOld()
        let bytes = try Data(contentsOf: url)
        for owner in [MoltConfiguration.Process.helper(), .helper(waiting: .milliseconds(30))] {
            let error = MoltError.thrown { try open(owner) }
            error?.expect(
                .needsMigration,
                store: url.path,
                storeVersion: 0,
                registryVersion: 1,
                says: "must be upgraded to 1"
            )
            #expect(error?.message.contains("within 0.03 seconds") == (owner != .helper()))
        }
        #expect(try Data(contentsOf: url) == bytes)
        try expectNames("cache.molt", in: scratch)
    }

    @Test func `opens an up-to-date store as usual, and makes a dry run of an upgrade`() throws {
        try makeOld()
        let configuration = MoltConfiguration { $0.process = .helper() }
        #expect(try CacheFile(at: url).dryRunAndWait(renaming, configuration: configuration).to == 1)
        try CodableCache(at: url, migrations: renaming).close()
        let cache = try open(.helper())
        #expect(cache.report.isEmpty)
        #expect(try cache.value(Alien.self, forKey: "john")?.firstName == "John")
        try cache.set(1, forKey: "number")
        try cache.expect(1, forKey: "number")
    }

    @Test func `does not wait for a newer store, nor after it was cancelled`() throws {
        try makeOld()
        MoltError.thrown { try open(.helper(waiting: .seconds(3_600)), isCancelled: true) }?.expect(.cancelled)
        try CodableCache(at: url, migrations: [Migration(to: 9, "newer")]).close()
        MoltError.thrown { try open(.helper(waiting: .seconds(3_600))) }?.expect(.superseded)
    }

    @Test func `does not apply the journaled changes of a committed upgrade`() throws {
        let notebook = try Notebook()
        let registry: MigrationRegistry = [notebook.adding("new")]
        try makeOld()
        var configuration = MoltConfiguration { $0.hooks.atPoint = notebook.refusing }
        MoltError.thrown {
            try CodableCache(at: url, migrations: registry, configuration: configuration)
        }?.expect(.suiteFailed)
        configuration.hooks.atPoint = nil
        configuration.process = .helper()
        MoltError.thrown {
            try CodableCache(at: url, migrations: registry, configuration: configuration)
        }?.expect(.needsMigration, says: "is committed")
        #expect(try notebook.lines.isEmpty)

        configuration.process = .app
        try CodableCache(at: url, migrations: registry, configuration: configuration).close()
        #expect(try notebook.lines == ["new"])
    }

    #if CHILD_PROCESSES
        @Test func `sees the upgrade that another process made while it waited`() async throws {
            try makeOld()
            let url = url
            let waits = scratch.file("waits").path
            let app = besideChild(whenThereIs: waits) { try CodableCache(at: url, migrations: renaming).close() }
            await #expect(processExitsWith: .success) {
                [url = url as URL, waits = waits as String] in
                var configuration = MoltConfiguration()
                configuration.process = .helper(waiting: .seconds(60))
                configuration.monitor = MigrationMonitor { event in
                    if case .waiting = event { _ = FileManager.default.createFile(atPath: waits, contents: nil) }
                }
                let cache = try CodableCache(at: url, migrations: renaming, configuration: configuration)
                #expect(cache.report.isEmpty && cache.version == 1)
                #expect(try cache.value(Alien.self, forKey: "john")?.firstName == "John")
            }
            #expect(app.all.isEmpty)
        }
    #endif

    @Test func `creates its own in-memory store, because no other process can`() throws {
        let cache = try CodableCache(inMemory: renaming, configuration: .init { $0.process = .helper() })
        #expect(cache.version == 1)
    }
}

private let renaming: MigrationRegistry = [Migration(to: 1, "rename", .renameType("Person", to: "Alien"))]
