internal import Foundation
internal import MoltCore

/// Upgrades the records of an open cache that still have to go through migrations on read.
///
/// Records are read and changed outside of transactions, and written in short ones. A record that was written since has
/// a later version, and is left alone. Records in the right form are not written, so only a sweep over all records can
/// tell that none is left.
final class RestSweep: Sendable {
    /// The migrations; nil once no record has to go through them any more.
    private let current: Locked<RestUpgrade?>
    private let core: CacheCore
    private let hub: ChangeHub
    private let registry: MigrationRegistry
    private let configuration: CodableCache.Configuration
    /// One sweep at a time.
    private let queue = DispatchQueue(label: "molt.rest", qos: .utility)
    /// The number of callers that wait for the end, which makes a sweep hurry.
    private let waiting = Locked(0)

    private static let batchSize = 512

    init(
        _ rest: RestUpgrade,
        _ core: CacheCore,
        _ hub: ChangeHub,
        _ registry: MigrationRegistry,
        _ configuration: CodableCache.Configuration
    ) {
        current = Locked(rest)
        self.core = core
        self.hub = hub
        self.registry = registry
        self.configuration = configuration
    }

    var rest: RestUpgrade? { current.withLock { $0 } }

    /// Begins to upgrade the rest on another thread, until the cache is closed.
    func start() {
        queue.async { [self] in
            while !core.hasClosed {
                do {
                    return try run()
                } catch let error as CacheError where [.busy, .suspended].contains(error.code) && !isAwaited {
                    Thread.sleep(forTimeInterval: 0.1)
                } catch {
                    // The next opening tries again; reads of a record that cannot be converted throw its error.
                    return
                }
            }
        }
    }

    /// Upgrades the rest, and returns when it is written.
    func finish() throws {
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        try queue.sync { try run() }
    }

    private var isAwaited: Bool { waiting.withLock { $0 > 0 } }

    private func run() throws {
        guard let rest else { return }
        var batch = rest.makeBatch(capacity: Self.batchSize)
        var sizes: [Int] = []
        var position: Int64 = 0
        var failure: MigrationError?
        while true {
            if let deadline = configuration.deadline, ContinuousClock.now >= deadline {
                throw MigrationError.deadlinePassed
            }
            let start = ContinuousClock.now
            try read(into: batch.records, after: position, olderThan: rest.version, &sizes)
            guard batch.records.count > 0 else { break }
            position = batch.records[batch.records.count - 1].id
            rest.upgrade(&batch)
            failure = failure ?? batch.failure
            try write(batch, sizes, rest)
            pause(after: start.duration(to: .now))
        }
        if let failure { try setAside(failure, rest) }
        try end(rest)
    }

    /// Reads the next records, and the sizes of their contents.
    private func read(
        into batch: RecordBatch,
        after position: Int64,
        olderThan version: Int,
        _ sizes: inout [Int]
    ) throws {
        func read(_ session: CacheSession) throws(SQLiteError) {
            batch.removeAll()
            sizes.removeAll(keepingCapacity: true)
            let row = try session.statements[.rest]
            defer { row.reset() }
            try row.bind(position, at: 1)
            try row.bind(Int64(version), at: 2)
            while !batch.isFull, try row.step() {
                let isData = row.isBlob(1)
                let content = row.bytes(1, isBlob: isData)
                sizes.append(content.count)
                let expiration = row.real(4)
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
        if try core.readAlone(read) == nil { try core.read(read) }
    }

    private func write(_ batch: RestUpgrade.Batch, _ sizes: [Int], _ rest: RestUpgrade) throws {
        try change { session throws(SQLiteError) in
            for row in batch.rows { try session.upgrade(row, of: batch, oldSize: sizes[row.index]) }
            for (migration, counts) in zip(rest.migrations, batch.counts) {
                try LedgerTable.add(counts, toRowOf: migration.name, session.connection)
            }
        }
    }

    /// Quarantines or drops the records that could not be converted, in one transaction, if a policy says so.
    private func setAside(_ failure: MigrationError, _ rest: RestUpgrade) throws {
        guard rest.setsRecordsAside, core.path != ":memory:" else { throw failure }
        var options = configuration.migrationOptions
        options.monitor = nil
        let store = CacheStore(
            at: URL(fileURLWithPath: core.path),
            coding: configuration.coding,
            attachments: configuration.attached.stores
        )
        defer { store.close() }
        _ = try Migrator(registry, options: options).migrate(store)
    }

    private func end(_ rest: RestUpgrade) throws {
        try change { session throws(SQLiteError) in
            for migration in rest.migrations { try LedgerTable.endOnRead(migration.name, session.connection) }
        }
        current.withLock { $0 = nil }
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

extension CacheSession {
    /// Writes an upgraded record, unless it was written since it was read.
    fileprivate func upgrade(
        _ row: RestUpgrade.Batch.Row,
        of batch: RestUpgrade.Batch,
        oldSize: Int
    ) throws(SQLiteError) {
        try batch.withContent(of: row) { content throws(SQLiteError) in
            let statement = try statements[.upgrade]
            defer { statement.unbind(1) }
            try statement.bind(inPlace: content, isText: !row.isData, at: 1)
            try statement.bind(Int64(row.version), at: 2)
            try statement.bind(row.id, at: 3)
            try statement.bind(Int64(row.oldVersion), at: 4)
            try statement.run()
            if connection.changes == 1, let size { self.size = size &+ Int64(content.count - oldSize) }
        }
    }
}
