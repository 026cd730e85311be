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

    private static let batchSize = 256
    private static let batchBytes = 1 << 20

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
            // What could not be upgraded now is upgraded after the next opening; reads of a record throw its error.
            try? run()
        }
    }

    /// Upgrades the rest, and returns when it is written.
    func finish() throws {
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        try queue.sync { try run() }
    }

    private func run() throws {
        guard let rest else { return }
        var position: Int64 = 0
        var failure: MigrationError?
        while true {
            try checkTime()
            let start = ContinuousClock.now
            let rows = try records(after: position, olderThan: rest.version)
            guard let last = rows.last else { break }
            position = last.id
            var tally = RestUpgrade.Tally(rest)
            var changes: [RowUpgrade] = []
            for row in rows {
                do throws(MigrationError) {
                    guard let upgraded = try row.upgraded(through: rest, &tally) else { continue }
                    changes.append(RowUpgrade(content: upgraded, oldVersion: row.version))
                } catch {
                    failure = failure ?? error
                }
            }
            try write(changes, tally.counts, rest)
            pause(after: start.duration(to: .now))
        }
        if let failure { try setAside(failure, rest) }
        try end(rest)
    }

    private func records(after position: Int64, olderThan version: Int) throws -> [StoredContent] {
        let read = { @Sendable (session: CacheSession) throws(SQLiteError) -> [StoredContent] in
            let statement = try session.statements[.rest]
            defer { statement.reset() }
            try statement.bind(position, at: 1)
            try statement.bind(Int64(version), at: 2)
            var rows: [StoredContent] = []
            var size = 0
            while rows.count < Self.batchSize, size < Self.batchBytes, try statement.step() {
                let row = StoredContent(statement)
                size += row.data.count
                rows.append(row)
            }
            return rows
        }
        // A connection of its own keeps readers from waiting, if one can be opened.
        return try core.readAlone(read) ?? core.read(read)
    }

    private func write(_ changes: [RowUpgrade], _ counts: [RecordCounts], _ rest: RestUpgrade) throws {
        try change { session throws(SQLiteError) in
            for change in changes { try session.upgrade(change) }
            for (migration, counts) in zip(rest.migrations, counts) {
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

    // MARK: Consideration for the app

    /// Throws when the deadline has passed or a caller waits while the app has suspended its stores.
    private func checkTime() throws {
        if let deadline = configuration.deadline, ContinuousClock.now >= deadline {
            throw MigrationError.deadlinePassed
        }
        while StoreAccess.isSuspended, waiting.withLock({ $0 == 0 }) { Thread.sleep(forTimeInterval: 0.05) }
    }

    /// Leaves nine tenths of the time to an app that uses the cache.
    private func pause(after duration: Duration) {
        guard core.takeUse(), waiting.withLock({ $0 == 0 }) else { return }
        Thread.sleep(forTimeInterval: min(9 * (duration / .seconds(1)), 0.25))
    }
}

/// The new content of a record, and the version at which it was read.
private struct RowUpgrade: Sendable {
    let content: StoredContent
    let oldVersion: Int
}

extension CacheSession {
    /// Writes an upgraded record, unless it was written since it was read.
    fileprivate func upgrade(_ change: RowUpgrade) throws(SQLiteError) {
        let content = change.content
        var oldSize: Int64 = 0
        if size != nil {
            let old = try statements[.oldSize]
            try old.bind(content.key, at: 1)
            oldSize = try old.first { $0.integer(0) } ?? 0
        }
        let statement = try statements[.upgrade]
        try statement.bind(Int64(content.version), at: 2)
        try statement.bind(content.id, at: 3)
        try statement.bind(Int64(change.oldVersion), at: 4)
        try statement.run(bindingInPlace: content.data, isText: !content.isData, at: 1)
        if connection.changes == 1, let size { self.size = size &+ Int64(content.data.count) &- oldSize }
    }
}
