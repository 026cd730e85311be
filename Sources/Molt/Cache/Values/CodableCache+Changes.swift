extension CodableCache {
    /// The changes that this cache makes from now on.
    ///
    /// ```swift
    /// for await change in cache.changes(of: Person.self) { reload(change.key) }
    /// ```
    ///
    /// Changes arrive after their transaction, in its order. Changes by other processes, or by other caches on the same
    /// file, are not delivered. A sequence buffers changes until they are consumed, and ends when the cache is closed.
    public func changes() -> AsyncStream<CodableCache.Change> {
        hub.changes(.all)
    }

    /// The changes of one key from now on, including removals of all values or of all values of a type.
    public func changes(forKey key: String) -> AsyncStream<CodableCache.Change> {
        hub.changes(.key(key))
    }

    /// The changes of values stored as a type from now on, including removals of all values.
    public func changes(of type: Any.Type) -> AsyncStream<CodableCache.Change> {
        hub.changes(.type(RecordTypeName.of(type)))
    }
}

extension CodableCache {
    /// A change that this process made to a cache.
    public struct Change: Equatable, Sendable {
        /// The kinds of change.
        public enum Kind: String, Sendable {
            /// A value was set.
            case set
            /// A value was removed.
            case removed
            /// A value was removed because it had expired.
            case expired
            /// A value was removed because the cache was larger than its limit.
            case evicted
            /// All values, or all values of one type, were removed.
            case removedAll
            /// Values were imported; see `import(from:)`.
            case imported
        }

        /// The key; nil when several values were removed or imported at once.
        public let key: String?
        /// The stored type name of the value; nil when values of all types were removed, or values were imported.
        public let typeName: String?
        /// The kind of change.
        public let kind: Kind

        /// Creates a change.
        package init(key: String?, typeName: String?, kind: Kind) {
            self.key = key
            self.typeName = typeName
            self.kind = kind
        }
    }
}

extension CodableCache.Change: CustomStringConvertible {
    /// The kind of change, the key and the type, in one line.
    public var description: String {
        let value = key.map { "\"\($0)\"" } ?? (typeName == nil ? "all values" : "all")
        return "\(kind.rawValue): \(value)" + (typeName.map { " of type \($0)" } ?? "")
    }
}

/// Delivers changes to listeners.
final class ChangeHub: Sendable {
    enum Filter: Sendable {
        case all
        case key(String)
        case type(String)

        func matches(_ change: CodableCache.Change) -> Bool {
            switch self {
            case .all:
                true
            case .key(let key):
                // Compared by bytes: two spellings of the same letter are two keys. A nil key concerns all keys.
                change.key?.utf8.elementsEqual(key.utf8) ?? true
            case .type(let type):
                change.typeName?.utf8.elementsEqual(type.utf8) ?? true
            }
        }
    }

    private struct Listener {
        var filter: Filter
        var continuation: AsyncStream<CodableCache.Change>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextID = 0
        var isOver = false
    }

    private let state = Locked(State())

    /// The changes from now on; the sequence ends with the hub.
    func changes(_ filter: Filter) -> AsyncStream<CodableCache.Change> {
        AsyncStream(bufferingPolicy: .unbounded) { continuation in
            let id = state.withLock { state -> Int? in
                guard !state.isOver else { return nil }
                let id = state.nextID
                state.nextID += 1
                state.listeners[id] = Listener(filter: filter, continuation: continuation)
                return id
            }
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
            }
        }
    }

    /// Delivers changes in order; the array is only built when there are listeners.
    func send(_ changes: @autoclosure () -> [CodableCache.Change]) {
        state.withLock { state in
            guard !state.listeners.isEmpty else { return }
            for change in changes() {
                for listener in state.listeners.values where listener.filter.matches(change) {
                    listener.continuation.yield(change)
                }
            }
        }
    }

    func finish() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            state.isOver = true
            return Array(state.listeners.values)
        }
        // Outside the lock: each continuation calls back to be removed.
        for listener in listeners { listener.continuation.finish() }
    }
}
