/// An event that occurs when a store is opened or, for ``shapeChanged(_:)`` and ``quarantined(_:)``, when it is used.
public indirect enum MigrationEvent: Sendable {
    /// The plan was computed; it is sent again if another process changed the store in the meantime.
    case planned(MigrationPlan)
    /// Migrations were edited after the store had counted them as applied; their code no longer shows what ran.
    ///
    /// Each error has the code `migrationEdited`, names the migration, and says what to do.
    case edited([MoltError])
    /// The store was backed up; the upgrade has not written anything yet.
    case backedUp(StoreBackup)
    /// Another process holds the store; the opening waits for it.
    case waiting
    /// A migration's first step begins. Migrations whose steps are fused begin together.
    case started(MigrationID)
    /// More records were processed.
    ///
    /// It is sent after each batch or, if there are many batches, after each 0.5 % of the work or 0.1 seconds.
    case progressed(MigrationEvent.Progress)
    /// A migration's last step has ended; nothing is committed yet.
    case ended(MigrationReport.Entry)
    /// A migration's work after the commit failed, or was done and could not be recorded in the ledger, or something
    /// could not be handed over; the opening goes on, and the next one tries again.
    ///
    /// The error names the migration. See ``Migration/afterCommit(_:_:)`` and
    /// ``MigrationStep/handOverRecords(_:to:_:)``.
    case workFailed(MoltError)
    /// The upgrade is committed, or there was nothing to do.
    case finished(MigrationReport)
    /// The opening failed; the error's ``MoltError/outcome`` says what became of the store.
    case failed(any Error)
    /// A type's stored shape differs from the one recorded at the same schema version; the value was written.
    ///
    /// The error has the code `shapeChanged`, names the type and each difference, and says what to do.
    /// It occurs when a value is written to the open store, so only the monitor's closure receives it: once per type
    /// and launch, until the schema version changes.
    case shapeChanged(MoltError)
    /// A record could not be read as its type, and was put into quarantine before a value was written over it.
    ///
    /// The error has the code `unreadableContent`, and names the key, the type and the reason; see
    /// ``MoltConfiguration/unreadableValues``. Only the monitor's closure receives it, after the write. Records that a
    /// migration puts into quarantine are in the ``MigrationReport``.
    case quarantined(MoltError)
    /// The upgrade of the remaining records of an open store, after migrations on read, has made progress.
    ///
    /// It is sent at most ten times a second. Only the monitor's closure receives this and the next three events,
    /// because they come after the store is opened: on a thread of the upgrade, or on the one that calls
    /// `finishBackfill()`.
    case backfillProgressed(MigrationEvent.Progress)
    /// The upgrade of the remaining records of an open store pauses until the device is in another state.
    ///
    /// Further progress shows that it goes on. See ``MoltConfiguration/BackfillPace/pausesToSavePower``.
    case backfillPaused(MoltConfiguration.BackfillPace.DeviceState)
    /// All records of an open store have been upgraded, apart from these, which were quarantined or dropped.
    case backfillFinished([MigrationReport.FailedRecord])
    /// Some of the remaining records of an open store could not be upgraded in the background.
    ///
    /// The next opening tries again.
    case backfillFailed(any Error)
}

extension MigrationEvent: CustomStringConvertible {
    /// The event in a sentence, without values.
    public var description: String {
        switch self {
        case .planned(let plan): "Planned: \(plan.headline)."
        case .edited(let edits): edits.map(\.problem).joined(separator: " ")
        case .backedUp(let backup): "Backed up as \(backup)."
        case .waiting: "Waiting for another process that holds the store."
        case .started(let migration): "Migration \(migration) begins."
        case .progressed(let progress): "\(Int(progress.fraction * 100)) % done."
        case .ended(let entry):
            "Migration \(entry.migration) is done" + (entry.counts.isZero ? "." : ": \(entry.counts.summary).")
        case .workFailed(let error): ErrorSummary.line(of: error)
        case .finished(let report): "Finished: \(report.headline)."
        case .failed(let error): "Failed: \(ErrorSummary.line(of: error))"
        case .shapeChanged(let error), .quarantined(let error): error.problem
        case .backfillProgressed(let progress): "Records upgraded in the background: \(progress)."
        case .backfillPaused(.lowPowerMode): "Upgrading records pauses while the device is in Low Power Mode."
        case .backfillPaused(.hot): "Upgrading records pauses while the device is hot."
        case .backfillFinished(let failed):
            "All records are upgraded" + (failed.isEmpty ? "." : ", apart from \(failed.count) that failed.")
        case .backfillFailed(let error): "Not all records were upgraded: \(ErrorSummary.line(of: error))"
        }
    }
}

extension MigrationEvent {
    /// The progress of an upgrade; the fraction never decreases within one opening.
    public struct Progress: Equatable, Sendable, CustomStringConvertible {
        /// The number of records that were processed.
        public package(set) var completed: Int
        /// The number of records to process; each pass over a record counts.
        public package(set) var total: Int
        /// The migrations in progress: all those fused into the current pass.
        public package(set) var migrations: [MigrationID]

        package init(completed: Int, total: Int, migrations: [MigrationID] = []) {
            self.completed = completed
            self.total = total
            self.migrations = migrations
        }

        /// The completed fraction of the work, from 0 to 1.
        public var fraction: Double {
            total > 0 ? min(1, Double(completed) / Double(total)) : 1
        }

        /// The percentage and the numbers of records.
        public var description: String {
            "\(Int(fraction * 100)) %, \(DisplayText.grouped(completed)) of \(DisplayText.grouped(total)) records"
        }
    }
}
