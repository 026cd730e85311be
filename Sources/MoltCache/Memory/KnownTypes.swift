internal import MoltCore

/// The shape of the first value of a type that is written since the cache was opened.
///
/// A class, because hardly any of the values that a batch collects has one.
final class FirstShape: Sendable {
    /// The type in code.
    let type: ObjectIdentifier
    /// What the type is called in code, with all that it is nested in.
    let codeName: String
    /// The shape that the value shows.
    let shape: TypeShape

    init(type: ObjectIdentifier, codeName: String, shape: TypeShape) {
        self.type = type
        self.codeName = codeName
        self.shape = shape
    }
}

/// The types whose shapes need not be compared any more.
///
/// Nobody holds its lock while waiting for the disk, as another process may be writing for long.
final class KnownTypes: Sendable {
    private struct State {
        var types: Set<ObjectIdentifier> = []
        /// One of them, that was asked for last.
        var last: ObjectIdentifier?
        /// What the types are called in code, by the name that they are written as.
        var codeNames: [String: Set<String>] = [:]
    }

    private let state = Locked(State())

    /// The types as they are now.
    var types: Set<ObjectIdentifier> { state.withLock { $0.types } }

    /// Whether a type was compared.
    func contains(_ type: ObjectIdentifier) -> Bool {
        state.withLock { state in
            if state.last == type { return true }
            guard state.types.contains(type) else { return false }
            state.last = type
            return true
        }
    }

    /// What the types that are written under a name are called in code.
    func codeNames(of typeName: String) -> Set<String> {
        state.withLock { $0.codeNames[typeName] ?? [] }
    }

    /// Counts types as compared.
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
