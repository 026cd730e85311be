/// The policy for code that does not match the store's record of it.
///
/// A mismatch is the developer's mistake: it should be noticed at once, but not stop users.
public enum MismatchPolicy: Hashable, Sendable {
    /// An error is thrown.
    case fail
    /// A ``MigrationEvent`` is sent to the monitor.
    case report
    /// The mismatch is ignored.
    case ignore

    /// ``fail`` in debug builds, ``report`` in all others.
    public static var standard: MismatchPolicy {
        #if DEBUG
            .fail
        #else
            .report
        #endif
    }
}
