/// Something outside a store that migrations work on: a suite of settings.
///
/// Steps that are about a suite name it themselves. What only a block of `run` works on is named where the store is
/// opened, or beside the block.
public protocol Attachable: Sendable {
    /// What Molt works with.
    var attachment: Attachment { get }
}

/// What Molt works with when something is attached to a store; only Molt's own types make one.
public struct Attachment: Sendable {
    package let store: any AttachedStore

    package init(_ store: any AttachedStore) {
        self.store = store
    }
}

extension Sequence where Element == any Attachable {
    /// What Molt works with.
    package var stores: [any AttachedStore] { map(\.attachment.store) }
}
