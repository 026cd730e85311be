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
