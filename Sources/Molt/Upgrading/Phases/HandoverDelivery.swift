internal import Foundation

/// Hands over what steps have taken out of a store, once the upgrade is committed.
///
/// The file says what waits, so nothing is lost if the process is killed: the next opening goes on. An item is removed
/// from the file only after the app's closure has returned for it, and then overwritten.
struct HandoverDelivery {
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
    mutating func run() -> [MigrationReport.Work] {
        do {
            let waiting = try waiting()
            guard !waiting.isEmpty else { return [] }
            if let obstacle = migrator.obstacleToWork { return waiting.map { entry(of: $0, left: $0.count, obstacle) } }
            guard let turn = try WorkTurn(at: store, configuration) else {
                return waiting.map { entry(of: $0, left: $0.count, WorkTurn.isTaken) }
            }
            // The process that had the turn before may have handed them over.
            var work: [MigrationReport.Work] = []
            for handover in try self.waiting() { work.append(handOver(handover, turn)) }
            return work
        } catch {
            send(error, "What the store has to hand over cannot be read.")
            return []
        }
    }

    private func waiting() throws -> [Handover] { try store.withSnapshot { try $0.state().handovers } }

    // MARK: One step

    private mutating func handOver(_ handover: Handover, _ turn: borrowing WorkTurn) -> MigrationReport.Work {
        guard let receiver = handover.receiver(in: migrator.registry) else {
            return failed(handover, left: handover.count, "no step of the registry hands them over any more")
        }
        let name = "\(handover.migration.name) \(handover.step)"
        if let reason = turn.begin(name, at: handover.migration.version) {
            return failed(handover, left: handover.count, reason)
        }
        defer { turn.end(name) }
        var left = handover.count
        do {
            let failure = try handOverAll(of: handover, to: receiver, &left)
            return failure.map { failed(handover, left: left, ErrorSummary.line(of: $0), $0) }
                ?? entry(of: handover, nil)
        } catch {
            let reason = ErrorSummary.line(of: error)
            return failed(handover, left: left, reason, error)
        }
    }

    /// - Parameter left: Becomes the number of those that still wait.
    /// - Returns: The first error of the closure.
    /// - Throws: The error of the store.
    private mutating func handOverAll(
        of handover: Handover,
        to receiver: Handover.Receiver,
        _ left: inout Int
    ) throws -> (any Error)? {
        var after: Int64 = 0
        var failures: [any Error] = []
        var isStopped = false
        while !isStopped {
            let items = try store.withSnapshot { try $0.items(of: handover, after: after) }
            guard let last = items.last else { break }
            after = last.id
            for item in items where !isStopped {
                do {
                    try configuration.checkCancellation()
                    try configuration.reach(.beforeHandover, handover.summary)
                    try receiver.receive(item)
                } catch {
                    failures.append(error)
                    isStopped = failures.count == Self.failureLimit || (error as? MoltError)?.isStop == true
                    continue
                }
                try configuration.reach(.afterHandover, handover.summary)
                // One by one, so that a kill repeats one at most.
                try remove(item.id)
                left -= 1
            }
        }
        return failures.first
    }

    /// Removes an item from the file, so that it is not handed over again.
    ///
    /// A loss of power may undo that, and the item is then handed over again: the closure allows for it.
    private mutating func remove(_ id: Int64) throws {
        let patience = Patience(configuration.upgradeTimeout)
        do {
            try store.withWriteTransaction(until: nil, isSynced: false) { transaction in
                try transaction.removeHandedOver(id)
                try configuration.reach(.beforeCommit, "of what was handed over")
                return true
            } waiting: {
                let problem = "Another process or thread has held the store for too long."
                try patience.wait(orThrow: MoltError(.busy, problem))
            }
            hasRemoved = true
            try configuration.reach(.afterCommit, "of what was handed over")
        } catch {
            throw MoltError(
                .workFailed,
                "One was handed over, but the file cannot say so, and the next opening hands it over again.",
                store: store.storeName,
                underlying: error
            )
        }
    }

    // MARK: The report

    /// - Parameters:
    ///   - left: The number of those that still wait.
    ///   - reason: Why they do; nil if none does.
    private func entry(of handover: Handover, left: Int = 0, _ reason: String?) -> MigrationReport.Work {
        let problem = reason.map { "\(left) of \(handover.count) wait: \($0)" }
        return MigrationReport.Work(migration: handover.migration, summary: handover.summary, problem: problem)
    }

    private func failed(
        _ handover: Handover,
        left: Int,
        _ reason: String,
        _ error: (any Error)? = nil
    ) -> MigrationReport.Work {
        let entry = entry(of: handover, left: left, reason)
        let advice =
            error == nil
            ? "Keep the step in the registry, and find the reason. To try again with this build, open the store with "
                + "`retriesInterruptedUpgrades = true`."
            : "The next opening tries again."
        send(
            error,
            "\(left) of \(handover.count) could not be handed over (\(handover.summary)): \(reason).",
            advice,
            handover
        )
        return entry
    }

    private func send(_ error: (any Error)?, _ problem: String, _ advice: String? = nil, _ handover: Handover? = nil) {
        let failure = MoltError(
            .workFailed,
            problem,
            advice: advice,
            store: store.storeName,
            migration: handover?.migration,
            underlying: error
        )
        configuration.monitor?.send(.workFailed(failure))
    }
}

extension Handover {
    /// Passes all that waits for the step to the closure of the app, in the store of a merge, which is then given up.
    func passAll(in transaction: StoreTransaction, to registry: MigrationRegistry) throws {
        guard let receiver = receiver(in: registry) else { return }
        var after: Int64 = 0
        while true {
            let items = try transaction.items(of: self, after: after)
            guard let last = items.last else { return }
            after = last.id
            for item in items { try receiver.receive(item) }
        }
    }
}

extension Handover.Receiver {
    /// Passes a record or a setting to the closure of the app.
    fileprivate func receive(_ item: HandoverTable.Item) throws {
        switch (self, item.content) {
        case (.records(let coding, let receive), .record(let stored)):
            var record = Record(stored)
            record.coding = coding
            try record.read()
            try receive(record)
            if let failure = record.failure { throw failure }
        case (.settings(let receive), .setting(let key, let json)):
            try receive(key, JSONDecoder().decode(PropertyListValue.self, from: Data(json)))
        case (.records, .setting), (.settings, .record):
            throw MoltError(.storeFailed, "What waits is not what the step hands over.", underlying: MoltError.Damage())
        }
    }
}
