internal import Foundation
internal import MoltCore

/// Decoded values that were read lately, by key; serves none that somebody may have changed.
///
/// The values are right as long as the file's log is as it was when they were read: its index, which all processes share
/// in memory, has another header after each commit. Only the cache's own writes say what they have changed, so that the
/// other values stay.
///
/// Values are kept in two generations. A value that is read goes into the young one. When that has half of the limit, it
/// becomes the old one, and the old one is dropped. A value that is asked for in the old one moves to the young one, so
/// what is used stays.
final class MemoryLayer: Sendable {
    /// That a read began at a time; see ``beginReading()``.
    struct Ticket {
        fileprivate let epoch: Int
    }

    private struct State {
        /// The header of the log's index; nil for a cache in memory, which nobody else changes.
        var index: LogIndex?
        /// The index's header at which the values are right.
        var mark: LogIndex.Mark?
        /// Grows whenever a value that was read before may be stale.
        var epoch = 0
        /// Whether the cache's own writer is about to commit: the header then changes before it is known what has changed.
        var isCommitting = false
        var isClosed = false
        var young = Generation()
        var old = Generation()
        /// Generations to release once no lock is held: a `deinit` of the app's may use the cache.
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

        mutating func drop(_ box: MemoryBox?, _ key: MemoryKey) {
            if let box { dropped.append(Generation(boxes: [key: box], bytes: box.size)) }
        }
    }

    private struct Generation {
        var boxes: [MemoryKey: MemoryBox] = [:]
        /// In bytes of stored content.
        var bytes = 0

        /// - Returns: What was there before.
        mutating func set(_ box: MemoryBox, _ key: MemoryKey) -> MemoryBox? {
            let previous = boxes.updateValue(box, forKey: key)
            bytes += box.size - (previous?.size ?? 0)
            return previous
        }

        /// - Returns: What was there.
        mutating func remove(_ key: MemoryKey) -> MemoryBox? {
            let removed = boxes.removeValue(forKey: key)
            bytes -= removed?.size ?? 0
            return removed
        }
    }

    private let state: Locked<State>
    private let limit: CodableCache.MemoryLimit
    private let pressure = MemoryPressure()

    /// - Parameter index: The header of the log's index; nil for a cache in memory.
    init(_ limit: CodableCache.MemoryLimit, index: LogIndex?) {
        self.limit = CodableCache.MemoryLimit(
            bytes: limit.bytes > 0 ? limit.bytes : .max,
            count: limit.count > 0 ? limit.count : .max
        )
        state = Locked(State(index: index, mark: index?.mark))
        pressure.onWarning { [weak self] in self?.removeAll() }
    }

    /// Releases the values that were dropped; to be called without any lock.
    func releaseDropped() {
        let dropped = state.withLock { state in
            let dropped = state.dropped
            if !dropped.isEmpty { state.dropped = [] }
            return dropped
        }
        _ = consume dropped
    }

    // MARK: Reading

    /// The value under a key, when it was read as exactly this type and has not expired.
    ///
    /// - Parameter now: In seconds since 1970; only asked for when the value can expire.
    func box(_ key: String, of type: Any.Type, now: () -> Double) -> MemoryBox? {
        let key = MemoryKey(key)
        let (found, isDropped) = state.withLock { state -> (MemoryBox?, Bool) in
            guard state.isCurrent else { return (nil, false) }
            if let box = state.young.boxes[key] { return (box, false) }
            guard !state.old.boxes.isEmpty, let box = state.old.boxes[key] else { return (nil, false) }
            insert(box, key, &state)
            return (box, !state.dropped.isEmpty)
        }
        if isDropped { releaseDropped() }
        guard let found, found.type == type else { return nil }
        // Outside the lock: the clock is the app's, which may use the cache.
        if let expiration = found.expiration, expiration <= now() { return nil }
        return found
    }

    /// Notes that a read begins; to be called before it has its snapshot.
    ///
    /// - Returns: nil when what is read must not be kept.
    func beginReading() -> Ticket? {
        defer { releaseDropped() }
        return state.withLock { state in
            guard !state.isCommitting else { return nil }
            if !state.isCurrent {
                // It was not this cache that committed.
                state.dropAll()
                state.mark = state.index?.mark
            }
            return Ticket(epoch: state.epoch)
        }
    }

