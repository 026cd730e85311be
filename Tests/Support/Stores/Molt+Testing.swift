internal import Foundation
package import Molt
internal import Testing

extension MoltConfiguration {
    /// The standard configuration with changes.
    package init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

extension CodableCache {
    /// The text of a record as the file has it; nil if there is none.
    package func storedText(forKey key: String) throws -> String? {
        try Snapshot(of: URL(fileURLWithPath: path))[key]?.text
    }

    /// Closes the cache, and returns everything that a sequence of its changes delivered.
    package func close(thenAll changes: AsyncStream<Change>) async -> [Change] {
        close()
        return await changes.reduce(into: []) { $0.append($1) }
    }
}

extension StoreFile {
    /// Commits what a closure does, unless it throws; nothing else may be writing the file.
    package func commit(_ body: (StoreTransaction) throws -> Void) throws {
        try withWriteTransaction(until: nil) { transaction in
            try body(transaction)
            return true
        } waiting: {
            throw TestFailure.expected
        }
    }
}

extension MigrationPlan {
    /// The migrations that the store counts as applied, in the registry's order.
    package var applied: [MigrationID] { entries.filter(\.isApplied).map(\.migration) }

    /// The applied migrations up to the first one that is not applied.
    package var completed: [MigrationID] { entries.prefix(while: \.isApplied).map(\.migration) }
}

extension MigrationReport {
    /// The migrations with their outcomes, such as "names ran, initials onRead".
    package var outcomes: String {
        entries.map { "\($0.migration.name) \($0.outcome.rawValue)" }.joined(separator: ", ")
    }
}

extension MigrationEvent {
    /// A short name of the event, the same for every batch of progress.
    package var word: String {
        switch self {
        case .planned(let plan): "planned \(plan.pending.count)"
        case .waiting: "waiting"
        case .edited(let edits): "edited \(edits.count)"
        case .started(let migration): "started \(migration.name)"
        case .progressed: "progressed"
        case .ended(let entry): "ended \(entry.migration.name)"
        case .finished: "finished"
        case .failed: "failed"
        case .backedUp: "backed up"
        case .shapeChanged(let error): "shape changed: \(error.type ?? "")"
        case .quarantined(let error): "quarantined \(error.key ?? "")"
        case .backfillProgressed: "backfill progressed"
        case .backfillPaused(let state): "backfill paused \(state.rawValue)"
        case .backfillFinished: "backfill finished"
        case .backfillFailed: "backfill failed"
        case .workFailed(let error): "work failed \(error.migration?.name ?? "")"
        }
    }
}

extension [MigrationEvent] {
    /// The latest progress of an upgrade.
    package var lastProgress: MigrationEvent.Progress? {
        lazy.reversed().compactMap { if case .progressed(let progress) = $0 { progress } else { nil } }.first
    }
}

extension MigrationMonitor {
    /// A monitor that runs a closure when an upgrade is first planned: the store was read, and no lock is held yet.
    package static func afterPlanning(_ body: @escaping @Sendable () throws -> Void) -> MigrationMonitor {
        let once = Once()
        once.set { #expect(throws: Never.self) { try body() } }
        return MigrationMonitor { if case .planned = $0 { once.run() } }
    }
}
