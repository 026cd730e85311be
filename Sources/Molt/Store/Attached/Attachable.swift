/// Something outside a store that migrations work on, such as a suite of settings.
///
/// Steps for a suite name it themselves. A suite that only a `run` block uses is named when the store is opened, or in
/// the step.
public protocol Attachable: Sendable {
    /// The attachment for Molt's use.
    var attachment: Attachment { get }
}

/// An attached store for Molt's use; only Molt's own types create one.
public struct Attachment: Sendable {
    package let store: any AttachedStore

    package init(_ store: any AttachedStore) {
        self.store = store
    }
}

extension Sequence where Element == any Attachable {
    package var stores: [any AttachedStore] { map(\.attachment.store) }
}
