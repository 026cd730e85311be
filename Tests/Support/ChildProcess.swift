#if CHILD_PROCESSES
    package import Foundation
    internal import Molt

    /// How a child process ended, and what it has printed.
    package struct ChildProcess: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String

        /// A signal for the process, such as that of Ctrl-C.
        package struct Interruption: Sendable {
            package let signal: Int32
            /// Whether it is time to send the signal; called again and again in another thread.
            package let isDue: @Sendable () -> Bool

            package init(signal: Int32, isDue: @escaping @Sendable () -> Bool) {
                self.signal = signal
                self.isDue = isDue
            }
        }

        /// Runs an executable until it ends or is interrupted.
        ///
        /// - Parameter variables: What its environment has beside that of this process.
        package init(
            _ executable: URL,
            _ arguments: [String],
            variables: [String: String] = [:],
            interruption: Interruption? = nil
        ) async throws {
            let scratch = try ScratchDirectory()
            defer { withExtendedLifetime(scratch) {} }
            // It writes to files, so it never waits for a reader.
            let (output, errors) = (scratch.file("output"), scratch.file("errors"))
            for file in [output, errors] { try Data().write(to: file) }
            let process = Process()
            process.executableURL = executable
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            try await Self.run(process, interruption)
            status = process.terminationStatus
            self.output = try String(contentsOf: output, encoding: .utf8)
            self.errors = try String(contentsOf: errors, encoding: .utf8)
        }

        private static func run(_ process: Process, _ interruption: Interruption?) async throws {
            let isOver = Locked(false)
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in
                    isOver.withLock { $0 = true }
                    continuation.resume()
                }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(throwing: error)
                    return
                }
                let child = process.processIdentifier
                guard let interruption else { return }
                // Uses a thread of its own, because other tests may occupy the thread pool.
                Thread.detachNewThread {
                    while !isOver.withLock({ $0 }) {
                        if interruption.isDue() {
                            kill(child, interruption.signal)
                            return
                        }
                        usleep(500)
                    }
                }
            }
        }
    }
#endif
