@testable import Molt

extension MigrationEvent {
    /// A short name of the event, the same for every batch of progress.
    var word: String {
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
        case .drifted(let drift): "drifted \(drift.type ?? "")"
        case .backfillProgressed: "backfill progressed"
        case .backfillFinished: "backfill finished"
        case .backfillFailed: "backfill failed"
        }
    }
}
