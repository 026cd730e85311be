internal import Foundation
internal import MoltCore

/// How far a migration has come that commits in batches.
extension StoreBehavior {
    static var batches: [StoreBehavior] {
        [
            StoreBehavior("A store that commits all as one refuses to keep a migration half done", needs: .noBatches) {
                trial in
                let store = try trial.store()
                try trial.writeAndUndo(store) { transaction in
                    trial.expectError("the mark", .unsupported) {
                        try transaction.setUnfinished(unfinished(at: 1), version: 1)
                    }
                }
                trial.expect("the mark", try store.state().unfinished, is: nil)
            },
            StoreBehavior("How far a migration has come is kept with the commit", needs: .batches) { trial in
                let store = try trial.store()
                for position in [1, 7] as [Int64] {
                    let unfinished = unfinished(at: position)
                    try trial.write(store) { transaction in
                        try transaction.setUnfinished(unfinished, version: 3)
                        compare(unfinished, try transaction.state().unfinished, "in the transaction, ", trial)
                    }
                    let state = try store.state()
                    compare(unfinished, state.unfinished, "", trial)
                    trial.expect("the version", state.version, is: 3)
                    trial.expect("the ledger", state.ledger, is: [])
                    try trial.write(store) { transaction in
                        compare(unfinished, try transaction.state().unfinished, "in the next transaction, ", trial)
                    }
                }
            },
            StoreBehavior("How far a migration has come is not kept when the transaction is undone", needs: .batches) {
                trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([], version: 1) }
                try trial.writeAndUndo(store) { try $0.setUnfinished(unfinished(at: 1), version: 3) }
                trial.expect("the mark", try store.state().unfinished, is: nil)
                trial.expect("the version", try store.state().version, is: 1)
                let kept = unfinished(at: 1)
                try trial.write(store) { try $0.setUnfinished(kept, version: 3) }
                try trial.writeAndUndo(store) { try $0.setUnfinished(unfinished(at: 7), version: 4) }
                try trial.writeAndUndo(store) { try $0.setUnfinished(nil, version: 4) }
                compare(kept, try store.state().unfinished, "after two that were undone, ", trial)
                trial.expect("the version", try store.state().version, is: 3)
            },
            StoreBehavior("A migration that has come to its end is no longer half done", needs: .batches) { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.setUnfinished(unfinished(at: 1), version: 3) }
                try trial.write(store) { transaction in
                    try transaction.setUnfinished(nil, version: 3)
                    trial.expect("the mark in the transaction", try transaction.state().unfinished, is: nil)
                    try transaction.record([entry("batches", .ran)], version: 3)
                }
                let state = try store.state()
                trial.expect("the mark", state.unfinished, is: nil)
                trial.expect("the version", state.version, is: 3)
                trial.expect("the ledger", state.ledger.map(\.name), is: ["batches"])
                try trial.write(store) { transaction in
                    trial.expect("the mark in the next transaction", try transaction.state().unfinished, is: nil)
                }
            },
            StoreBehavior(
                "Whoever opens the store again sees how far a migration has come, and what it has deferred",
                needs: .batches,
                .records,
                .reopening
            ) { trial in
                let store = try trial.people()
                try batch(store, 1, trial) { try put(0, 1, .key("z"), $0) }
                let other = try trial.reopened(store)
                compare(unfinished(at: 1), try other.state().unfinished, "", trial)
                try last(other, stage: 0, trial)
                trial.expect("the records", try trial.rows(other).first?.key, is: Array("z".utf8))
            },
        ]
    }

    // MARK: Helpers

    /// One transaction of a migration that goes on: the state is read first, as a migrator does.
    static func batch(
        _ store: any MigrationStore,
        _ position: Int64,
        _ trial: StoreTrial,
        _ body: (any MigrationTransaction) throws -> Void
    ) throws {
        try trial.write(store) { transaction in
            _ = try transaction.state()
            try body(transaction)
            try transaction.setUnfinished(unfinished(at: position), version: 3)
        }
    }

    /// The last transaction of a migration: makes what was deferred at a stage.
    static func last(_ store: any MigrationStore, stage: Int, _ trial: StoreTrial) throws {
        try trial.write(store) { transaction in
            _ = try transaction.state()
            try transaction.heldRecords.applyDeferredChanges(stage: stage)
            try transaction.setUnfinished(nil, version: 3)
        }
    }

    /// A migration that is half done, with something in each of its fields.
    static func unfinished(at id: Int64) -> UnfinishedMigration {
        var counts = RecordCounts()
        counts.read = Int(id)
        counts.changed = 2
        counts.quarantined = 1
        let migration = Migration(to: 3, "batches \"é\"", .transform("Person") { _ in })
        return UnfinishedMigration(
            migration,
            startedAt: Date(timeIntervalSince1970: 1_700_000_000.25),
            total: 1_000_000,
            counts: counts,
            stepCounts: [counts],
            duration: 1.5,
            position: UnfinishedMigration.Position(type: "Pérson", id: id)
        )
    }

    /// Compares field by field, so that what is missing has a name.
    private static func compare(
        _ expected: UnfinishedMigration,
        _ found: UnfinishedMigration?,
        _ place: String,
        _ trial: StoreTrial
    ) {
        guard let found else { return trial.report("\(place)the migration that is half done is missing") }
        trial.expect("\(place)the migration", found.migration, is: expected.migration)
        trial.expect("\(place)its fingerprint", found.fingerprint, is: expected.fingerprint)
        trial.expect("\(place)when it began", found.startedAt, is: expected.startedAt)
        trial.expect("\(place)how many records it will read", found.total, is: expected.total)
        trial.expect("\(place)its counts", found.counts, is: expected.counts)
        trial.expect("\(place)its steps' counts", found.stepCounts, is: expected.stepCounts)
        trial.expect("\(place)its duration", found.duration, is: expected.duration)
        trial.expect("\(place)its position", found.position, is: expected.position)
        trial.expect("\(place)its failures", found.failures, is: expected.failures)
    }
}
