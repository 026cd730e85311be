internal import Dispatch
internal import Foundation
internal import Synchronization

/// Ends the command on Control-C and when its process is told to end, and leaves no scratch files behind.
///
/// The first signal asks the work to stop: an upgrade is rolled back at its next batch, and who made files removes
/// them. A second signal, or work that does not stop in time, ends the process.
final class Interruption: Sendable {
    private let state = Mutex(State())
    private static let signals = [SIGINT, SIGTERM]
    /// How long the work has to stop, in seconds.
    private static let patience = 3.0

    private struct State {
        /// The signal that came first; nil while none has.
        var signal: Int32?
        /// Asks the work to stop.
        var stop: (@Sendable () -> Void)?
        var cleanUp: (@Sendable () -> Void)?
    }

    /// The status to exit with, as shells have it; nil when nobody interrupted the command.
    var status: Int32? {
        state.withLock { state in state.signal.map { 128 + $0 } }
    }

    /// Begins to wait for signals; when it returns, none is missed.
    ///
    /// - Returns: What waits for them, for as long as it is kept.
    func listen() -> [any DispatchSourceSignal] {
        let queue = DispatchQueue(label: "contacts.signals")
        let registrations = DispatchGroup()
        let sources = Self.signals.map { number in
            // Else the signal ends the process before its source hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in
                let (isFirst, stop) = state.withLock { state in
                    defer { state.signal = state.signal ?? number }
                    return (state.signal == nil, state.stop)
                }
                guard isFirst else { leave() }
                queue.asyncAfter(deadline: .now() + Self.patience) { [self] in leave() }
                stop?()
            }
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            source.resume()
            return source
        }
        // A signal that comes before its source is registered is lost: it is ignored by then.
        registrations.wait()
        return sources
    }

    /// Says how the work is asked to stop; that is done at once when a signal has come already.
    func whenInterrupted(_ stop: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.stop = stop
            return state.signal != nil
        }
        if isInterrupted { stop() }
    }

    /// Says what is to be done before the process is ended with its work unfinished.
    func beforeLeaving(_ cleanUp: @escaping @Sendable () -> Void) {
        state.withLock { $0.cleanUp = cleanUp }
    }

    private func leave() -> Never {
        state.withLock { $0.cleanUp }?()
        _exit(status ?? EXIT_FAILURE)
    }
}
