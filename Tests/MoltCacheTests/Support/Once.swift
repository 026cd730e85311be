@testable import Molt

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
