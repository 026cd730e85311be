import Foundation
import Molt
import Testing

/// More records than one batch of the sweep, which has 64 here.
@Suite("The backfill of an upgrade on read") struct BackfillTests {
    private static let count = 700
    private let store: OldStore

    init() throws {
        store = try OldStore(Self.records)
    }

    private static var records: [StoredRecord] {
        (0..<count).map { number in
            // Every third record needs no change.
            StoredRecord("Item", "k\(number)", number % 3 == 0 ? "{}" : #"{"old":\#(number)}"#)
        }
    }

    private static let renaming = Migration(to: 1, "rename", .renameProperty("Item", "old", to: "new")).onRead()

    private static var expected: [String] {
        (0..<count).map { $0 % 3 == 0 ? "{}" : #"{"new":\#($0)}"# }
    }

    private func open(_ migration: Migration = BackfillTests.renaming) throws -> CodableCache {
        try openStill(store.url, [migration])
    }

    /// Expects that all records are upgraded, and that the ledger knows it.
    ///
    /// - Parameter contents: The contents; by default those that the steps alone give.
    private func expectDone(
        _ contents: [String] = BackfillTests.expected,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try store.snapshot()
        #expect(found.contents == contents, sourceLocation: sourceLocation)
        #expect(found.outcomes == "rename ran", sourceLocation: sourceLocation)
    }

    private struct Item: Codable, Equatable, Sendable, RecordType {
        static let recordTypeName = "Item"
        var new: Int?
    }

    @Test func `completes the row of a migration whose name became another Unicode form`() async throws {
        for name in ["caf\u{E9}", "cafe\u{301}"] {
            let renaming = Migration(to: 1, name, .renameProperty("Item", "old", to: "new")).onRead()
            // The form is part of the fingerprint.
            let cache = try openStill(store.url, [renaming]) { $0.mismatches = .ignore }
            if name.utf8.count == 6 { try await cache.finishBackfill() }
            cache.close()
        }
        let found = try store.snapshot()
        #expect(found.contents == Self.expected)
        #expect(found.ledger.map(\.outcome) == [.ran])
        #expect(found.ledger[0].counts.changed == Self.expected.count { $0 != "{}" })
    }

    #if CHILD_PROCESSES
        @Test(arguments: TestRun.choose([65, 690], long: [1, 65, 400, 690]))
        func `goes on after a kill with the records that are left`(call: Int) async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = store.url as URL, call = call as Int] in
                try upgradeAndDie(url, atCall: call)
            }
            let killed = try store.snapshot()
            #expect(killed.outcomes == "rename onRead")
            let written = killed.records.count { $0.version == 1 }
            // Nothing of the interrupted batch is written. The one before it was being written, as a whole or not.
            let batches = (call - 1) / 64
            let possible = [max(0, batches - 1), batches].map { batches in
                Self.records.prefix(batches * 64).count { $0.text != "{}" }
            }
            #expect(possible.contains(written))
            #expect(killed.ledger[0].counts.changed == written)

