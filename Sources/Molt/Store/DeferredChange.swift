/// A change of a record's key, type or existence, or its quarantine, that is made at the end of its pass.
package struct DeferredChange: Sendable {
    package enum Kind: Sendable {
        case drop
        case key(String)
        case type(String)
        /// The type name is that in quarantine; nil for the current one at that stage.
        case quarantine(MigrationReport.RecordFailure, typeName: String? = nil)
    }

    /// The position of the step in its pass; changes are made in the order of the steps.
    ///
    /// For a quarantine, it is that of the migration's first step.
    package var stage: Int
    package var id: Int64
    package var kind: Kind

    package init(stage: Int, id: Int64, kind: Kind) {
        self.stage = stage
        self.id = id
        self.kind = kind
    }
}
