internal import Foundation
internal import Synchronization

/// Observes one key of a suite: reads the value after each possible change, and yields it if it differs.
final class SuiteObservation: Sendable {
    private struct State {
        /// The value yielded last; nil before the first one.
        var last: PropertyListValue??
        var stops: [@Sendable () -> Void] = []
        var isOver = false
        /// Whether a read is in progress, and whether the value may have changed since it began.
        var isReading = false
        var needsReread = false
    }

    private let suite: Suite
    private let key: String
    private let yield: @Sendable (PropertyListValue?) -> Void
    private let state = Mutex(State())

    init(of suite: Suite, key: String, _ yield: @escaping @Sendable (PropertyListValue?) -> Void) {
        self.suite = suite
        self.key = key
        self.yield = yield
    }

    /// Starts observing, then yields the current value.
    func start() {
        let id = SuiteHub.shared.listen(to: suite) { [weak self] in self?.look() }
        add { SuiteHub.shared.remove(id) }
        add(SuiteSignals.listen(to: suite, key: key) { [weak self] in self?.look() })
        look()
    }

    func stop() {
        let stops = state.withLock { state in
            defer { state.stops = [] }
            state.isOver = true
            return state.stops
        }
        for stop in stops { stop() }
    }

    private func add(_ stop: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.stops.append(stop) }
            return state.isOver
        }
        if isOver { stop() }
    }

    /// Reads the value, and yields it if it differs from the last one.
    ///
    /// One thread reads at a time, so that of two concurrent changes the later value is yielded last. Another thread
    /// only requests a second read. The lock is not held while the suite is read, because the platform may send a
    /// notification from inside that call.
    private func look() {
        let begins = state.withLock { state in
            defer { state.needsReread = state.isReading }
            guard !state.isOver, !state.isReading else { return false }
            state.isReading = true
            return true
        }
        guard begins else { return }
        var goesOn = true
        while goesOn {
            // An unreadable value is yielded as nil, as documented for `updates(forKey:)`.
            let value = (try? suite.value(forKey: key)) ?? nil
            goesOn = state.withLock { state in
                if !state.isOver, state.last != .some(value) {
                    state.last = .some(value)
                    yield(value)
                }
                defer { state.needsReread = false }
                state.isReading = state.needsReread && !state.isOver
                return state.isReading
            }
        }
    }
}

/// The platform's notifications of changes that are not made through Molt.
enum SuiteSignals {
    /// Calls a closure when a value may have changed, until the returned closure is called.
    static func listen(
        to suite: Suite,
        key: String,
        _ changed: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        #if canImport(Darwin)
            // A dot separates the parts of a key path, and "@" begins an operator of one.
            if !key.isEmpty, !key.contains("."), !key.hasPrefix("@"), let defaults = try? suite.makeDefaults() {
                let observer = KeyObserver(of: defaults, key: key, changed)
                return { observer.stop() }
            }
        #endif
        // On Linux this is posted only when a whole domain is replaced or removed, never for a single value.
        let token = NotificationToken(
            NotificationCenter.default.addObserver(
                forName: UserDefaults.didChangeNotification,
                object: nil,
                queue: nil
            ) { _ in changed() }
        )
        return { token.remove() }
    }

    /// An observer token of `NotificationCenter`.
    ///
    /// Unchecked: the object is only passed back to `NotificationCenter`, which may be called on any thread.
    private final class NotificationToken: @unchecked Sendable {
        private let token: any NSObjectProtocol

        init(_ token: any NSObjectProtocol) {
            self.token = token
        }

        func remove() {
            NotificationCenter.default.removeObserver(token)
        }
    }

    #if canImport(Darwin)
        /// Observes one key by key-value observing, which reports other processes' changes too.
        ///
        /// Unchecked: it is immutable after `init`, and `UserDefaults` may be called on any thread.
        private final class KeyObserver: NSObject, @unchecked Sendable {
            private let defaults: UserDefaults
            private let key: String
            private let changed: @Sendable () -> Void

            init(of defaults: UserDefaults, key: String, _ changed: @escaping @Sendable () -> Void) {
                self.defaults = defaults
                self.key = key
                self.changed = changed
                super.init()
                defaults.addObserver(self, forKeyPath: key, options: [], context: nil)
            }

            /// Stops observing; call it once.
            func stop() {
                defaults.removeObserver(self, forKeyPath: key)
            }

            override func observeValue(
                forKeyPath keyPath: String?,
                of object: Any?,
                change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {
                changed()
            }
        }
    #endif
}

extension Suite {
    /// The current value of a key and each later one; nil while the key has no value.
    ///
    /// ```swift
    /// for await theme in Suite.standard.updates(forKey: "theme") { apply(theme?.string) }
    /// ```
    ///
    /// A value equal to the previous one is skipped, and of several unread values only the last one is kept. An
    /// unreadable value is delivered as nil.
    ///
    /// Changes that Molt makes in this process are delivered on every platform. On Apple platforms, changes through
    /// `UserDefaults` are delivered too, and other processes' changes unless the key is empty, contains a dot or begins
    /// with "@". On Linux `UserDefaults` does not announce a change of one value; it is delivered with the next change
    /// that Molt makes.
    public func updates(forKey key: String) -> AsyncStream<PropertyListValue?> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = SuiteObservation(of: self, key: key) { continuation.yield($0) }
            continuation.onTermination = { _ in observation.stop() }
            observation.start()
        }
    }
}

/// Notifies listeners when this process has changed a suite.
final class SuiteHub: Sendable {
    static let shared = SuiteHub()

    private struct State {
        var listeners: [Int: (domain: String, changed: @Sendable () -> Void)] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Calls a closure after each change of a suite's domain, until the listener is removed.
    func listen(to suite: Suite, _ changed: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = (suite.domainName, changed)
            return state.nextID
        }
    }

    func remove(_ id: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: id) }
    }

    func changed(_ suite: Suite) {
        let domain = suite.domainName
        let listeners = state.withLock { state in
            state.listeners.sorted { $0.key < $1.key }.map(\.value).filter { $0.domain == domain }
        }
        // Outside of the lock, because listeners read the suite.
        for listener in listeners { listener.changed() }
    }
}
