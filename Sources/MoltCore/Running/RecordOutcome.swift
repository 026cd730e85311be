/// What the steps of a pass did to one record: all that the store has to be told.
struct RecordOutcome {
    /// The record.
    var id: Int64 = 0
    /// The version of the last migration that changed the record; nil when none did.
    var changedAt: Int?
    /// Whether there is nothing to write: a step dropped the record, or deletes its type.
    var isGone = false
    /// Whether the content is raw data.
    var isData = false
    /// The content as it is to be stored, in the bytes of the worker that changed the record.
    var content = 0..<0
    /// Which worker that was.
    var worker = 0
    /// When the record expires, in seconds since 1970 or nil for never, where a step has set it.
    var newExpiration: Double??
    /// What waits for the end of the pass.
    var deferred: [DeferredChange] = []
    /// What a step threw.
    var failure: (any Error)?
    /// The step, by its place in the pass, when the others may go on without the record; nil when the upgrade stops.
    var failedStage: Int?
}
