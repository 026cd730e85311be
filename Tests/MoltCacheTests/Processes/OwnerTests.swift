import Foundation
import Testing

@testable import Molt

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

    private func open(_ owner: MoltConfiguration.Owner, monitor: MigrationMonitor? = nil) throws -> CodableCache {
        let configuration = CodableCache.Configuration {
            $0.owner = owner
            $0.monitor = monitor
        }
        return try CodableCache(at: url, migrations: renaming, configuration: configuration)
    }

    @Test(arguments: [MoltConfiguration.Owner.anotherProcess(), .anotherProcess(waiting: .milliseconds(30))])
    func `gets an error, at once or after its timeout, if the store must be upgraded`(owner: MoltConfiguration.Owner)
        throws
    {
        try makeOld()
        let bytes = try Data(contentsOf: url)
        let error = #expect(throws: MoltError.self) { try open(owner) }
        let words = "must be upgraded to 1"
        error?.expect(.needsMigration, store: url.path, storeVersion: 0, registryVersion: 1, says: words)
        #expect(error?.message.contains("within 0.03 seconds") == (owner != .anotherProcess()))
        #expect(try Data(contentsOf: url) == bytes)
        #expect(try scratch.names() == ["cache.molt"])
    }

    @Test func `creates no file`() throws {
        expectMoltError(.needsMigration, says: "The store does not exist yet") { try open(.anotherProcess()) }
        #expect(try scratch.names().isEmpty)
    }

    @Test func `opens an up-to-date store as usual`() throws {
        try makeOld()
        try CodableCache(at: url, migrations: renaming).close()
        let cache = try open(.anotherProcess())
        #expect(cache.report.isEmpty)
        #expect(try cache.value(Alien.self, forKey: "john")?.firstName == "John")
        try cache.set(1, forKey: "number")
        #expect(try cache.value(Int.self, forKey: "number") == 1)
    }

    @Test func `gets the usual error from a newer store`() throws {
        try CodableCache(at: url, migrations: [Migration(to: 9, "newer")]).close()
        expectMoltError(.superseded) { try open(.anotherProcess(waiting: .seconds(60))) }
    }

    @Test func `does not apply the journaled changes of a committed upgrade`() throws {
        let notebook = try Notebook()
        let registry: MigrationRegistry = [notebook.adding("new")]
        try makeOld()
        var configuration = CodableCache.Configuration { $0.hooks.atPoint = notebook.refusing }
        expectMoltError { try CodableCache(at: url, migrations: registry, configuration: configuration) }
        configuration.hooks.atPoint = nil
        configuration.owner = .anotherProcess()
        expectMoltError(.needsMigration, says: "is committed") {
            try CodableCache(at: url, migrations: registry, configuration: configuration)
        }
        #expect(try notebook.lines.isEmpty)

        configuration.owner = .thisProcess
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
                var configuration = CodableCache.Configuration()
                configuration.owner = .anotherProcess(waiting: .seconds(60))
                configuration.monitor = MigrationMonitor { event in
                    if case .waiting = event { _ = FileManager.default.createFile(atPath: waits, contents: nil) }
                }
                let cache = try CodableCache(at: url, migrations: renaming, configuration: configuration)
                #expect(cache.report.isEmpty && cache.schemaVersion == 1)
                #expect(try cache.value(Alien.self, forKey: "john")?.firstName == "John")
            }
            #expect(app.all.isEmpty)
        }
    #endif

    @Test func `can be cancelled while it waits`() throws {
        try makeOld()
        let monitor = MigrationMonitor()
        monitor.progress.cancel()
        expectMoltError(.cancelled) { try open(.anotherProcess(waiting: .seconds(3_600)), monitor: monitor) }
    }

    @Test func `creates its own in-memory store, because no other process can`() throws {
        let cache = try CodableCache(inMemory: renaming, configuration: .init { $0.owner = .anotherProcess() })
        #expect(cache.schemaVersion == 1)
    }

    @Test func `can still make a dry run of the upgrade`() throws {
        try makeOld()
        let configuration = CodableCache.Configuration { $0.owner = .anotherProcess() }
        #expect(try CodableCache.dryRun(at: url, migrations: renaming, configuration: configuration).to == 1)
    }
}

private let renaming: MigrationRegistry = [Migration(to: 1, "rename", .renameType("Person", to: "Alien"))]
