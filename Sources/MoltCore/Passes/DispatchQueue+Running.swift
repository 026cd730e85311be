package import Foundation
internal import Synchronization

extension DispatchQueue {
    /// Runs a closure on the queue without blocking the thread of the calling task.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        // Resuming a continuation before it is awaited orders the two threads, but ThreadSanitizer cannot see that. It
        // does see the lock.
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

    /// Runs a closure on the queue, with a function that says whether the calling task was cancelled.
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

/// A flag that one thread sets and another one reads.
private final class CancellationFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}
