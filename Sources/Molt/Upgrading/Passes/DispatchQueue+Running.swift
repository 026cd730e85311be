internal import Foundation

extension DispatchQueue {
    /// Runs a closure on the queue without blocking the thread of the calling task.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        // Resuming a continuation before it is awaited orders the two threads, but ThreadSanitizer cannot see that. It
        // does see the lock.
        let order = Locked(())
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
    func runCancellable<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await run { try body { isCancelled.withLock { $0 } } }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
