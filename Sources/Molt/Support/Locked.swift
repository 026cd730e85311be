internal import Foundation

/// State that one thread at a time may access; waiting threads sleep.
///
/// `Synchronization.Mutex` needs iOS 18, and on Linux it spins under contention; `NSLock` does neither.
package final class Locked<State>: Sendable {
    private let lock = NSLock()
    // Accessed only while the lock is held; closures send values in and out.
    private nonisolated(unsafe) var state: State

    package init(_ state: sending State) {
        self.state = state
    }

    /// Runs a closure with the state; the closure must not lock the same state again.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }

    /// Runs a closure with the state and keeps the lock, unless the closure throws.
    ///
    /// ``unlock()`` must follow on the same thread.
    func lock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        return try withHeldLock(body)
    }

    /// The same; returns nil if another thread holds the lock.
    func lockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard lock.try() else { return nil }
        return try withHeldLock(body)
    }

    private func withHeldLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        do throws(Failure) {
            return try body(&state)
        } catch {
            lock.unlock()
            throw error
        }
    }

    func unlock() {
        lock.unlock()
    }
}
