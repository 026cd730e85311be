internal import CMoltSQLite

/// A Boolean that is read on each use of a cache, where readers would contend for a lock.
///
/// It is `Sendable` because every access to the memory is atomic, and the memory lives as long as the object.
final class AtomicFlag: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<CInt>

    init() {
        memory = .allocate(capacity: 1)
        memory.initialize(to: 0)
    }

    deinit { memory.deallocate() }

    var isSet: Bool { molt_flag_load(memory) != 0 }

    /// Sets it; does not write to memory that all threads read if it is set already.
    func set() {
        if !isSet { molt_flag_store(memory, 1) }
    }

    /// Clears it, and returns whether it was set.
    func take() -> Bool { molt_flag_exchange(memory, 0) != 0 }
}
