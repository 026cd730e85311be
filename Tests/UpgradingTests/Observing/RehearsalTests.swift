import Foundation
import Molt
import Testing

@Suite("A dry run beside a running app") struct RehearsalTests {
    private let store: OldStore
    private let monitor = MigrationMonitor()

    init() throws {
        store = try OldStore((0..<1000).map { StoredRecord("Person", "p\($0)", #"{"id":\#($0)}"#) })
    }

    private var configuration: MoltConfiguration { .init { $0.monitor = monitor } }

    @Test func `gives the report of an upgrade, and leaves the store as it is`() async throws {
        let cache = try CodableCache(at: store.url)
        try cache.set(1, forKey: "in the log")
        let size = StoreFile(at: store.url).byteCount
        let before = try Snapshot(of: store.url)
        let migrations = registry(.addProperty("Person", "visits", default: 0))
        let report = try await CacheFile(at: store.url).dryRun(
            migrations,
            samples: 1,
            configuration: configuration,
            priority: .background
        )
        #expect(report.isDryRun)
        #expect(report.store == store.url.path)
        #expect(report.counts.changed == 1000)
        #expect(report.entries[0].steps[0].samples.count == 1)
        let summary = try #require(monitor.summary)
        #expect(summary.isDryRun)
        #expect(summary.outcome == .upgraded)
        #expect(summary.storeSize == size)
        #expect(try cache.count() == 1001)
        cache.close()
        #expect(try Snapshot(of: store.url) == before)
    }

    @Test func `stops at its deadline`() async throws {
        let deadline = ContinuousClock.now + .milliseconds(200)
        var configuration = configuration
        configuration.deadline = deadline
        // The first record takes until then; on a busy machine, it may not be reached.
        let migrations = registry(
            .transform("Person") { person in
                if person.key == "p999" { Issue.record("The last record was reached.") }
                while ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.001) }
            }
        )
        await #expect(throws: MoltError.self) {
            try await CacheFile(at: store.url).dryRun(migrations, configuration: configuration)
        }?.expect(.deadlinePassed, store: store.url.path)
        #expect(monitor.summary?.failure?.code == "deadlinePassed")
        #expect(monitor.summary?.isDryRun == true)
        #expect(try CacheFile(at: store.url).version() == 0)
    }

    @Test func `stops between records when it is cancelled`() async throws {
        let seen = Log<Void>()
        var configuration = configuration
        configuration.isCancelled = { seen.count > 0 }
        await #expect(throws: MoltError.self) {
            try await CacheFile(at: store.url).dryRun(
                registry(.transform("Person") { _ in seen.append(()) }),
                configuration: configuration
            )
        }?.expect(.cancelled)
        #expect(seen.count > 0 && seen.count < 1000)
    }

    @Test(arguments: [true, false])
    func `stops while it copies, when its task is cancelled or the app says so`(byTask: Bool) async throws {
        let text = String(repeating: "x", count: 500_000)
        let large = try OldStore((0..<3).map { StoredRecord("Text", "\($0)", "\"\(text)\"") })
        let checks = Log<Void>()
        // The work cannot end before its task is known.
        let cancelTask = Once()
        let isKnown = DispatchSemaphore(value: 0)
        var configuration = configuration
        configuration.isCancelled = {
            checks.append(())
            guard checks.count == 2 else { return false }
            guard byTask else { return true }
            isKnown.wait()
            cancelTask.run()
            return false
        }
        let task = Task { [url = large.url, configuration] in
            try await CacheFile(at: url).dryRun(
                registry(.transform("Text") { _ in Issue.record("A record was reached.") }),
                configuration: configuration
            )
        }
        cancelTask.set { task.cancel() }
        isKnown.signal()
        await #expect(throws: MoltError.self) { try await task.value }?.expect(.cancelled)
        #expect(checks.count == 2)
        // There was no plan yet.
        #expect(monitor.summary?.to == nil)
        #expect(monitor.summary?.failure?.code == "cancelled")
        #expect(try CacheFile(at: large.url).version() == 0)
    }

    #if CHILD_PROCESSES
        private func temporaryDirectory() throws -> URL {
            let directory = store.directory.file("temporary")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            return directory
        }

        /// The child processes have a temporary directory of their own, because other tests make dry runs meanwhile.
        @Test func `removes what a killed one has left, but not the copy of one that is running`() async throws {
            let directory = try temporaryDirectory()
            let temporary = directory.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = store.url as URL, temporary = temporary as String] in
                setenv("TMPDIR", temporary, 1)
                _ = try CacheFile(at: url).dryRunAndWait(
                    registry(.addProperty("Person", "visits", default: 0)),
                    configuration: .init { $0.hooks.atPoint = { if $0.kind == .beforeSteps { raise(SIGKILL) } } }
                )
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).count == 1)
            try Data().write(to: directory.appending(path: "molt-dry-run-of-others"))
            await #expect(processExitsWith: .success) { [url = store.url as URL, temporary = temporary as String] in
                setenv("TMPDIR", temporary, 1)
                let counts = Log<Int>()
                let configuration = MoltConfiguration { configuration in
                    configuration.hooks.atPoint = { point in
                        guard point.kind == .beforeSteps else { return }
                        // This dry run is in progress while another one begins and ends.
                        _ = try CacheFile(at: url).dryRunAndWait(registry(.deleteType("Person")))
                        counts.append(try FileManager.default.contentsOfDirectory(atPath: temporary).count)
                    }
                }
                let report = try CacheFile(at: url).dryRunAndWait(
                    registry(.addProperty("Person", "visits", default: 0)),
                    configuration: configuration
                )
                guard report.to == 1, counts.all == [2] else { throw TestFailure.expected }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == ["molt-dry-run-of-others"])
        }
    #endif

    #if os(Linux) && CHILD_PROCESSES
        @Test(.enabled(if: Mounts.areAllowed)) func `does not begin without room for its copy`() async throws {
            let temporary = try temporaryDirectory().path
            await #expect(processExitsWith: .success) {
                [path = store.url.path as String, temporary = temporary as String] in
                try #require(Mounts.mountVolume(of: 64, on: URL(filePath: temporary)))
                setenv("TMPDIR", temporary, 1)
                let monitor = MigrationMonitor()
                let error = MoltError.thrown {
                    try CacheFile(at: URL(filePath: path)).dryRunAndWait(
                        registry(.deleteType("Person")),
                        configuration: .init { $0.monitor = monitor }
                    )
                }
                error?.expect(.storeFailed, says: temporary)
                #expect(error.map { MoltError.isOutOfSpace($0) } == true)
                #expect(monitor.summary?.failure?.cause == "POSIXError \(ENOSPC)")
            }
        }
    #endif
}