            let cache = try open(closureRenaming())
            for number in [0, 1, 63, 64, 65, 699] {
                try cache.expect(Item(new: number % 3 == 0 ? nil : number), forKey: "k\(number)")
            }
            try await cache.finishBackfill()
            cache.close()
            try expectDone()
            let changed = try store.snapshot().ledger[0].counts.changed
            #expect(changed == Self.expected.count { $0 != "{}" })
            #expect(try await CacheFile(at: store.url).verify().isEmpty)
        }

        /// In a process of its own, because a suspension concerns all stores of a process.
        @Test func `waits while access to stores is suspended`() async throws {
            await #expect(processExitsWith: .success) { [url = store.url as URL] in
                let cache = try openStill(url, [closureRenaming()])
                StoreAccess.suspend()
                MoltError.thrown { try backfill(of: cache) }?.expect(.suspended)
                StoreAccess.resume()
                try backfill(of: cache)
                #expect(try Snapshot(of: url).outcomes == "rename ran")
            }
        }

        @Test func `is upgraded by several processes and caches at once, while they write and one is killed`()
            async throws
        {
            try open(closureRenaming()).close()
            let url = store.url
            let start = Date().addingTimeInterval(0.5).timeIntervalSince1970
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<TestRun.choose(3, long: 4) {
                    group.addTask {
                        await #expect(processExitsWith: number == 0 ? .signal(SIGKILL) : .success) {
                            [url = url as URL, start = start as Double, number = number as Int] in
                            try await Task.sleep(for: .seconds(start - Date().timeIntervalSince1970))
                            if number == 0 {
                                try upgradeAndDie(url, atCall: 600)
                                // The others were faster.
                                raise(SIGKILL)
                            }
                            let caches = try (0..<3).map { _ in try openStill(url, [closureRenaming()]) }
                            DispatchQueue.concurrentPerform(iterations: 4) { index in
                                #expect(throws: Never.self) {
                                    if index < 3 { return try backfill(of: caches[index]) }
                                    for index in 0..<20 {
                                        try caches[0].set(Item(new: -index), forKey: "k\(index * 7)")
                                    }
                                }
                            }
                        }
                    }
                }
            }
            var expected = Self.expected
            for index in 0..<20 { expected[index * 7] = #"{"new":\#(-index)}"# }
            try expectDone(expected)
            #expect(try await CacheFile(at: store.url).verify().isEmpty)
        }
    #endif

    /// The previous release has the store open when this one records the migration.
    @Test func `is not seen by an older release, which can neither read nor write the store any more`() throws {
        let older = try CodableCache(at: store.url)
        let cache = try open()
        try cache.set(Item(new: 1), forKey: "k0")
        for call in [{ try older.contains("k1") }, { try older.remove(forKey: "k1") }] {
            MoltError.thrown { try call() }?.expect(.storeChanged)
        }
        older.close()
        MoltError.thrown { try CodableCache(at: store.url) }?.expect(.superseded)
        try cache.backfillAndWait()
        try expectDone([#"{"new":1}"#] + Self.expected.dropFirst())
    }

    @Test func `does not keep the closing of its cache waiting for the monitor's closure`() async throws {
        let store = try OldStore(Array(Self.records.prefix(100)))
        let hasBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let monitor = MigrationMonitor { event in
            guard case .backfillProgressed = event else { return }
            hasBegun.signal()
            // The closure waits for what happens after the cache is closed, as one does that waits for the main thread.
            mayEnd.wait()
        }
        let configuration = MoltConfiguration { $0.monitor = monitor }
        let cache = try CodableCache(at: store.url, migrations: [Self.renaming], configuration: configuration)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                hasBegun.wait()
                cache.close()
                mayEnd.signal()
                continuation.resume()
            }
        }
        MoltError.thrown { try cache.count() }?.expect(.closed)
    }

    @Test func `cannot be waited for by a closure that it calls itself`() throws {
        let codes = Log<MoltError.Code?>()
        let cache = Locked<CodableCache?>(nil)
        let call = { @Sendable in codes.append(MoltError.thrown { try cache.withLock { $0 }?.backfillAndWait() }?.code)
        }
        let renaming = closureRenaming { if $0 == "k1" { call() } }
        let opened = try openStill(store.url, [renaming]) { configuration in
            configuration.monitor = MigrationMonitor { event in if case .backfillFinished = event { call() } }
        }
        cache.withLock { $0 = opened }
        try opened.backfillAndWait()
        #expect(codes.all == [.busy, .busy])
        try expectDone()
    }

    @Test func `is continued in the background after the waiting task was cancelled`() async throws {
        let isFinished = DispatchSemaphore(value: 0)
        let task = Locked<Task<Void, any Error>?>(nil)
        let keys = Log<String>()
        let renaming = closureRenaming { key in
            keys.append(key)
            if key == "k300" { task.withLock { $0 }?.cancel() }
        }
        let cache = try openStill(store.url, [renaming]) { configuration in
            configuration.monitor = MigrationMonitor { event in
                if case .backfillFinished = event { isFinished.signal() }
            }
        }
        let begin = DispatchSemaphore(value: 0)
        let waiting = Task.detached {
            begin.wait()
            try await cache.finishBackfill()
        }
        task.withLock { $0 = waiting }
        begin.signal()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let written = try store.snapshot().records.count { $0.version == 1 }
        #expect(written > 0 && written < Self.count)
        try await cache.finishBackfill()
        isFinished.wait()
        try expectDone()
        // It went on where it was cancelled.
        #expect(keys.all.count { $0 == "k0" } == 1)
    }

    @Test func `leaves records alone that are written or removed after their batch was read`() throws {
        let open = Locked<CodableCache?>(nil)
        let renaming = closureRenaming { key in
            // Its batch, which begins with record 0, was read before.
            guard key == "k31" else { return }
            try open.withLock { $0 }?.set(Item(new: -10), forKey: "k10")
            try open.withLock { $0 }?.remove(forKey: "k20")
        }
        let cache = try self.open(renaming)
        open.withLock { $0 = cache }
        try cache.backfillAndWait()
        var expected = Self.expected
        expected[10] = #"{"new":-10}"#
        expected.remove(at: 20)
        try expectDone(expected)
        let changed = try store.snapshot().ledger[0].counts.changed
        #expect(changed == Self.expected.count { $0 != "{}" } - 2)
        open.withLock { $0 = nil }
    }

    @Test func `tells the monitor how far it is, and reads only records of types that the migrations change`() throws {
        let store = try OldStore(Self.records + [StoredRecord("Photo", "photo", data: [0, 1])])
        let progress = Log<MigrationEvent.Progress>()
        let finished = Log<Bool>()
        let cache = try openStill(store.url, [Self.renaming]) { configuration in
            configuration.monitor = MigrationMonitor { event in
                if case .backfillProgressed(let now) = event { progress.append(now) }
                if case .backfillFinished(let failed) = event { finished.append(failed.isEmpty) }
            }
        }
        #expect(progress.all.isEmpty)
        try cache.backfillAndWait()
        let told = progress.all
        #expect(told.first == .init(completed: 0, total: Self.count, migrations: [Self.renaming.id]))
        let completed = told.map(\.completed)
        #expect(completed == completed.sorted())
        #expect(told.allSatisfy { $0.total == Self.count })
        #expect(finished.all == [true])
        let after = try store.snapshot()
        #expect(after.ledger[0].counts.read == Self.count && after["photo"]?.version == 0)
        // Nothing is left, so nothing is told.
        try cache.backfillAndWait()
        #expect(progress.count == told.count)
    }

    @Test func `stops when the cache is closed, or at the deadline`() throws {
        let closed = try open()
        closed.close()
        MoltError.thrown { try closed.backfillAndWait() }?.expect(.closed)
        let cache = try openStill(store.url, [Self.renaming]) { $0.deadline = .now }
        MoltError.thrown { try cache.backfillAndWait() }?.expect(.deadlinePassed)
        try cache.expect(Item(new: 1), forKey: "k1")
        #expect(try store.snapshot().records == Self.records)
    }

    @Test func `is refused once another process has upgraded the store further`() throws {
        let cache = try open()
        let next = MigrationRegistry([Self.renaming, Migration(to: 2, "next", .addProperty("Item", "x", default: 1))])
        try CodableCache(at: store.url, migrations: next).close()
        MoltError.thrown { try cache.backfillAndWait() }?.expect(.storeChanged)
        #expect(try store.snapshot()["k1"]?.text == #"{"new":1,"x":1}"#)
    }

    @Test func `is in a backup, and upgraded after it was restored`() throws {
        let cache = try open()
        let backup = try CacheFile(at: store.url).backUp()
        try cache.backfillAndWait()
        cache.close()
        try CacheFile(at: store.url).restore(backup)
        #expect(try store.snapshot().records == Self.records)
        let again = try open()
        #expect(again.report.onRead.map(\.name) == ["rename"])
        try again.backfillAndWait()
        try expectDone()
    }

    // MARK: Records that cannot be converted

    /// Renames the property, and fails for some records that have it.
    private static func renaming(to version: Int, _ new: String, failsFor isRefused: @escaping @Sendable (Int) -> Bool)
        -> Migration
    {
        let old: PropertyPath = version == 1 ? "old" : "new"
        let step = MigrationStep.transform("Item") { item in
            guard item[old] != nil else { return }
            let number = try item.int(old)
            try item.rename(old, to: new)
            if isRefused(number) { throw Refusal() }
        }
        return Migration(to: version, "rename \(version)", step).onRead()
    }

    private static let failing = renaming(to: 1, "new") { $0 % 100 == 10 }

    @Test func `tells the monitor which records it quarantined, as an eager upgrade reports them`() throws {
        let second = Self.renaming(to: 2, "newest") { $0 % 100 == 5 }
        let migrations = MigrationRegistry([Self.failing, second]).onFailure(.quarantine(upTo: .unlimited))
        let failed = Log<[MigrationReport.FailedRecord]>()
        let monitor = MigrationMonitor { event in
            if case .backfillFinished(let records) = event { failed.append(records) }
        }
        try openStill(store.url, migrations) { $0.monitor = monitor }.backfillAndWait()
        let eager = try OldStore(Self.records)
        let report = try Migrator(migrations).migrate(StoreFile(at: eager.url))
        #expect(report.failedRecords.count > 1)
        #expect(failed.all == [report.failedRecords])
    }

    @Test func `quarantines records in memory, too`() throws {
        let memory = StoreFile(inMemoryWith: [])
        let records = Self.records.map { record in
            StoreContents.StoredRecord(key: record.key, typeName: record.type, content: record.content, version: 0)
        }
        try StoreContents(version: 0, records: records).write(to: memory)
        let configuration = MoltConfiguration { $0.runsBackfill = false }
        let migrations = MigrationRegistry([Self.failing]).onFailure(.quarantine())
        let cache = try CodableCache(memory, migrations: migrations, configuration: configuration)
        try cache.backfillAndWait()
        #expect(try cache.quarantined().map(\.key) == ["k10", "k110", "k310", "k410", "k610"])
        #expect(try cache.count() == Self.count - 5)
        try cache.expect(Item(new: 11), forKey: "k11")
        try cache.restoreQuarantined(#require(cache.quarantined().first).id, as: Item(new: 10))
        try cache.expect(Item(new: 10), forKey: "k10")
    }

    @Test func `quarantines no record if more of them fail than the policy allows`() throws {
        let migrations = MigrationRegistry([Self.failing]).onFailure(.quarantine(upTo: 4))
        let cache = try openStill(store.url, migrations)
        for _ in 0..<2 {
            let error = MoltError.thrown { try cache.backfillAndWait() }
            error?.expect(.tooManyFailures, key: "k10")
            #expect(error?.message.hasPrefix("5 of ") == true)
            #expect(try cache.quarantinedCount == 0)
        }
        let after = try store.snapshot()
        #expect(after.outcomes == "rename 1 onRead")
        #expect(after.contents[10] == #"{"old":10}"# && after.contents[11] == #"{"new":11}"#)
    }

    @Test func `does not quarantine a record that is written meanwhile`() throws {
        let open = Locked<CodableCache?>(nil)
        let calls = Log<Int>()
        let failing = Self.renaming(to: 1, "new") { number in
            // The first call counts the record, the second one is to quarantine it.
            if number == 10 {
                calls.append(number)
                if calls.count == 2 { try? open.withLock { $0 }?.set(Item(new: -10), forKey: "k10") }
            }
            return number % 100 == 10
        }
        let migrations = MigrationRegistry([failing]).onFailure(.quarantine(upTo: .unlimited))
        let cache = try openStill(store.url, migrations)
        open.withLock { $0 = cache }
        try cache.backfillAndWait()
        let quarantined = try cache.quarantined()
        #expect(quarantined.filter { $0.failure.migration != nil }.map(\.key) == ["k110", "k310", "k410", "k610"])
        // The write has quarantined it.
        #expect(quarantined.filter { $0.failure.migration == nil }.map(\.key) == ["k10"])
        try cache.expect(Item(new: -10), forKey: "k10")
        open.withLock { $0 = nil }
    }
}

