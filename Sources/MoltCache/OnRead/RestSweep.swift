internal import Foundation
internal import MoltCore

/// Upgrades the records of an open cache that still have to go through migrations on read.
///
/// Records are read and changed outside of transactions, and written in short ones. A record that was written since has
/// a later version, and is left alone. Records in the right form are not written, so only a sweep over all records can
/// tell that none is left.
final class RestSweep: Sendable {
    /// The migrations, also once no record has to go through them any more: a read may still have an older snapshot.
    let rest: RestUpgrade
    private let isDone = Locked(false)
    private let core: CacheCore
    private let hub: ChangeHub
    private let registry: MigrationRegistry
    private let configuration: CodableCache.Configuration
    /// One sweep at a time.
    private let queue = DispatchQueue(label: "molt.rest", qos: .utility)
    /// Reads and changes the next batch while the current one is written.
    private let readQueue = DispatchQueue(label: "molt.rest.read", qos: .utility)
    /// The number of callers that wait for the end, which makes a sweep hurry.
    private let waiting = Locked(0)

    /// Larger than that of a pass, because each batch is committed; the commit takes milliseconds.
    private var batchSize: Int { max(1, 4 * configuration.batchSize) }

    init(
        _ rest: RestUpgrade,
        _ core: CacheCore,
        _ hub: ChangeHub,
        _ registry: MigrationRegistry,
        _ configuration: CodableCache.Configuration
    ) {
        self.rest = rest
        self.core = core
        self.hub = hub
        self.registry = registry
        self.configuration = configuration
    }

    /// Begins to upgrade the rest on another thread, until the cache is closed.
    func start() {
        queue.async { [self] in
            while !core.hasClosed {
                do {
                    return try run()
                } catch {
                    guard Self.isTemporary(error), !isAwaited else {
                        // Later openings try again, and reads of a record that cannot be converted throw its error.
                        if !core.hasClosed { configuration.monitor?.sendAfterwards(.restFailed(error)) }
                        return
                    }
                    Thread.sleep(forTimeInterval: 0.1)
                }
            }
        }
    }

    private static func isTemporary(_ error: any Error) -> Bool {
        switch error {
        case let error as CacheError: [.busy, .suspended].contains(error.code)
        case let error as MigrationError: [.busy, .suspended].contains(error.code)
        default: false
        }
    }

    /// Upgrades the rest, and returns when it is written.
    func finish() throws {
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        do {
            try queue.sync { try run() }
        } catch {
            if configuration.upgradesRest, Self.isTemporary(error) { start() }
            throw error
        }
    }

    private var isAwaited: Bool { waiting.withLock { $0 > 0 } }

    private func run() throws {
        guard !isDone.withLock({ $0 }) else { return }
        // Nobody can read expired records, so none of them has to be converted.
        if !configuration.keepsExpired { try change { session throws(SQLiteError) in _ = try session.removeExpired() } }
        var progress = try progressAtStart()
        var counts = rest.migrations.map { _ in 0 }
        var failure: MigrationError?
        var tolerated: MigrationError?
        var current = Part(rest.makeBatch(capacity: batchSize))
        var next = Part(rest.makeBatch(capacity: batchSize))
        prepare(current, after: 0)
        while let last = try current.lastID() {
            if let deadline = configuration.deadline, ContinuousClock.now >= deadline {
                throw MigrationError.deadlinePassed
            }
            failure = failure ?? current.batch.failure
            tolerated = tolerated ?? current.batch.toleratedFailure
            for index in counts.indices { counts[index] += current.batch.readCounts[index] }
            let duration = try write(current, whilePreparing: next, after: last)
            progress?.advance(by: current.batch.records.count)
            pause(after: duration)
            swap(&current, &next)
        }
        if let failure { throw failure }
        if let tolerated { try setAside(tolerated) }
        try end(counts)
        configuration.monitor?.sendAfterwards(.restFinished(rest.migrations.map(\.id)))
    }

    // MARK: Batches

    /// A batch on its way through the sweep; used by one thread at a time.
    private final class Part {
        var batch: RestUpgrade.Batch
        var states: [RowState] = []
        /// The time that reading and changing the records took.
        var duration = Duration.zero
        var readFailure: (any Error)?

        init(_ batch: RestUpgrade.Batch) {
            self.batch = batch
        }

        /// The id of the last record; nil if no record is left.
        func lastID() throws -> Int64? {
            if let readFailure { throw readFailure }
            let records = batch.records
            return records.count > 0 ? records[records.count - 1].id : nil
        }
    }

    /// What a record must still have when it is written.
    private struct RowState {
        let size: Int
        let updated: Double?
    }

    /// Writes a batch, while another thread reads and changes the next one.
    ///
    /// - Returns: The processor time that both threads have used, roughly.
    private func write(_ part: Part, whilePreparing next: Part, after position: Int64) throws -> Duration {
        // Only the other thread uses `work` until `wait` returns, which also happens if an error is thrown.
        nonisolated(unsafe) let work = next
        let preparing = DispatchWorkItem { [self] in prepare(work, after: position) }
        readQueue.async(execute: preparing)
        defer { preparing.wait() }
        let start = ContinuousClock.now
        if !part.batch.rows.isEmpty { try write(part) }
        return start.duration(to: .now) + part.duration
    }

    /// Reads and changes the records after a position.
    private func prepare(_ part: Part, after position: Int64) {
        let start = ContinuousClock.now
        do {
            try read(part, after: position)
            rest.upgrade(&part.batch)
        } catch {
            part.readFailure = error
        }
        part.duration = start.duration(to: .now)
    }

