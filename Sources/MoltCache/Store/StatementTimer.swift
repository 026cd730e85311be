internal import CMoltSQLite
internal import Dispatch
internal import Synchronization

/// Interrupts, from another thread, what runs on a connection when the time is over.
///
/// For a checkpoint, in which SQLite looks between two pages whether it was interrupted, but at no progress handler.
final class StatementTimer {
    private let target: Target
    private let source: any DispatchSourceTimer

    /// The connection's handle, as a number; 0 when nothing is to be interrupted any more.
    private final class Target: Sendable {
        private let handle: Mutex<UInt>

        init(_ connection: Connection) {
            handle = Mutex(UInt(bitPattern: connection.handle))
        }

        func interrupt() {
            handle.withLock { handle in
                if let handle = OpaquePointer(bitPattern: handle) { sqlite3_interrupt(handle) }
            }
        }

        func end() {
            handle.withLock { $0 = 0 }
        }
    }

    /// Interrupts what runs on a connection from a time on, until ``end()`` is called.
    init(_ time: ContinuousClock.Instant, on connection: Connection) {
        let target = Target(connection)
        self.target = target
        source = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        let rest = min(max(time - .now, .zero), .seconds(1_000_000)) / .nanoseconds(1)
        // Again and again: an interruption just before the statement begins is without effect.
        source.schedule(deadline: .now() + .nanoseconds(Int(rest)), repeating: .milliseconds(5))
        source.setEventHandler { target.interrupt() }
        source.resume()
    }

    /// Lets what runs take as long as it takes; nothing is interrupted any more when it returns.
    func end() {
        target.end()
        source.cancel()
    }
}
