/// A change of a record's key, type or existence that is made at the end of its pass.
package struct DeferredChange: Sendable {
    package enum Kind: Sendable {
        case drop
        case key(String)
        case type(String)
    }

    /// The position of the step in its pass; changes are made in the order of the steps.
    package var stage: Int
    package var id: Int64
    package var kind: Kind

    package init(stage: Int, id: Int64, kind: Kind) {
        self.stage = stage
        self.id = id
        self.kind = kind
    }
}

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
