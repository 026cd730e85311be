internal import Dispatch
internal import Foundation

/// Recently read values, decoded, by key; never serves a value that may be stale.
///
/// Values are current while the header of the log's index, which all processes share in memory, is unchanged; each
/// commit changes it. Only the cache's own writes report their keys, so that other values stay valid.
///
/// Values are kept in two generations. A value that is read enters the young one. When that reaches half of the limit,
/// the old one is dropped and the young one takes its place. A hit in the old one moves the value to the young one.
final class MemoryLayer: Sendable {
    /// The beginning of a read; see ``beginReading()``.
    struct Ticket {
        fileprivate let epoch: Int
    }

    private struct State {
        /// The log's index; nil for a cache in memory, which no other process changes.
        var index: LogIndex?
        /// The header for which the values are current.
        var mark: LogIndex.Mark?
        /// Increases whenever an earlier read may be stale.
        var epoch = 0
        /// Whether the cache's own writer is committing: the header changes before the changed keys are known.
        var isCommitting = false
        var isClosed = false
        var young = Generation()
        var old = Generation()
        /// Generations to release outside any lock: a `deinit` in the app may use the cache.
        var dropped: [Generation] = []

        var isCurrent: Bool { index?.mark == mark }
        var isEmpty: Bool { young.boxes.isEmpty && old.boxes.isEmpty }

        mutating func dropAll() {
            epoch += 1
            if isEmpty { return }
            dropped += [young, old]
            young = Generation()
            old = Generation()
        }

        mutating func drop(_ box: MemoryBox?, _ key: ExactName) {
            if let box { dropped.append(Generation(boxes: [key: box], bytes: box.size)) }
        }
    }

    private struct Generation {
        var boxes: [ExactName: MemoryBox] = [:]
        /// The stored content in bytes.
        var bytes = 0

        mutating func set(_ box: MemoryBox, _ key: ExactName) -> MemoryBox? {
            let previous = boxes.updateValue(box, forKey: key)
            bytes += box.size - (previous?.size ?? 0)
            return previous
        }

        mutating func remove(_ key: ExactName) -> MemoryBox? {
            let removed = boxes.removeValue(forKey: key)
            bytes -= removed?.size ?? 0
            return removed
        }
    }

    private let state: Locked<State>
    private let limit: CodableCache.MemoryLimit
    private let pressure = MemoryPressure()

    init(_ limit: CodableCache.MemoryLimit, index: LogIndex?) {
        self.limit = CodableCache.MemoryLimit(
            bytes: limit.bytes > 0 ? limit.bytes : .max,
            count: limit.count > 0 ? limit.count : .max
        )
        state = Locked(State(index: index, mark: index?.mark))
        // Not the layer itself: a weak reference makes each use of an object slower.
        pressure.onWarning { [state] in
            state.withLock { $0.dropAll() }
            Self.releaseDropped(of: state)
        }
    }

    /// Releases the dropped values; the caller holds no lock.
    func releaseDropped() {
        Self.releaseDropped(of: state)
    }

    private static func releaseDropped(of state: Locked<State>) {
        let dropped = state.withLock { state in
            let dropped = state.dropped
            if !dropped.isEmpty { state.dropped = [] }
            return dropped
        }
        _ = consume dropped
    }

    // MARK: Reading

    /// The live value under a key, if it was read as exactly this type.
    ///
    /// - Parameter now: The time in seconds since 1970; called only when the value can expire.
    func box(_ key: String, of type: Any.Type, now: () -> Double) -> MemoryBox? {
        let key = ExactName(key)
        let (found, hasDropped) = state.withLock { state -> (MemoryBox?, Bool) in
            guard state.isCurrent else { return (nil, false) }
            if let box = state.young.boxes[key] { return (box, false) }
            guard !state.old.boxes.isEmpty, let box = state.old.boxes[key] else { return (nil, false) }
            insert(box, key, &state)
            return (box, !state.dropped.isEmpty)
        }
        if hasDropped { releaseDropped() }
        guard let found, found.type == type else { return nil }
        // Outside the lock: the clock is the app's code, which may use the cache.
        if let expiration = found.expiration, expiration <= now() { return nil }
        return found
    }

    /// Notes the beginning of a read, before it has its snapshot.
    ///
    /// - Returns: A ticket; nil when the value must not be kept.
    func beginReading() -> Ticket? {
        let (ticket, hasDropped) = state.withLock { state -> (Ticket?, Bool) in
            guard !state.isCommitting else { return (nil, false) }
            if !state.isCurrent {
                // Another connection committed.
                state.dropAll()
                state.mark = state.index?.mark
            }
            return (Ticket(epoch: state.epoch), !state.dropped.isEmpty)
        }
        if hasDropped { releaseDropped() }
        return ticket
    }

