internal import CMoltSQLite

/// A number that is read so often that threads would contend for a lock.
///
/// It is `Sendable` because every access to the memory is atomic, and the memory lives as long as the object.
final class AtomicNumber: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<CInt>

    init(_ value: CInt = 0) {
        memory = .allocate(capacity: 1)
        memory.initialize(to: value)
    }

    deinit { memory.deallocate() }

    var value: CInt {
        get { molt_atomic_load(memory) }
        set { molt_atomic_store(memory, newValue) }
    }

    func exchange(_ value: CInt) -> CInt { molt_atomic_exchange(memory, value) }
}

/// A Boolean that is read on each use of a cache.
struct AtomicFlag: Sendable {
    private let number = AtomicNumber()

    var isSet: Bool { number.value != 0 }

    /// Sets it; does not write to memory that all threads read if it is set already.
    func set() {
        if !isSet { number.value = 1 }
    }

    func clear() { number.value = 0 }

    /// Clears it, and returns whether it was set.
    func take() -> Bool { number.exchange(0) != 0 }
}
