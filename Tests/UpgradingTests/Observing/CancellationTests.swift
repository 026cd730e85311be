import Foundation
import Molt
import Testing

@Suite("Cancelling an upgrade and waiting for another")
struct CancellationTests {
    private static let records = (0..<1_100).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0)}"#) }

    private static func migrations(_ onRecord: @escaping @Sendable () -> Void = {}) -> MigrationRegistry {
        StoppingTests.migrations(.steps, onRecord)
    }

    @Test func `A cancelled opening stops before the next record and is rolled back, and the next opening finishes`()
        async throws
    {
        let store = try OldStore(Self.records)
        let before = try store.snapshot()
        let url = store.url
        let monitor = MigrationMonitor()
        let configuration = MoltConfiguration { $0.monitor = monitor }
        let seen = Log<Void>()
        // The work cannot end before its task is known.
        let cancelTask = Once()
        let isKnown = DispatchSemaphore(value: 0)
        let migrations = Self.migrations {
            seen.append(())
            guard seen.count == 600 else { return }
            isKnown.wait()
            cancelTask.run()
        }

        let task = Task {
            try await CodableCache.open(at: url, migrations: migrations, configuration: configuration).close()
        }
        cancelTask.set { task.cancel() }
        isKnown.signal()
        let result = await task.result

        let error = try #require(MoltError.thrown { try result.get() })
        error.expect(.cancelled, store: url.path)
        #expect(error.underlying is CancellationError)
        // The upgrade did not run to the end.
        #expect(seen.count == 600)
        #expect(try store.snapshot() == before)
        let words = await monitor.events.reduce(into: []) { $0.append($1.word) }
        #expect(words.filter { $0 != "progressed" } == ["planned 1", "started change", "failed"])

        try await store.upgrade(Self.migrations())
        #expect(try store.snapshot().version == 1)
    }

    @Test func `A task that is cancelled before it opens the store leaves the store unchanged`() async throws {
        let store = try OldStore(Self.records)
        let before = try store.snapshot()
        let url = store.url

        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await CodableCache.open(at: url, migrations: Self.migrations()).close()
        }
        task.cancel()
        let result = await task.result

        MoltError.thrown { try result.get() }?.expect(.cancelled)
        #expect(try store.snapshot() == before)
    }

    // MARK: Waiting

    @Test(.through(.initializer, .asyncOpen))
    func `An upgrade that waits for another process beyond its timeout is an error`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", #"{"id":1}"#)])
        let other = try SQLite(store.url)
        try other.run("BEGIN IMMEDIATE")
        let events = Log<String>()
        var configuration = MoltConfiguration()
        configuration.timeout = .milliseconds(20)
        configuration.monitor = MigrationMonitor { events.append($0.word) }

        await #expect(throws: MoltError.self) {
            try await store.upgrade(Self.migrations(), configuration)
        }?.expect(.busy, store: store.url.path, says: "timeout")
        let waits = events.all.filter { $0 == "waiting" }
        #expect(waits.count == 1)
        try other.run("ROLLBACK")
        try await store.upgrade(Self.migrations())
        #expect(try store.snapshot().version == 1)
    }

    @Test func `A waiting upgrade continues once the other process is done, with the records that it wrote`()
        async throws
    {
        let store = try OldStore([StoredRecord("Person", "p", #"{"id":1}"#)])
        let other = Locked<SQLite?>(try SQLite(store.url))
        try other.withLock { other in
            try other?.run("BEGIN IMMEDIATE; UPDATE molt_record SET content = '{\"id\":7}'")
        }
        var configuration = MoltConfiguration()
        configuration.monitor = MigrationMonitor { event in
            guard case .waiting = event else { return }
            #expect(throws: Never.self) {
                try other.withLock { other in
                    try other?.run("COMMIT")
                    other = nil
                }
            }
        }

        try await store.upgrade(Self.migrations(), configuration)

        #expect(try store.snapshot()["p"]?.text == #"{"id":7,"x":1}"#)
    }

    @Test func `An upgrade that waits for the lock can be cancelled`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", #"{"id":1}"#)])
        let before = try store.snapshot()
        let other = try SQLite(store.url)
        try other.run("BEGIN IMMEDIATE")
        let (waiting, signal) = AsyncStream<Void>.makeStream()
        var configuration = MoltConfiguration()
        configuration.monitor = MigrationMonitor { event in
            if case .waiting = event { signal.yield() }
        }
        let url = store.url

        let task = Task { [configuration] in
            try await CodableCache.open(at: url, migrations: Self.migrations(), configuration: configuration).close()
        }
        for await _ in waiting { break }
        task.cancel()
        let result = await task.result

        MoltError.thrown { try result.get() }?.expect(.cancelled)
        try other.run("ROLLBACK")
        #expect(try store.snapshot() == before)
    }
}
