/// A check between records whether the pass must stop; called by all its threads.
final class StopCheck: Sendable {
    /// The number of records between two checks, if all steps are Molt's own.
    ///
    /// Such steps take less than a microsecond per record, so checking the clock and the monitor each time would be a
    /// large part of that. A closure of the app may take any time, so passes with closures check before each record.
    static let distance = 16

    private let configuration: MoltConfiguration
    private let isStopped = Locked(false)

    init(_ configuration: MoltConfiguration) {
        self.configuration = configuration
    }

    /// Stops the other threads after the pass has failed.
    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// Returns the error with which the pass must stop; nil if it may go on.
    func reason() -> (any Error)? {
        if isStopped.withLock({ $0 }) { return CancellationError() }
        do {
            try configuration.checkCancellation()
            return nil
        } catch {
            return error
        }
    }
}
