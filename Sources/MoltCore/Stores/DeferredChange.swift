/// A change of a record's key, type or existence that is made when the pass that found it has ended.
public struct DeferredChange: Sendable {
    /// What changes.
    public enum Kind: Sendable {
        /// The record is deleted.
        case drop
        /// The record gets another key.
        case key(String)
        /// The record gets another type name.
        case type(String)
    }

    /// The place of the step in its pass; changes are made in the order of the steps.
    public var stage: Int
    /// The record.
    public var id: Int64
    /// What changes.
    public var kind: Kind

    /// Creates a change.
    public init(stage: Int, id: Int64, kind: Kind) {
        self.stage = stage
        self.id = id
        self.kind = kind
    }
}
