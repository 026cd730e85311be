/// How long an upgrade waits for a lock that is not its store's, such as that of a suite's file.
///
/// The task-local value reaches attached stores, to which no parameter could pass it.
package struct LockLimit: Sendable {
    /// The limit of the current upgrade; nil outside of one.
    @TaskLocal package static var current: LockLimit?

    package let timeout: Duration
    /// Whether the upgrade is committed, and only changes outside its store remain.
    package let isCommitted: Bool
    /// Whether the current upgrade writes nothing.
    package var isDryRun: Bool { options.isDryRun }
    private let options: MigrationOptions

    init(_ options: MigrationOptions, isCommitted: Bool = false) {
        timeout = max(.zero, options.lockTimeout)
        self.isCommitted = isCommitted
        self.options = options
    }

    /// Throws when the upgrade must stop waiting.
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
