import Foundation
import Molt
import MoltCommand
import TestSupport
import Testing

@Suite struct `Long lines, and pipes` {
    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "email", .renameProperty("Person", "mail", to: "email"))
    ]

    private static func line(_ name: String, version: Int, _ text: String) -> String {
        "{\"key\":1,\"type\":\"Person\",\"version\":\(version),\"content\":{\"\(name)\":\"\(text)\"}}\n"
    }

    @Test func `A line can have 64 MB`() async throws {
        let (short, long) = ("a@b", String(repeating: "x", count: 64 << 20))
        let input = [short, long, short].map { Self.line("mail", version: 0, $0) }.joined()
        let lines = try await FilteredLines(input, Self.migrations, DocumentFilter.Options())
        #expect(lines.output.utf8.count == input.utf8.count + 3)
        #expect(lines.output == [short, long, short].map { Self.line("email", version: 1, $0) }.joined())
    }

    @Test func `A line that is too long ends the run after the lines before it`() async throws {
        let (good, long) = (Self.line("mail", version: 0, "a@b"), String(repeating: "x", count: 2 << 20))
        var options = try DocumentFilter.Options()
        options.longestLine = 1 << 20
        let input = good + Self.line("mail", version: 0, long) + good
        let lines = try await FilteredLines(input, Self.migrations, notesProblems: true, options)
        #expect(lines.output == Self.line("email", version: 1, "a@b"))
        #expect(lines.summary?.lines == 1)
        #expect("\(try #require(lines.error))".contains("a line of the input has more than 1 MiB"))
    }

    @Test func `Pipes that do not block are waited for`() async throws {
        let (input, output) = (Pipe(), Pipe())
        let (reading, writing) = (input.fileHandleForReading, output.fileHandleForWriting)
        for descriptor in [reading.fileDescriptor, writing.fileDescriptor] {
            #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
        }
        let files = DocumentFilter.Files(input: reading.fileDescriptor, output: writing.fileDescriptor)
        let filter = try DocumentFilter(Self.migrations, files, DocumentFilter.Options("--threads", "1"))
        async let run: Void = {
            defer { try? writing.close() }
            try await filter.run()
        }()

        let first = Self.line("mail", version: 0, "first")
        // More than fits into the pipes.
        let rest = (0..<10_000).map { Self.line("mail", version: 0, "\($0)") }.joined()
        let read = try await withCheckedThrowingContinuation { (result: CheckedContinuation<Data, any Error>) in
            DispatchQueue.global().async {
                result.resume(
                    with: Result {
                        try input.fileHandleForWriting.write(contentsOf: Data(first.utf8))
                        var read = try output.fileHandleForReading.read(upToCount: 1) ?? Data()
                        // Then it waits for more.
                        DispatchQueue.global().async {
                            try? input.fileHandleForWriting.write(contentsOf: Data(rest.utf8))
                            try? input.fileHandleForWriting.close()
                        }
                        read += try output.fileHandleForReading.readToEnd() ?? Data()
                        return read
                    }
                )
            }
        }
        try await run
        let expected = (["first"] + (0..<10_000).map(String.init)).map { Self.line("email", version: 1, $0) }
        #expect(String(decoding: read, as: UTF8.self) == expected.joined())
    }
}
