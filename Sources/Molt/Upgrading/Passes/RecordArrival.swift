/// What a record goes through that comes into a store after its other records have been through it.
///
/// See ``MissedSteps``.
struct RecordArrival {
    private let steps: DocumentSteps
    private let blocking: ScheduledStep?

    /// - Returns: Nil if the steps change no records.
    init?(_ missed: MissedSteps, storeName: String) {
        guard let schedule = missed.onRecords else { return nil }
        steps = DocumentSteps(schedule, storeName: storeName)
        blocking = missed.blocking
    }

    /// Why no record can come in any more, in words for a report; nil if it can.
    var obstacle: String? {
        blocking.map {
            "as a record it would miss \($0.positionInReason), which needs the whole store"
        }
    }

    /// Sends a record through the steps that it has missed.
    ///
    /// - Returns: The record, then those that steps have extracted from it; also those that are gone.
    /// - Throws: ``MoltError`` without a location, as a fault of the step that brings in the record.
    func documents(from record: Record) throws -> [DocumentSteps.Document] {
        if let blocking {
            throw MoltError(
                .lateMigration,
                "A record comes in too late: the store has been through \(blocking.positionInReason), "
                    + "which needs the whole store, so the record cannot go through it.",
                advice: "Give the migration a version above every one that has shipped."
            )
        }
        do {
            return try steps.upgrade(record)
        } catch var error as MoltError {
            guard let migration = error.migration, let step = error.step else { throw error }
            error.problem +=
                " That happens in step \(step.number) of migration \(migration), which the record goes through at once, "
                + "because the other records have been through it."
            (error.migration, error.step, error.store) = (nil, nil, nil)
            throw error
        }
    }
}
