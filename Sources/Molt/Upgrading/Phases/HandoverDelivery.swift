internal import Foundation

/// Hands over what steps have taken out of a store, once the upgrade is committed.
///
/// The file says what waits, so nothing is lost if the process is killed: the next opening goes on. An item is removed
/// from the file only after the app's closure has returned for it, and then overwritten. What the closure could not
/// store comes after the others at the next opening, so that it does not keep them waiting.
final class HandoverDelivery {
    private let migrator: Migrator
    private let store: StoreFile
    /// Whether it has removed anything, so that the file has bytes to be erased.
    private(set) var hasRemoved = false

    /// After as many items for which the closure has thrown, the others are left to the next opening: each may have to
    /// wait for a server.
    private static let failureLimit = 10

    /// - Returns: Nil if nothing waits, or if it is not up to this run.
    init?(_ plan: MigrationPlan, of migrator: Migrator, _ store: StoreFile) {
        guard plan.hasHandovers, migrator.configuration.hooks.doesWork, migrator.mode.concernsWork else { return nil }
        self.migrator = migrator
        self.store = store
    }

    private var configuration: MoltConfiguration { migrator.configuration }

    /// - Returns: What was handed over, and what still waits.
    func run() -> [MigrationReport.Work] {
        do {
            let waiting = try waiting()
            guard !waiting.isEmpty else { return [] }
            if let obstacle = migrator.obstacleToHandovers {
                return waiting.map { entry(of: $0, left: $0.count, obstacle) }
            }
            guard let turn = try WorkTurn(at: store, configuration) else {
                return waiting.map { entry(of: $0, left: $0.count, WorkTurn.isTaken) }
            }
            var work: [MigrationReport.Work] = []
            // The process that had the turn before may have handed them over.
            for handover in try self.waiting() { work.append(handOver(handover, turn)) }
            return work
        } catch {
            send(error, "What the store has to hand over cannot be read.", "The next opening tries again.")
            return []
        }
    }

    private func waiting() throws -> [Handover] { try store.withSnapshot { try $0.state().handovers } }

    // MARK: One step

    /// What became of the items of a step.
    private struct Progress {
        var done = 0
        /// The first reason why an item waits, and its error.
        var reason: String?
        var error: (any Error)?
        /// The number of items for which the closure has thrown.
        var failures = 0
        var isStopped = false

        mutating func fail(_ reason: String, _ error: (any Error)? = nil) {
            guard self.reason == nil else { return }
            (self.reason, self.error) = (reason, error)
        }
    }

    private func handOver(_ handover: Handover, _ turn: borrowing WorkTurn) -> MigrationReport.Work {
        var progress = Progress()
        do {
            let ids = try store.withSnapshot { try $0.handoverIDs(of: handover.source) }
            let interrupted = turn.unfinished
            // Those that a crash has interrupted come last.
            for id in ids.filter({ !interrupted.contains(Self.name($0)) })
                + ids.filter({ interrupted.contains(Self.name($0)) }) where !progress.isStopped
            {
                try handOver(id, of: handover, turn, &progress)
            }
        } catch {
            progress.fail(ErrorSummary.line(of: error), error)
        }
        let left = handover.count - progress.done
        guard let reason = progress.reason else { return entry(of: handover, nil) }
        send(
            progress.error,
            "\(left) of \(handover.count) could not be handed over (\(handover.source.step)): \(reason).",
            "The next opening tries again.",
            handover
        )
        return entry(of: handover, left: left, reason)
    }

    /// What tells the attempt at an item from other attempts.
    private static func name(_ id: Int64) -> String { "handover \(id)" }

