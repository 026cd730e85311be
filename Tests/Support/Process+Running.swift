#if CHILD_PROCESSES
    package import Foundation

    extension Process {
        /// Runs the process to its end without blocking a thread of the cooperative pool.
        package func runToEnd() async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                terminationHandler = { _ in continuation.resume() }
                do {
                    try run()
                } catch {
                    terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
        }
    }
#endif
