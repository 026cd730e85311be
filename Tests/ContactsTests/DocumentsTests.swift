#if CHILD_PROCESSES
    import Foundation
    import TestSupport
    import Testing

    @Suite struct `The documents command` {
        private let scratch: ScratchDirectory

        init() throws {
            scratch = try ScratchDirectory()
        }

        private static func line(_ number: Int) -> String {
            #"{"key":\#(number),"type":"Alien","version":0,"content":{"mail":"a@b"}}"# + "\n"
        }

        private static func upgraded(_ number: Int) -> String {
            #"{"key":\#(number),"type":"Person","version":4,"content":{"email":"a@b","isFavorite":false}}"# + "\n"
        }

        /// Runs a command of the shell, in which `$contacts` is the executable, in the directory of the test.
        private func shell(
            _ script: String,
            interruption: ChildProcess.Interruption? = nil
        ) async throws -> ChildProcess {
            try await ChildProcess(
                URL(filePath: "/bin/sh"),
                ["-c", "cd \"$directory\" && \(script)"],
                variables: ["contacts": ContactsProcess.executable.path, "directory": scratch.url.path],
                interruption: interruption
            )
        }

        @Test func `Lines go from the standard input to the standard output, and a summary to the standard error`()
            async throws
        {
            try Data((Self.line(1) + "nonsense\n" + Self.line(2)).utf8).write(to: scratch.file("in"))
            let whole = try await shell("\"$contacts\" documents --problems p <in")
            #expect(whole.status == 0)
            #expect(whole.output == Self.upgraded(1) + Self.upgraded(2))
            #expect(whole.errors.hasPrefix("read 3 lines in "))
            #expect(whole.errors.hasSuffix(" s: 2 changed, 0 dropped, 0 extracted, 1 failed (malformedContent 1)\n"))
            #expect(try String(contentsOf: scratch.file("p"), encoding: .utf8).contains("\"line\":2"))

            let stopped = try await shell("\"$contacts\" documents <in")
            #expect(stopped.status == 1)
            #expect(stopped.output == Self.upgraded(1))
            #expect(stopped.errors.hasPrefix("read 2 lines in "))
            let message = "contacts: Line 2: The line is not JSON text: an unexpected byte, at byte 1.\n"
            #expect(stopped.errors.hasSuffix(" 1 failed (malformedContent 1)\n" + message))
        }

        @Test func `Files that cannot be read or written, and a reader that goes away, have an exit code`() async throws
        {
            try Data(Self.line(1).utf8).write(to: scratch.file("in"))
            let unread = try await shell("\"$contacts\" documents <&-")
            #expect(unread.status == 2)
            #expect(unread.errors.contains("contacts: the input cannot be read: "))
            let unwritten = try await shell("\"$contacts\" documents <in >&-")
            #expect(unwritten.status == 2)
            #expect(unwritten.errors.contains("contacts: the output cannot be written: "))
            let unused = try await shell("\"$contacts\" documents </dev/null >&-")
            #expect(unused.status == 0)
            let unnoted = try await shell("\"$contacts\" documents --problems missing/p <in")
            #expect(unnoted.status == 2)
            #expect(unnoted.errors.hasPrefix("contacts: missing/p cannot be written: "))

            #if os(Linux)
                let full = try await shell("\"$contacts\" documents <in >/dev/full")
                #expect(full.status == 2)
                #expect(full.errors.hasPrefix("read 0 lines in "))
                #expect(full.errors.contains("contacts: the output cannot be written: "))

                // Several blocks before the problem.
                let lines = (1...3_000).map(Self.line)
                try Data((lines.joined() + "nonsense\n" + lines.joined()).utf8).write(to: scratch.file("long"))
                let lost = try await shell("\"$contacts\" documents --problems /dev/full <long")
                #expect(lost.status == 2)
                #expect(lost.errors.contains("contacts: the problems cannot be written: "))
                #expect(!lost.output.isEmpty && (1...3_000).map(Self.upgraded).joined().hasPrefix(lost.output))
                #expect(lost.errors.hasPrefix("read \(lost.output.split(separator: "\n").count) lines in "))
            #endif
            let shared = try await shell("cp in same && \"$contacts\" documents --problems same <same")
            #expect(shared.status == 64)
            #expect(try String(contentsOf: scratch.file("same"), encoding: .utf8) == Self.line(1))
            let invalid = try await shell("printf '{\"key\":\"\\377\"}\\n' | \"$contacts\" documents")
            #expect(invalid.status == 1)
            #expect(invalid.errors.contains("contacts: Line 1: The line is not JSON text: "))

            // The input does not end.
            let closed = try await shell(
                "mkfifo out && { while [ ! -s code ]; do cat in; done |"
                    + " { \"$contacts\" documents >out; echo $? >code; } & head -n 1 out; wait; }"
            )
            #expect(closed.output == Self.upgraded(1))
            #expect(closed.errors.hasPrefix("read ") && closed.errors.split(separator: "\n").count == 1)
            #expect(try String(contentsOf: scratch.file("code"), encoding: .utf8) == "2\n")
        }

        @Test(arguments: [SIGKILL, SIGTERM])
        func `A signal ends the command, and what it has written is the beginning of the output`(signal: Int32)
            async throws
        {
            // They fit into a pipe, which stays open, so that only the signal ends the command.
            let numbers = 1...500
            let pipe = scratch.file("in")
            #expect(mkfifo(pipe.path, 0o600) == 0)
            let input = FileHandle(fileDescriptor: open(pipe.path, O_RDWR), closeOnDealloc: true)
            try input.write(contentsOf: Data(numbers.map(Self.line).joined().utf8))
            let output = scratch.file("out")
            let interruption = ChildProcess.Interruption(signal: signal) {
                ((try? FileManager.default.attributesOfItem(atPath: output.path)[.size] as? Int) ?? 0) > 0
            }
            let killed = try await shell("exec \"$contacts\" documents <in >out", interruption: interruption)
            #expect(killed.status == signal)
            let written = try String(contentsOf: output, encoding: .utf8)
            #expect(!written.isEmpty && numbers.map(Self.upgraded).joined().hasPrefix(written))
            withExtendedLifetime(input) {}
        }
    }
#endif