    /// Keeps a value, unless something was written since the read began.
    func insert<Value: Sendable>(_ value: Value, _ key: String, of row: StoredContent, _ ticket: Ticket) {
        let box = TypedBox(value, id: row.id, size: row.data.count, expiration: row.expiration)
        let key = MemoryKey(key)
        defer { releaseDropped() }
        state.withLock { state in
            guard state.epoch == ticket.epoch, !state.isClosed else { return }
            insert(box, key, &state)
        }
    }

    private func insert(_ box: MemoryBox, _ key: MemoryKey, _ state: inout State) {
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

    /// Notes that the cache's writer has the file's write lock: until it commits, nobody else can.
    func writeDidBegin() {
        state.withLock { state in
            guard !state.isCurrent else { return }
            state.dropAll()
            state.mark = state.index?.mark
        }
    }

    /// Notes that the cache's writer is about to commit.
    ///
    /// - Returns: Whether there are values to keep.
    func commitWillBegin() -> Bool {
        state.withLock { state in
            state.isCommitting = true
            return !state.isEmpty
        }
    }

    /// The index's header as it is now; nil for a cache in memory.
    var currentMark: LogIndex.Mark? { state.withLock { $0.index?.mark } }

    /// Drops what the cache's writer has changed.
    ///
    /// - Parameters:
    ///   - keys: What was changed; nil for anything.
    ///   - mark: The index's header behind the commit, if nobody else has committed since.
    func commitDidEnd(changing keys: [String]?, _ mark: LogIndex.Mark?) {
        state.withLock { state in
            state.isCommitting = false
            state.mark = mark
            guard let keys, state.index == nil || mark != nil else { return state.dropAll() }
            state.epoch += 1
            if state.isEmpty { return }
            for key in keys {
                let key = MemoryKey(key)
                state.drop(state.young.remove(key), key)
                state.drop(state.old.remove(key), key)
            }
        }
    }

    // MARK: The end

    /// Drops all values.
    func removeAll() {
        state.withLock { $0.dropAll() }
        releaseDropped()
    }

    /// Drops all values for good; to be called before the connection is closed that the index belongs to.
    func close() {
        state.withLock { state in
            state.dropAll()
            state.index = nil
            state.isClosed = true
        }
        releaseDropped()
    }
}

/// A key compared by its bytes: strings compare two spellings of a letter as equal.
private struct MemoryKey: Hashable {
    private let key: String
    private let hashed: Int

    init(_ key: String) {
        self.key = key
        var hasher = Hasher()
        var copy = key
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Outside the layer's lock.
        hashed = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(hashed)
    }

    static func == (one: MemoryKey, other: MemoryKey) -> Bool {
        one.hashed == other.hashed && RecordObject.isSame(one.key, other.key)
    }
}

/// A decoded value with what decides whether it may be served.
///
/// Looked for and passed on as this class, whatever the type of the value: generic code would ask for the metadata of
/// optionals and pairs of that type each time, which costs more than all else that a value from memory does.
///
/// Sendable because all of it is constant, and `TypedBox`, the only subclass, adds a constant that is `Sendable`.
class MemoryBox: @unchecked Sendable {
    /// The type that the value was read as.
    let type: Any.Type
    /// The record.
    let id: Int64
    /// How many bytes the stored content has.
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
    /// - Parameter type: ``type``, and no other one.
    final func value<Value: Sendable>(as type: Value.Type) -> Value {
        // Only a `TypedBox` passes a type on, and it passes that of its value.
        assert(self.type == type)
        return unsafeDowncast(self, to: TypedBox<Value>.self).value
    }
}

/// The only kind of box there is; `Sendable` because of what ``MemoryBox`` says.
private final class TypedBox<Value: Sendable>: MemoryBox, @unchecked Sendable {
    let value: Value

    init(_ value: Value, id: Int64, size: Int, expiration: Double?) {
        self.value = value
        super.init(Value.self, id: id, size: size, expiration: expiration)
    }
}
