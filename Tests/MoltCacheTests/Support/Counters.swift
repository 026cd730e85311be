import MoltCore

final class DecodingCounter: Sendable {
    private let counts = Locked<[String: Int]>([:])

    func count(_ name: String) {
        counts.withLock { $0[name, default: 0] += 1 }
    }

    func of(_ name: String) -> Int {
        counts.withLock { $0[name] ?? 0 }
    }
}

/// Runs a closure on the next call, and only then.
final class Once: Sendable {
    private let body = Locked<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }

    func run() {
        let body = body.withLock { stored in
            defer { stored = nil }
            return stored
        }
        body?()
    }
}