    /// Keeps a value, unless a write came after the read began.
    func insert<Value: Sendable>(_ value: Value, _ key: String, of row: StoredContent, _ ticket: Ticket) {
        let box = TypedBox(value, id: row.id, size: row.data.count, expiration: row.expiration)
        let key = ExactName(key)
        let hasDropped = state.withLock { state in
            guard state.epoch == ticket.epoch, !state.isClosed else { return false }
            insert(box, key, &state)
            return !state.dropped.isEmpty
        }
        if hasDropped { releaseDropped() }
    }

    private func insert(_ box: MemoryBox, _ key: ExactName, _ state: inout State) {
        let previous = state.old.remove(key)
        if previous !== box { state.drop(previous, key) }
        guard box.size <= limit.bytes else { return state.drop(state.young.remove(key), key) }
        if !state.young.boxes.isEmpty,
            state.young.bytes + box.size > limit.bytes / 2 || state.young.boxes.count + 1 > limit.count / 2
        {
            state.dropped.append(state.old)
            state.old = state.young
            state.young = Generation()
        }
        state.drop(state.young.set(box, key), key)
        let isOver =
            state.old.bytes > limit.bytes - state.young.bytes
            || state.old.boxes.count > limit.count - state.young.boxes.count
        guard isOver else { return }
        state.dropped.append(state.old)
        state.old = Generation()
    }

    // MARK: Writing

    /// Notes that the cache's writer has the write lock, so that no other connection can commit before it.
    func writeDidBegin() {
        state.withLock { state in
            guard !state.isCurrent else { return }
            state.dropAll()
            state.mark = state.index?.mark
        }
    }

    /// Notes that the cache's writer is about to commit.
    ///
    /// - Returns: Whether the layer has values.
    func commitWillBegin() -> Bool {
        state.withLock { state in
            state.isCommitting = true
            return !state.isEmpty
        }
    }

    /// The current header of the log's index; nil for a cache in memory.
    var currentMark: LogIndex.Mark? { state.withLock { $0.index?.mark } }

    /// Drops the values that the cache's writer changed.
    ///
    /// - Parameters:
    ///   - keys: The changed keys; nil if any value may have changed.
    ///   - mark: The header after the commit, if no other connection has committed since.
    func commitDidEnd(changing keys: [String]?, _ mark: LogIndex.Mark?) {
        state.withLock { state in
            state.isCommitting = false
            state.mark = mark
            guard let keys, state.index == nil || mark != nil else { return state.dropAll() }
            state.epoch += 1
            if state.isEmpty { return }
            for key in keys {
                let key = ExactName(key)
                state.drop(state.young.remove(key), key)
                state.drop(state.old.remove(key), key)
            }
        }
    }

    // MARK: The end

    /// Begins anew after the connection that owns the index was closed and opened again.
    func restart(_ index: LogIndex?) {
        state.withLock { state in
            state.index = index
            state.mark = index?.mark
            state.isClosed = index == nil
        }
    }

    /// Drops all values, before the connection that owns the index is closed; ``releaseDropped()`` must follow.
    func close() {
        state.withLock { state in
            state.dropAll()
            state.index = nil
            state.isClosed = true
        }
    }
}

/// A decoded value with the data that decides whether it may be served.
///
/// A common class for all types of values: generic code would fetch metadata of optionals and pairs of the type each
/// time, which costs more than the rest of a hit.
///
/// Sendable because it is immutable, and `TypedBox`, the only subclass, adds only a `Sendable` constant.
class MemoryBox: @unchecked Sendable {
    let type: Any.Type
    let id: Int64
    /// The size of the stored content in bytes.
    let size: Int
    /// Seconds since 1970; nil for never.
    let expiration: Double?

    fileprivate init(_ type: Any.Type, id: Int64, size: Int, expiration: Double?) {
        self.type = type
        self.id = id
        self.size = size
        self.expiration = expiration
    }

    /// The value.
    ///
    /// - Parameter type: The same as ``type``.
    final func value<Value: Sendable>(as type: Value.Type) -> Value {
        // Only `TypedBox` calls the initializer, with the type of its value.
        assert(self.type == type)
        return unsafeDowncast(self, to: TypedBox<Value>.self).value
    }
}

/// The only subclass; `Sendable` as explained at ``MemoryBox``.
private final class TypedBox<Value: Sendable>: MemoryBox, @unchecked Sendable {
    let value: Value

    init(_ value: Value, id: Int64, size: Int, expiration: Double?) {
        self.value = value
        super.init(Value.self, id: id, size: size, expiration: expiration)
    }
}

/// Reports memory pressure; Linux has no such notification.
final class MemoryPressure: Sendable {
    #if canImport(Darwin)
        // A dispatch source may be used from any thread.
        private nonisolated(unsafe) let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical],
            queue: .global(qos: .utility)
        )

        /// Calls a closure on another thread each time memory becomes scarce.
        func onWarning(_ body: @escaping @Sendable () -> Void) {
            source.setEventHandler(handler: body)
            source.activate()
        }

        deinit {
            source.cancel()
        }
    #else
        func onWarning(_ body: @escaping @Sendable () -> Void) {}
    #endif
}
