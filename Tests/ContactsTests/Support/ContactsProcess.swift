#if CHILD_PROCESSES
    import Foundation
    import TestSupport
    import Testing

    /// The real `contacts` executable, run as a child process.
    struct ContactsProcess {
        let status: Int32
        let output: String
        let errors: String
        /// The files that the command left in its temporary and settings directories.
        let leftovers: [String]

        /// Runs the command until it ends.
        static func run(_ arguments: String...) async throws -> ContactsProcess {
            try await ContactsProcess(arguments)
        }

        /// Runs the command until it ends or is interrupted.
        init(_ arguments: [String], interruption: ChildProcess.Interruption? = nil) async throws {
            let (temporary, home) = (try ScratchDirectory(), try ScratchDirectory())
            let process = try await ChildProcess(
                Self.executable,
                arguments,
                variables: ["TMPDIR": temporary.url.path, "XDG_CONFIG_HOME": home.url.path],
                interruption: interruption
            )
            status = process.status
            output = process.output
            errors = process.errors
            leftovers = try temporary.names() + home.names()
        }

        /// Expects an exit code, words in the output, the whole text of the errors, and that no file is left.
        func expect(
            _ status: Int32 = 0,
            says words: String...,
            errors: String = "",
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(self.status == status, sourceLocation: sourceLocation)
            for word in words { #expect(output.contains(word), sourceLocation: sourceLocation) }
            #expect(self.errors == errors, sourceLocation: sourceLocation)
            #expect(leftovers.isEmpty, sourceLocation: sourceLocation)
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
