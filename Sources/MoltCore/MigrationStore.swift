package import Foundation

/// Something that carries a schema version and a ledger, and can be upgraded whole or not at all.
///
/// The cache file, the in-memory cache and a settings suite are stores. The migrator knows stores only through this
/// protocol and ``MigrationTransaction``.
package protocol MigrationStore: AnyObject {
    /// What errors and reports call the store: its file's path, or the name of its suite.
    var storeName: String { get }

    /// The coders that typed steps decode and encode records with.
    var coding: RecordCoding { get }

    /// What was attached where the store was opened, beside what the steps of a registry name.
    var attachments: [any AttachedStore] { get }

    /// A file in which the migrator notes an upgrade that begins, and which it removes when the upgrade has ended.
    ///
    /// nil, the default, for a store that does not outlive its process.
    var attemptsURL: URL? { get }

    /// The store itself, when copies of it can be kept and restored; nil, the default, when they cannot.
    var backedUp: (any BackedUpStore)? { get }

    /// Reads the version and the ledger; writes nothing and takes no write lock.
    ///
    /// - Throws: ``MigrationError`` with the code `storeFailed`, or the store's own error.
    func state() throws -> StoreState

    /// Runs a closure in one write transaction: what it wrote is kept whole when it returns, and undone when it throws.
    ///
    /// The write lock is held from before the closure is called, so that no other process can be upgrading meanwhile.
    ///
    /// - Parameters:
    ///   - deadline: When the transaction's statements are stopped; nil for never.
    ///   - body: Reads and writes through the transaction, which must not outlive the call.
    ///   - waiting: Called again and again while another process holds the write lock; throws to give up.
    /// - Throws: What `body` and `waiting` throw, or the store's own error.
    func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws
}

extension MigrationStore {
    /// Nothing is attached.
    package var attachments: [any AttachedStore] { [] }

    /// Nothing is noted.
    package var attemptsURL: URL? { nil }

    /// No copies are kept.
    package var backedUp: (any BackedUpStore)? { nil }
}