    private func read(_ part: Part, after position: Int64) throws {
        func read(_ session: CacheSession) throws(SQLiteError) {
            let batch = part.batch.records
            batch.removeAll()
            part.states.removeAll(keepingCapacity: true)
            let row = try session.statements[.rest]
            defer { row.reset() }
            try row.bind(position, at: 1)
            try row.bind(Int64(rest.version), at: 2)
            while !batch.isFull, try row.step() {
                let isData = row.isBlob(1)
                let content = row.bytes(1, isBlob: isData)
                let expiration = row.real(4)
                part.states.append(RowState(size: content.count, updated: row.real(6)))
                batch.append(
                    id: row.integer(0),
                    typeName: row.text(3),
                    key: row.bytes(2),
                    content: content,
                    isData: isData,
                    expiration: expiration,
                    version: Int(clamping: row.integer(5))
                )
            }
        }
        // A connection of its own keeps readers from waiting, if one can be opened.
        if try core.readAlone(isUse: false, read) == nil { try core.read(isUse: false, read) }
    }

    private func write(_ part: Part) throws {
        let batch = part.batch
        try change { session throws(SQLiteError) in
            var changed = rest.migrations.map { _ in 0 }
            for row in batch.rows {
                let state = part.states[row.index]
                guard try session.upgrade(row, of: batch, oldSize: state.size, updated: state.updated) else { continue }
                for index in row.migrations { changed[index] += 1 }
            }
            for (migration, count) in zip(rest.migrations, changed) {
                try LedgerTable.add(changed: count, toRowOf: migration.name, session.connection)
            }
        }
    }

    /// Quarantines or drops the records that could not be converted, in one transaction.
    private func setAside(_ failure: MigrationError) throws {
        guard core.path != ":memory:" else { throw failure }
        // Throws if the cache was closed or the file replaced.
        try core.read(isUse: false) { _ in }
        var options = configuration.migrationOptions
        options.monitor = nil
        options.duty = .opener
        options.backup = nil
        options.isCancelled = { [core] in core.hasClosed }
        #if DEBUG
            options.redoesUnshippedMigrations = false
        #endif
        let store = CacheStore(
            at: URL(fileURLWithPath: core.path),
            coding: configuration.coding,
            createsFile: false,
            attachments: configuration.attached.stores
        )
        defer { store.close() }
        _ = try Migrator(registry, options: options).migrate(store)
    }

    /// The progress for the monitor; nil if nobody receives it.
    private func progressAtStart() throws -> RestProgress? {
        guard let monitor = configuration.monitor, monitor.hasClosure else { return nil }
        let total = try core.read(isUse: false) { session throws(SQLiteError) in
            let count = try session.connection.prepare("SELECT count(*) FROM molt_record WHERE version < ?1")
            try count.bind(Int64(rest.version), at: 1)
            return try count.first { Int($0.integer(0)) } ?? 0
        }
        return RestProgress(of: total, in: rest.migrations.map(\.id), monitor)
    }

    private func end(_ counts: [Int]) throws {
        try change { session throws(SQLiteError) in
            for (migration, count) in zip(rest.migrations, counts) {
                try LedgerTable.endOnRead(read: count, migration.name, session.connection)
            }
        }
        isDone.withLock { $0 = true }
    }

    private func change(_ body: (CacheSession) throws(SQLiteError) -> Void) throws {
        // A size limit may evict values.
        try core.write(body, isUse: false) { session, _ in hub.send(session.changes) }
    }

    /// Leaves nine tenths of the time to an app that uses the cache.
    private func pause(after duration: Duration) {
        guard core.takeUse(), !isAwaited else { return }
        Thread.sleep(forTimeInterval: min(9 * (duration / .seconds(1)), 0.25))
    }
}

/// Tells the monitor how many records the sweep has seen, at most ten times a second.
private struct RestProgress {
    private var progress: MigrationEvent.Progress
    private let monitor: MigrationMonitor
    private var sentAt = ContinuousClock.now

    init(of total: Int, in migrations: [MigrationID], _ monitor: MigrationMonitor) {
        progress = MigrationEvent.Progress(completed: 0, total: total, migrations: migrations)
        self.monitor = monitor
        monitor.sendAfterwards(.restProgressed(progress))
    }

    mutating func advance(by count: Int) {
        // The app may have added records of older versions since they were counted.
        progress.completed = min(progress.completed + count, progress.total)
        let now = ContinuousClock.now
        guard progress.completed == progress.total || sentAt.duration(to: now) >= .milliseconds(100) else { return }
        sentAt = now
        monitor.sendAfterwards(.restProgressed(progress))
    }
}

extension CacheSession {
    /// Writes an upgraded record, unless it was written since it was read.
    ///
    /// - Returns: Whether it was written.
    fileprivate func upgrade(
        _ row: RestUpgrade.Batch.Row,
        of batch: RestUpgrade.Batch,
        oldSize: Int,
        updated: Double?
    ) throws(SQLiteError) -> Bool {
        try batch.withContent(of: row) { content throws(SQLiteError) in
            let statement = try statements[.upgrade]
            defer { statement.unbind(1) }
            try statement.bind(inPlace: content, isText: !row.isData, at: 1)
            try statement.bind(Int64(row.version), at: 2)
            try statement.bind(row.id, at: 3)
            try statement.bind(Int64(row.oldVersion), at: 4)
            try statement.bind(updated, at: 5)
            try statement.run()
            guard connection.changes == 1 else { return false }
            if let size { self.size = size &+ Int64(content.count - oldSize) }
            return true
        }
    }
}
