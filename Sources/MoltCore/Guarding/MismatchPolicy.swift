/// What happens when code does not agree with what the store remembers of it.
///
/// That is a mistake of the developer, who should learn of it at once; users should not be stopped by it.
public enum MismatchPolicy: Hashable, Sendable {
    /// An error is thrown.
    case fail
    /// A ``MigrationEvent`` is sent to the monitor.
    case report
    /// Nothing.
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
