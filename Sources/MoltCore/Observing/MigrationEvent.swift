/// Something that happens during the opening of a store, or, as ``drifted(_:)``, while it is open.
public enum MigrationEvent: Sendable {
    /// The plan is known; it is sent again when another process changed the store in the meantime.
    case planned(MigrationPlan)
    /// Migrations were edited after the store had counted them as applied; what they did is not what they say now.
    case edited([MigrationPlan.Edit])
    /// The store was copied; nothing of the upgrade has been written yet.
    case backedUp(StoreBackup)
    /// Another process holds the store; the opening waits for it.
    case waiting
    /// A migration's first step begins. Migrations whose steps are fused begin together.
    case started(MigrationID)
    /// Some more records are done.
    ///
    /// Told after each batch, and where the batches are many, after every half of a percent of the work or tenth of a second.
    case progressed(MigrationProgress)
    /// A migration's last step is done; nothing is committed yet.
    case ended(MigrationReport.Entry)
    /// The upgrade is committed, or there was nothing to do.
    case finished(MigrationReport)
    /// The upgrade failed and was rolled back.
    case failed(any Error)
    /// A type is stored otherwise than the store remembers, at the same schema version; the value was written.
    ///
    /// It comes when the store is open and a value is written, so only the monitor's closure gets it: once for each type
    /// at every launch, until the schema version changes.
    case drifted(SchemaDrift)
}

extension MigrationEvent: CustomStringConvertible {
    /// The event in a sentence; never a value.
    public var description: String {
        switch self {
        case .planned(let plan): "Planned: \(plan.headline)."
        case .edited(let edits): "Edited after it was applied: \(edits.map(\.description).joined(separator: "; "))."
        case .backedUp(let backup): "Backed up as \(backup)."
        case .waiting: "Waiting for another process that holds the store."
        case .started(let migration): "Migration \(migration) begins."
        case .progressed(let progress): "\(Int(progress.fraction * 100)) % done."
        case .ended(let entry):
            "Migration \(entry.migration) is done" + (entry.counts.isZero ? "." : ": \(entry.counts.words).")
        case .finished(let report): "Finished: \(report.headline)."
        case .failed(let error): "Failed: \(ErrorSummary.line(of: error))"
        case .drifted(let drift): drift.description
        }
    }
}
