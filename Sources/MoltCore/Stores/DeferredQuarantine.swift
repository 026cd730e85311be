/// A record that is quarantined when the deferred changes of a stage are made.
package struct DeferredQuarantine: Sendable {
    /// The position of the migration's first step in its pass; quarantining precedes all other changes of that stage.
    package var stage: Int
    package var id: Int64
    /// The type name in quarantine; nil for the current one at that stage.
    package var typeName: String?
    package var failure: RecordFailure

    package init(stage: Int, id: Int64, typeName: String? = nil, failure: RecordFailure) {
        self.stage = stage
        self.id = id
        self.typeName = typeName
        self.failure = failure
    }
}
