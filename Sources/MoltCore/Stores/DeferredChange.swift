/// A change of a record's key, type or existence that is made when the pass that found it has ended.
package struct DeferredChange: Sendable {
    /// What changes.
    package enum Kind: Sendable {
        /// The record is deleted.
        case drop
        /// The record gets another key.
        case key(String)
        /// The record gets another type name.
        case type(String)
    }

    /// The place of the step in its pass; changes are made in the order of the steps.
    package var stage: Int
    /// The record.
    package var id: Int64
    /// What changes.
    package var kind: Kind

    /// Creates a change.
    package init(stage: Int, id: Int64, kind: Kind) {
        self.stage = stage
        self.id = id
        self.kind = kind
    }
}
