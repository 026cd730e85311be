internal import Synchronization

/// Tells those who watch a suite that this process has changed it.
final class SuiteHub: Sendable {
    /// The one of this process.
    static let shared = SuiteHub()

    private struct State {
        var listeners: [Int: (domain: String, changed: @Sendable () -> Void)] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Calls a closure after each change of a suite's domain until it is removed.
    func listen(to suite: Suite, _ changed: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = (suite.domainName, changed)
            return state.nextID
        }
    }

    /// Removes a listener.
    func remove(_ id: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: id) }
    }

    /// Says that a suite's domain was changed.
    func changed(_ suite: Suite) {
        let domain = suite.domainName
        let listeners = state.withLock { state in
            state.listeners.sorted { $0.key < $1.key }.map(\.value).filter { $0.domain == domain }
        }
        // Outside of the lock: they read the suite.
        for listener in listeners { listener.changed() }
    }
}
