/// A record that is put into quarantine when the changes of a stage are made.
package struct DeferredQuarantine: Sendable {
    /// The place of the migration's first step in its pass; the record is set aside before anything else of that stage.
    package var stage: Int
    /// The record.
    package var id: Int64
    /// The type name that it is kept with; nil for the one that it has at that stage.
    package var typeName: String?
    /// Why it could not be converted.
    package var failure: RecordFailure

    /// Creates a change.
    package init(stage: Int, id: Int64, typeName: String? = nil, failure: RecordFailure) {
        self.stage = stage
        self.id = id
        self.typeName = typeName
        self.failure = failure
    }
}
