internal import Foundation
internal import Synchronization

/// Watches one key of a suite: hears that something may have changed, reads the value, and hands it on when it has.
final class SuiteObservation: Sendable {
    private struct State {
        /// What was handed on last; nil before the first one.
        var last: PropertyListValue??
        var stops: [@Sendable () -> Void] = []
        var isOver = false
        /// Whether a look is under way, and whether something may have changed since it began.
        var isLooking = false
        var mustLookAgain = false
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

    /// Begins to listen, then hands on the value as it is now.
    func start() {
        let id = SuiteHub.shared.listen(to: suite) { [weak self] in self?.look() }
        add { SuiteHub.shared.remove(id) }
        add(SuiteSignals.listen(to: suite, key: key) { [weak self] in self?.look() })
        look()
    }

    /// Ends it.
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

    /// Reads the value, and hands it on when it is another.
    ///
    /// One thread looks at a time, so that of two changes at once the later value is handed on last; who comes
    /// meanwhile leaves word, and goes. The lock is not held while the suite is read: what the platform says of changes
    /// may come from inside that call.
    private func look() {
        let begins = state.withLock { state in
            defer { state.mustLookAgain = state.isLooking }
            guard !state.isOver, !state.isLooking else { return false }
            state.isLooking = true
            return true
        }
        guard begins else { return }
        var goesOn = true
        while goesOn {
            // What cannot be read counts as none, as is promised to who listens.
            let value = (try? suite.value(forKey: key)) ?? nil
            goesOn = state.withLock { state in
                if !state.isOver, state.last != .some(value) {
                    state.last = .some(value)
                    yield(value)
                }
                defer { state.mustLookAgain = false }
                state.isLooking = state.mustLookAgain && !state.isOver
                return state.isLooking
            }
        }
    }
}

/// What the platform says of changes that are not made through Molt.
enum SuiteSignals {
    /// Calls a closure when a value may have changed; what it gives ends that.
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
        // On Linux it is posted when a domain is replaced or removed as a whole, and never for one value.
        let token = NotificationToken(
            NotificationCenter.default.addObserver(
                forName: UserDefaults.didChangeNotification,
                object: nil,
                queue: nil
            ) { _ in changed() }
        )
        return { token.remove() }
    }

    /// What `NotificationCenter` gives for an observer.
    ///
    /// Unchecked: the object is only ever handed back to `NotificationCenter`, which may be called on any thread.
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
        /// Observes one key by key-value observing, which hears of other processes' changes too.
        ///
        /// Unchecked: nothing changes after `init`, and `UserDefaults` may be called on any thread.
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

            /// Ends it; to be called once.
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
    /// The value under a key now, and each one after it; nil where there is none.
    ///
    /// ```swift
    /// for await theme in Suite.standard.updates(forKey: "theme") { apply(theme?.string) }
    /// ```
    ///
    /// Two alike in a row come once, and of values that nobody has taken yet only the last one is kept. A value that
    /// cannot be read counts as none. What Molt changes in this process comes on every platform. On Apple platforms so
    /// does what is changed through `UserDefaults`, by other processes too unless the key is empty, has a dot in it or
    /// begins with "@". On Linux `UserDefaults` tells nobody of a change of one value: it comes with the next change
    /// that Molt makes.
    public func updates(forKey key: String) -> AsyncStream<PropertyListValue?> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = SuiteObservation(of: self, key: key) { continuation.yield($0) }
            continuation.onTermination = { _ in observation.stop() }
            observation.start()
        }
    }
}

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