    /// - Throws: The error of the store.
    private func handOver(
        _ id: Int64,
        of handover: Handover,
        _ turn: borrowing WorkTurn,
        _ progress: inout Progress
    ) throws {
        guard let item = try store.withSnapshot({ try $0.handover(id) }) else { return }
        guard let receiver = migrator.registry.receiver(of: item, from: handover.source) else {
            return progress.fail("no step of the registry hands them over any more; keep the step in the registry")
        }
        if let reason = turn.begin(Self.name(id), at: handover.source.migration.version) {
            return progress.fail(reason)
        }
        do {
            try configuration.checkCancellation()
            try configuration.reach(.beforeHandover, handover.source.step)
            try receiver.receive(item)
        } catch {
            turn.end(Self.name(id))
            progress.fail(ErrorSummary.line(of: error), error)
            progress.failures += 1
            let isStop = (error as? MoltError)?.isStop == true
            progress.isStopped = isStop || progress.done == 0 || progress.failures == Self.failureLimit
            if !isStop { try change { try $0.noteFailure(ofHandover: id) } }
            return
        }
        try configuration.reach(.afterHandover, handover.source.step)
        // One by one, so that a kill repeats one at most.
        try remove(id)
        turn.end(Self.name(id))
        progress.done += 1
    }

    /// Removes an item from the file, so that it is not handed over again.
    ///
    /// A loss of power may undo that, and the item is then handed over again: the closure allows for it.
    private func remove(_ id: Int64) throws {
        do {
            try change { transaction in
                try transaction.removeHandover(id)
                try configuration.reach(.beforeCommit, "of what was handed over")
            }
            hasRemoved = true
            try configuration.reach(.afterCommit, "of what was handed over")
        } catch {
            throw MoltError(
                .workFailed,
                "A record or a setting was stored elsewhere, and could not be removed from the file, so the next opening "
                    + "hands it over again.",
                store: store.storeName,
                underlying: error
            )
        }
    }

    private func change(_ body: (StoreTransaction) throws -> Void) throws {
        let patience = Patience(configuration.upgradeTimeout)
        let isSame = try store.withWriteTransactionOfSameStore(until: nil, isSynced: false, body) {
            let problem = "Another process or thread has held the store for too long."
            try patience.wait(orThrow: MoltError(.busy, problem))
        }
        guard isSame else {
            let problem = "The store was upgraded or replaced meanwhile."
            throw MoltError(.storeChanged, problem, store: store.storeName)
        }
    }

    // MARK: The report

    /// - Parameters:
    ///   - left: The number of those that still wait.
    ///   - reason: Why they do; nil if none does.
    private func entry(of handover: Handover, left: Int = 0, _ reason: String?) -> MigrationReport.Work {
        MigrationReport.Work(
            migration: handover.source.migration,
            summary: "\(handover.source.step) (\(handover.count))",
            problem: reason.map { "\(left) of \(handover.count) wait: \($0)" }
        )
    }

    private func send(_ error: (any Error)?, _ problem: String, _ advice: String, _ handover: Handover? = nil) {
        let failure = MoltError(
            .workFailed,
            problem,
            advice: advice,
            store: store.storeName,
            migration: handover?.source.migration,
            underlying: error
        )
        configuration.monitor?.send(.workFailed(failure))
    }
}

extension Migrator {
    private var mayHandOver: Bool {
        // Its closures would store a user's secrets where the tool runs.
        if case .tool = configuration.process { return false }
        return configuration.hooks.handsOver
    }

    /// Why the run hands nothing over; nil if it does.
    fileprivate var obstacleToHandovers: String? {
        if let obstacleToWork { return obstacleToWork }
        return mayHandOver ? nil : "a tool does not do it; it is up to the app"
    }
}

extension MigrationRegistry.HandoverReceiver {
    /// Passes a record or a setting to the closure of the app.
    func receive(_ item: HandoverTable.Item) throws {
        switch (self, item.content) {
        case (.record(let coding, let receive), .record(let stored)):
            var record = Record(stored)
            record.coding = coding
            try record.read()
            try receive(record)
        case (.setting(let receive), .setting(let key, _, let json)):
            try receive(key, JSONDecoder().decode(PropertyListValue.self, from: Data(json)))
        case (.record, .setting), (.setting, .record): break
        }
    }
}
