internal import MoltCore
internal import Synchronization

/// Changes that are deferred while a migration is half done, and how it goes on.
extension StoreBehavior {
    static var deferringInBatches: [StoreBehavior] {
        [
            StoreBehavior(
                "While a migration is half done, what is deferred outlives the transaction",
                needs: .batches,
                .records
            ) { trial in
                let store = try trial.people()
                try batch(store, 1, trial) { transaction in
                    try put(0, 1, .key("b"), transaction)
                    try put(0, 3, .type("Town"), transaction)
                    try put(1, 1, .type("Robot"), transaction)
                }
                try batch(store, 2, trial) { transaction in
                    try put(0, 2, .key("a"), transaction)
                    // The later one of a kind counts, whichever batch the earlier one was in.
                    try put(0, 3, .type("Village"), transaction)
                    try put(1, 7, .drop, transaction)
                }
                trial.expect("the records between batches", try trial.rows(store), is: StoredRow.people)
                try trial.write(store) { transaction in
                    _ = try transaction.state()
                    try transaction.heldRecords.applyDeferredChanges(stage: 0)
                    let first = ["1 Person b", "2 Person a", "3 Village c", "7 Person d"]
                    trial.expect("the records after the first stage", try trial.rows(transaction).names, is: first)
                    try transaction.heldRecords.applyDeferredChanges(stage: 1)
                    try transaction.heldRecords.applyDeferredChanges(stage: 0)
                    try transaction.setUnfinished(nil, version: 3)
                }
                trial.expect(
                    "the records",
                    try trial.rows(store).names,
                    is: ["1 Robot b", "2 Person a", "3 Village c"]
                )
            },
            StoreBehavior(
                "A batch that is undone leaves nothing deferred, and takes nothing from those before it",
                needs: .batches,
                .records
            ) { trial in
                let store = try trial.people()
                try batch(store, 1, trial) { try put(0, 1, .key("z"), $0) }
                try trial.writeAndUndo(store) { transaction in
                    _ = try transaction.state()
                    try put(0, 1, .key("y"), transaction)
                    try put(0, 2, .drop, transaction)
                    try transaction.setUnfinished(unfinished(at: 2), version: 3)
                }
                try trial.writeAndUndo(store) { transaction in
                    _ = try transaction.state()
                    try transaction.heldRecords.applyDeferredChanges(stage: 0)
                    try transaction.setUnfinished(nil, version: 3)
                }
                trial.expect("the records before", try trial.rows(store), is: StoredRow.people)
                try last(store, stage: 0, trial)
                let names = ["1 Person z", "2 Person b", "3 City c", "7 Person d"]
                trial.expect("the records", try trial.rows(store).names, is: names)
            },
            StoreBehavior(
                "Once no migration is half done, what is deferred ends with its transaction again",
                needs: .batches,
                .records
            ) { trial in
                let store = try trial.people()
                try batch(store, 1, trial) { try put(0, 1, .key("z"), $0) }
                try last(store, stage: 0, trial)
                try trial.write(store) { try put(0, 2, .drop, $0) }
                try batch(store, 1, trial) { try put(1, 3, .drop, $0) }
                try trial.write(store) { transaction in
                    _ = try transaction.state()
                    try transaction.heldRecords.applyDeferredChanges(stage: 0)
                    try transaction.heldRecords.applyDeferredChanges(stage: 1)
                    try transaction.setUnfinished(nil, version: 3)
                }
                trial.expect(
                    "the records",
                    try trial.rows(store).names,
                    is: ["1 Person z", "2 Person b", "7 Person d"]
                )
            },
            StoreBehavior(
                "While a migration is half done, what is to go into quarantine outlives the transaction",
                needs: .batches,
                .records
            ) { trial in
                let store = try trial.people()
                do {
                    try batch(store, 1, trial) { transaction in
                        try transaction.heldRecords.deferQuarantine(
                            DeferredQuarantine(stage: 0, id: 2, failure: failure)
                        )
                        try put(0, 1, .key("b"), transaction)
                    }
                } catch let error as MigrationError where error.code == .unsupported {
                    return
                }
                try batch(store, 2, trial) { transaction in
                    try transaction.heldRecords.deferQuarantine(DeferredQuarantine(stage: 0, id: 3, failure: failure))
                }
                trial.expect("the records between batches", try trial.rows(store), is: StoredRow.people)
                try last(store, stage: 0, trial)
                trial.expect("the records", try trial.rows(store).names, is: ["1 Person b", "7 Person d"])
            },
            StoreBehavior(
                "A migration that is cut off between batches is gone on with, and comes to the same end",
                needs: .batches,
                .records
            ) { trial in
                let once = try trial.people()
                _ = try batchedMigrator().migrate(once)
                let store = try trial.people()
                trial.expectError("the upgrade", .stepFailed) {
                    _ = try batchedMigrator(failingAfter: 2).migrate(store)
                }
                let state = try store.state()
                trial.expect("the records it has read", state.unfinished?.counts.read, is: 2)
                trial.expect("the ledger", state.ledger, is: [])
                trial.expect("the version", state.version, is: 2)
                _ = try batchedMigrator().migrate(store)
                trial.expect("the records", try trial.rows(store), is: try trial.rows(once))
                trial.expect("the mark", try store.state().unfinished, is: nil)
                let counts = try once.state().ledger.map(\.counts)
                trial.expect("the counts in the ledger", try store.state().ledger.map(\.counts), is: counts)
            },
        ]
    }

    /// - Parameter limit: How many records its step takes; a store that forgets where it was would never come to an end.
    private static func batchedMigrator(failingAfter limit: Int = 100) -> Migrator {
        let seen = Counter()
        let step = MigrationStep.transform("Person") { person in
            guard seen.next() <= limit else { throw StoreTrial.Stop() }
            person["age"] = person.contains("age") ? 2 : 1
            person.key = "person/\(person.key)"
        }
        return migrator([Migration(to: 2, "batches", step).committingInBatches(of: 2)], batchSize: 2)
    }
}

/// Counts from 1.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
