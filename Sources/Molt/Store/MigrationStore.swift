package import Foundation

/// Something that carries a schema version and a ledger, and whose upgrade is all or nothing.
///
/// The cache file, the in-memory cache and a settings suite are stores. The migrator knows stores only through this
/// protocol and ``MigrationTransaction``.
package protocol MigrationStore: AnyObject {
    /// The store's name in errors and reports: its file's path, or the name of its suite.
    var storeName: String { get }

    /// The stores that were attached when the store was opened, in addition to those that steps name.
    var attachments: [any AttachedStore] { get }

    /// The file in which the migrator notes a running upgrade; nil for a store that does not outlive its process.
    var attemptsURL: URL? { get }

    /// The size of the store's files in bytes; nil, the default, for a store without files of its own.
    var byteCount: Int64? { get }

    /// The store itself, when copies of it can be kept and restored; nil, the default, when they cannot.
    var backedUp: (any BackedUpStore)? { get }

    /// Reads the version and the ledger; writes nothing and takes no write lock.
    ///
    /// - Throws: ``MoltError`` with the code `storeFailed`, or the store's own error.
    func state() throws -> StoreState

    /// Whether a record was last written before a schema version; false, the default, for a store without records.
    func hasRecords(before version: Int) throws -> Bool

    /// Runs a closure in one write transaction, which commits when the closure returns and rolls back when it throws.
    ///
    /// The write lock is acquired before the closure is called, so no other process can upgrade the store in the
    /// meantime.
    ///
    /// - Parameters:
    ///   - deadline: When the transaction's statements are interrupted; nil for never.
    ///   - isSynced: Whether the commit must survive a power loss from then on. Otherwise a loss may undo it, together
    ///     with all commits that follow it.
    ///   - body: Reads and writes through the transaction, which must not outlive the call.
    ///   - waiting: Called repeatedly while another process holds the write lock; throws to give up.
    /// - Throws: Errors of `body` and `waiting`, or the store's own error.
    func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        isSynced: Bool,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws
}

extension MigrationStore {
    package var attachments: [any AttachedStore] { [] }

    package var attemptsURL: URL? { nil }

    package var byteCount: Int64? { nil }

    package func hasRecords(before version: Int) throws -> Bool { false }

    /// No copies are kept.
    package var backedUp: (any BackedUpStore)? { nil }

    /// Runs a closure in a write transaction whose commit is synced.
    package func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        try withWriteTransaction(until: deadline, isSynced: true, body, waiting: waiting)
    }
}
