/// How long an upgrade waits for a lock that is not its store's, such as that of a suite's file.
///
/// It applies to everything that is called while the upgrade runs, on the same thread or task. Attached stores have no
/// other way to learn of it.
package struct LockLimit: Sendable {
    /// The limit of the upgrade that calls; nil outside of one.
    @TaskLocal package static var current: LockLimit?

    /// How long to wait at most.
    package let timeout: Duration
    /// Whether the upgrade is committed, and only changes outside its store are still to be made.
    package let isCommitted: Bool
    private let options: MigrationOptions

    init(_ options: MigrationOptions, isCommitted: Bool = false) {
        timeout = max(.zero, options.lockTimeout)
        self.isCommitted = isCommitted
        self.options = options
    }

    /// Throws when there is nothing to wait for any more.
    ///
    /// - Throws: ``MigrationError`` with the code `deadlinePassed` or, before the commit, `cancelled`.
    package func check() throws {
        if isCommitted {
            try options.checkDeadline(isCommitted: true)
        } else {
            try options.checkCancellation()
        }
    }
}
