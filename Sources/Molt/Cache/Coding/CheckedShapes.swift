/// The types whose shapes are already compared.
///
/// Its lock is never held during a wait for the disk, where another process may write for long.
final class CheckedShapes: Sendable {
    private struct State {
        var types: Set<ObjectIdentifier> = []
        var last: ObjectIdentifier?
    }

    private let state = Locked(State())

    var types: Set<ObjectIdentifier> { state.withLock { $0.types } }

    func contains(_ type: ObjectIdentifier) -> Bool {
        state.withLock { state in
            if state.last == type { return true }
            guard state.types.contains(type) else { return false }
            state.last = type
            return true
        }
    }

    func insert(_ types: [ObjectIdentifier]) {
        guard !types.isEmpty else { return }
        state.withLock { $0.types.formUnion(types) }
    }
}
