import Foundation
import Molt
import TestSupport
import Testing

@Suite("The pace of the backfill") struct BackfillPaceTests {
    private static let count = 40
    private let store: OldStore

    init() throws {
        store = try OldStore((0..<Self.count).map { StoredRecord("Item", "k\($0)", #"{"old":\#($0)}"#) })
    }

    /// The number of records that are upgraded in the file.
    private var written: Int { get throws { try store.snapshot().records.count { $0.version == 1 } } }

    private func expectDone(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try written == Self.count, sourceLocation: sourceLocation)
        #expect(try store.snapshot().outcomes == "rename ran", sourceLocation: sourceLocation)
    }

    /// Opens the store and closes it, so that a later opening has nothing to do before the deadline.
    private func recordMigration() throws {
        let configuration = MoltConfiguration { $0.runsBackfill = false }
        try CodableCache(at: store.url, migrations: [renaming], configuration: configuration).close()
    }

    // MARK: Pauses between batches

    @Test func `pauses for a set time after each batch, until a caller waits for the end`() throws {
        let cache = try openInPause(store.url)
        #expect(try written == 10)
        try cache.backfillAndWait()
        try expectDone()
    }

    @Test func `has a batch of one record if a smaller one is set, and accepts any pause`() throws {
        for (size, pause) in [(Int.min, Duration.seconds(Int64.max)), (Int.max, .seconds(-1))] {
            let store = try OldStore([StoredRecord("Item", "a", #"{"old":1}"#), StoredRecord("Item", "b", "{}")])
            let cache = try openInPause(store.url) { $0.backfillPace = .init(batchSize: size, pause: pause) }
            #expect(try store.snapshot()["a"]?.text == #"{"new":1}"#)
            try cache.backfillAndWait()
            #expect(try store.snapshot().outcomes == "rename ran")
        }
    }

    @Test func `ends a pause when the cache is closed`() throws {
        let cache = try openInPause(store.url)
        cache.close()
        #expect(try written == 10)
    }

    @Test func `ends a pause at the deadline`() throws {
        try recordMigration()
        let failures = Failures()
        let cache = try CodableCache(
            at: store.url,
            migrations: [renaming],
            configuration: MoltConfiguration { configuration in
                configuration.backfillPace = hourly
                configuration.monitor = failures.monitor
                configuration.deadline = .now + .milliseconds(200)
            }
        )
        #expect(failures.next()?.code == .deadlinePassed)
        #expect(try written <= 10)
        cache.close()
    }

    @Test func `is finished beside an app that uses the cache all the time`() throws {
        let finished = Log<Bool>()
        let configuration = MoltConfiguration { configuration in
            configuration.backfillPace.batchSize = 10
            configuration.monitor = MigrationMonitor { if case .backfillFinished = $0 { finished.append(true) } }
        }
        let cache = try CodableCache(at: store.url, migrations: [renaming], configuration: configuration)
        while finished.all.isEmpty { _ = try cache.typeName(forKey: "k1") }
        try expectDone()
    }

    #if CHILD_PROCESSES
        /// In a process of its own, because a suspension concerns all stores of a process.
        @Test(arguments: [false, true])
        func `holds no lock while it pauses, and goes on after a suspension`(isHot: Bool) async throws {
            await #expect(processExitsWith: .success) { [url = store.url as URL, isHot = isHot as Bool] in
                let cache = isHot ? try openHot(url) : try openInPause(url)
                #expect(StoreAccess.suspend())
                MoltError.thrown { try cache.backfillAndWait() }?.expect(.suspended)
                StoreAccess.resume()
                try cache.backfillAndWait()
                #expect(try Snapshot(of: url).outcomes == "rename ran")
            }
        }
    #endif

    // MARK: The state of the device

    @Test func `pauses while the device saves power or is hot, tells the monitor once, and goes on later`() throws {
        let device = Locked<MoltConfiguration.BackfillPace.DeviceState?>(.lowPowerMode)
        let words = Log<String>()
        let told = DispatchSemaphore(value: 0)
        let configuration = MoltConfiguration { configuration in
            configuration.hooks.deviceState = { device.withLock { $0 } }
            configuration.hooks.deviceCheckInterval = 0.001
            configuration.monitor = MigrationMonitor { event in
                switch event {
                case .backfillPaused, .backfillFinished, .backfillFailed:
                    words.append(event.word)
                    told.signal()
                default: break
                }
            }
        }
        let cache = try CodableCache(at: store.url, migrations: [renaming], configuration: configuration)
        told.wait()
        #expect(try written == 0)
        device.withLock { $0 = .hot }
        told.wait()
        // A caller that gives up leaves the work to the background, which still pauses.
        #expect(throws: CancellationError.self) { try cache.backfillAndWait(isCancelled: { true }) }
        device.withLock { $0 = nil }
        told.wait()
        while words.all.last != "backfill finished" { told.wait() }
        let paused = words.all.dropLast()
        #expect(paused.prefix(2) == ["backfill paused lowPowerMode", "backfill paused hot"])
        // It may be told again after the caller has given up.
        #expect(paused.dropFirst(2).allSatisfy { $0 == "backfill paused hot" } && paused.count <= 3)
        try expectDone()
    }

    @Test(arguments: [false, true])
    func `does not pause for the device when a caller waits for the end`(runs: Bool) throws {
        let cache = try openHot(store.url) { $0.runsBackfill = runs }
        try cache.backfillAndWait()
        try expectDone()
    }

    @Test func `does not pause for the device if power is not to be saved`() throws {
        let finished = DispatchSemaphore(value: 0)
        let cache = try openHot(store.url) { configuration in
            configuration.backfillPace.pausesToSavePower = false
            configuration.monitor = MigrationMonitor { if case .backfillFinished = $0 { finished.signal() } }
        }
        finished.wait()
        try expectDone()
        cache.close()
    }

    @Test func `ends at the deadline, or with its cache, while it pauses for the device`() throws {
        try recordMigration()
        let failures = Failures()
        let cache = try openHot(store.url) { configuration in
            configuration.monitor = failures.monitor
            configuration.deadline = .now + .milliseconds(200)
        }
        #expect(failures.next()?.code == .deadlinePassed)
        cache.close()
        try openHot(store.url).close()
        #expect(try written == 0)
    }
}

private let renaming = Migration(to: 1, "rename", .renameProperty("Item", "old", to: "new")).onRead()

/// Batches of ten records, and a pause of an hour after each.
private let hourly = MoltConfiguration.BackfillPace(batchSize: 10, pause: .seconds(3_600))

/// Opens a cache whose backfill pauses for an hour after each batch, and waits until the first one is written.
private func openInPause(_ url: URL, _ change: (inout MoltConfiguration) -> Void = { _ in }) throws -> CodableCache {
    let asked = DispatchSemaphore(value: 0)
    let configuration = MoltConfiguration { configuration in
        configuration.backfillPace = hourly
        configuration.hooks.deviceState = {
            asked.signal()
            return nil
        }
        change(&configuration)
    }
    let cache = try CodableCache(at: url, migrations: [renaming], configuration: configuration)
    // It is asked at the beginning, and after each batch.
    asked.wait()
    asked.wait()
    return cache
}

/// Opens a cache on a device that stays hot.
private func openHot(_ url: URL, _ change: (inout MoltConfiguration) -> Void = { _ in }) throws -> CodableCache {
    let configuration = MoltConfiguration { configuration in
        configuration.hooks.deviceState = { .hot }
        configuration.hooks.deviceCheckInterval = 3_600
        change(&configuration)
    }
    return try CodableCache(at: url, migrations: [renaming], configuration: configuration)
}

/// The errors with which the backfill has ended in the background.
private final class Failures: Sendable {
    private let errors = Log<MoltError?>()
    private let told = DispatchSemaphore(value: 0)

    var monitor: MigrationMonitor {
        MigrationMonitor { [errors, told] event in
            guard case .backfillFailed(let error) = event else { return }
            errors.append(error as? MoltError)
            told.signal()
        }
    }

    /// The last error, once there is one.
    func next() -> MoltError? {
        told.wait()
        return errors.all.last ?? nil
    }
}
