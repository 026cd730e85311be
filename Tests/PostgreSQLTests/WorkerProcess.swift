#if PostgreSQLTests

    import Foundation
    import TestSupport
    import Testing

    @testable import DocumentWorker

    /// A process that works on the documents.
    enum WorkerProcess {
        enum End: Equatable {
            case exit(Int32)
            case signal(Int32)
        }

        /// Starts a process, and expects that it ends in a way.
        static func expect(_ work: Work, endsWith expected: End) async throws {
            let end = try await run(work)
            try #require(end == expected, "\(work.text)")
        }

        /// Starts a process, and returns how it ended.
        private static func run(_ work: Work) async throws -> End {
            let process = Process()
            process.executableURL = try executable
            process.arguments = work.text.split(separator: " ").map(String.init)
            try await process.runToEnd()
            let status = process.terminationStatus
            return process.terminationReason == .exit ? .exit(status) : .signal(status)
        }

        /// The executable, which is built beside the test bundle.
        private static var executable: URL {
            get throws {
                let places = CommandLine.arguments + Bundle.allBundles.map(\.bundlePath)
                let bundle = try #require(
                    places.first { $0.contains(".xctest") }?.prefixMatch(of: /.*\.xctest/)?.output
                )
                return URL(filePath: String(bundle)).deletingLastPathComponent().appending(path: "DocumentWorker")
            }
        }
    }
#endif
