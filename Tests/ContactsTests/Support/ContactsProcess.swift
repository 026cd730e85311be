#if CHILD_PROCESSES
    import Foundation
    @testable import Molt
    import TestSupport
    import Testing
    import contacts

    /// The real `contacts` executable, run as a child process.
    struct ContactsProcess {
        var status: Int32
        var output: String
        var errors: String
        /// The files that the command left in its temporary and settings directories.
        var leftovers: [String]

        /// Runs the command until it ends.
        static func run(_ arguments: String...) async throws -> ContactsProcess {
            try await run(arguments)
        }

        /// A signal for the command, such as that of Ctrl-C.
        struct Interruption {
            let signal: Int32
            /// Whether it is time to send the signal; called again and again in another thread.
            let isDue: @Sendable () -> Bool
        }

        /// Runs the command until it ends or is interrupted.
        static func run(_ arguments: [String], interruption: Interruption? = nil) async throws -> ContactsProcess {
            let scratch = try ScratchDirectory()
            defer { withExtendedLifetime(scratch) {} }
            let temporary = scratch.url.appending(path: "tmp", directoryHint: .isDirectory)
            let home = scratch.url.appending(path: "home", directoryHint: .isDirectory)
            for directory in [temporary, home] {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            }
            // The command writes to files, so it never waits for a reader.
            let output = scratch.file("output")
            let errors = scratch.file("errors")
            for file in [output, errors] { try Data().write(to: file) }
            let process = Process()
            process.executableURL = try executable
            process.arguments = arguments
            let variables = ["TMPDIR": temporary.path, "XDG_CONFIG_HOME": home.path]
            process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            let isOver = Locked(false)
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in
                    isOver.withLock { $0 = true }
                    continuation.resume()
                }
                do {
                    try process.run()
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
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
            return ContactsProcess(
                status: process.terminationStatus,
                output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8),
                leftovers: try [temporary, home].flatMap {
                    try FileManager.default.contentsOfDirectory(atPath: $0.path)
                }
            )
        }

        /// The executable, which is built beside the test bundle.
        static var executable: URL {
            get throws {
                // On Linux the bundle is the process's own executable; on other platforms a helper loads it.
                let candidates = (CommandLine.arguments + Bundle.allBundles.map(\.bundlePath)).compactMap { path in
                    path.range(of: ".xctest").map { extent in
                        URL(filePath: String(path[..<extent.upperBound])).deletingLastPathComponent()
                            .appending(path: "contacts")
                    }
                }
                return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
            }
        }
    }
#endif