/// Opens a cache that does not run the backfill by itself.
private func openStill(
    _ url: URL,
    _ migrations: MigrationRegistry,
    _ change: (inout MoltConfiguration) -> Void = { _ in }
) throws -> CodableCache {
    let configuration = MoltConfiguration { configuration in
        configuration.runsBackfill = false
        configuration.hooks.batchSize = 16
        change(&configuration)
    }
    return try CodableCache(at: url, migrations: migrations, configuration: configuration)
}

/// The synchronous call, also in an asynchronous function.
private func backfill(of cache: CodableCache) throws {
    try cache.backfillAndWait()
}

/// Runs the backfill, and kills the process at a call of the step's closure.
private func upgradeAndDie(_ url: URL, atCall last: Int) throws {
    let calls = Locked(0)
    let killing = closureRenaming { _ in
        calls.withLock { calls in
            calls += 1
            if calls == last { raise(SIGKILL) }
        }
    }
    try openStill(url, [killing]).backfillAndWait()
}

/// Renames the property with a closure, and calls another one before, with each record's key.
private func closureRenaming(_ visit: @escaping @Sendable (String) throws -> Void = { _ in }) -> Migration {
    let step = MigrationStep.transform("Item") { item in
        try visit(item.key)
        if item["old"] != nil { try item.rename("old", to: "new") }
    }
    return Migration(to: 1, "rename", step).onRead()
}
