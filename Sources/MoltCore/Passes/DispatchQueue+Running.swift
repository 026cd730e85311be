package import Foundation
internal import Synchronization

extension DispatchQueue {
    /// Runs a closure on the queue while the task waits without holding a thread.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        // A continuation that is resumed before it is awaited orders the two threads, but not so that ThreadSanitizer can
        // see it. The lock is what it sees.
        let order = Mutex(())
        defer { order.withLock { _ in } }
        return try await withCheckedThrowingContinuation { continuation in
            async {
                let result = Result(catching: body)
                order.withLock { _ in }
                continuation.resume(with: result)
            }
        }
    }

    /// Runs a closure on the queue, and tells it when the task that waits for it was cancelled.
    package func runCancellable<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await run { try body { flag.isSet } }
        } onCancel: {
            flag.set()
        }
    }
}

/// Tells one thread what another has found out.
private final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}
