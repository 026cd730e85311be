package import Foundation

/// State that one thread at a time may use; threads that wait for it sleep.
///
/// `Synchronization.Mutex` spins on Linux while several threads want it, at the cost of what the others could do
/// meanwhile. `NSLock` does not.
package final class Locked<State>: Sendable {
    @usableFromInline package let lock = NSLock()
    // Used only while the lock is held; closures send what they put in and take out.
    @usableFromInline package nonisolated(unsafe) var state: State

    /// Takes over state that nobody else has.
    package init(_ state: sending State) {
        self.state = state
    }

    /// Runs a closure with the state.
    ///
    /// The closure must not ask for the same state again.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }

    /// Runs a closure with the state unless another thread has it.
    ///
    /// - Returns: nil when another thread has it.
    @inlinable
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body(&state)
    }
}
