/// A signal, asked for between records, that the work must stop; called by all its threads.
final class StopSignal: Sendable {
    /// The number of records between two checks, if all steps are Molt's own.
    ///
    /// Such steps take less than a microsecond per record, so checking the clock and the monitor each time would be a
    /// large part of that. A closure of the app may take any time, so passes with closures check before each record.
    static let distance = 16

    private let check: @Sendable () throws -> Void
    private let isStopped = Locked(false)

    /// - Parameter check: Throws the error with which the work must stop.
    init(_ check: @escaping @Sendable () throws -> Void) {
        self.check = check
    }

    /// Stops the other threads after the work has failed.
    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// Returns the error with which the work must stop; nil if it may go on.
    func reason() -> (any Error)? {
        if isStopped.withLock({ $0 }) { return CancellationError() }
        do {
            try check()
            return nil
        } catch {
            return error
        }
    }
}
