internal import MoltCore

/// The shape of the first value of a type that is written after the cache was opened.
///
/// A class, because few values in a batch have one.
final class FirstShape: Sendable {
    let type: ObjectIdentifier
    /// The qualified name of the type in code.
    let codeName: String
    let shape: TypeShape

    init(type: ObjectIdentifier, codeName: String, shape: TypeShape) {
        self.type = type
        self.codeName = codeName
        self.shape = shape
    }
}

/// The types whose shapes are already compared.
///
/// Its lock is never held during a wait for the disk, where another process may write for long.
final class KnownTypes: Sendable {
    private struct State {
        var types: Set<ObjectIdentifier> = []
        var last: ObjectIdentifier?
        /// The code names of types by their stored name.
        var codeNames: [String: Set<String>] = [:]
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

    func codeNames(of typeName: String) -> Set<String> {
        state.withLock { $0.codeNames[typeName] ?? [] }
    }

    func insert(_ types: [(typeName: String, first: FirstShape)]) {
        guard !types.isEmpty else { return }
        state.withLock { state in
            for (typeName, first) in types {
                state.types.insert(first.type)
                state.codeNames[typeName, default: []].insert(first.codeName)
            }
        }
    }
}
