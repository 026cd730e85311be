import Foundation
import Molt
import MoltCommand

/// Lines of documents that may be damaged.
enum DocumentFuzzing {
    static let lines = [
        """
        {"key":"a","type":"Person","version":0,"content":{"mail":"a@b","n":1.50},"x":[1,{"y":null}]}
        {"key":17,"type":"Person","version":1,"content":"{\\"mail\\":\\"\\\\u00e9\\"}","expiration":60.5}

        """,
        "{\"key\":\"b\",\"type\":\"Contact\",\"version\":2,\"content\":[\"é\",\"\\ud83d\\ude00\"]}\r\n\r\n \t\r\n{}",
        "{\"version\":2,\"version\":0,\"key\":\"c\",\"type\":\"Person\",\"content\":{ \"name\" : \"Ada King\" } }\n",
    ]

    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "email", .renameProperty("Person", "mail", to: "email")),
        Migration(to: 2, "contact", .renameType("Person", to: "Contact")),
        Migration(to: 2, "name", .splitProperty("Contact", "name", into: ["first", "last"])),
    ]

    /// Upgrades the lines, then those of the output.
    ///
    /// Each line has one in the output. One that fails is unchanged, and each is today's afterwards or fails again.
    static func feed(_ input: [UInt8]) async throws -> FuzzTarget.Outcome {
        let options = try DocumentFilter.Options("--problems", "-", "--keep-failed", "--threads", "2")
        let first = try await filter(input, options)
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        let outputs = first.output.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count == outputs.count else { return .failed("\(lines.count) lines became \(outputs.count)") }
        guard Set(first.problems).count == first.problems.count else { return .failed("A line has two problems.") }
        for problem in first.problems where lines[problem - 1] != outputs[problem - 1] {
            return .failed("Line \(problem) has failed, and was changed.")
        }
        let second = try await filter(first.output, options)
        guard second.output == first.output else { return .failed("The output is changed when it is upgraded again.") }
        guard second.problems == first.problems else { return .failed("Other lines fail the second time.") }
        return first.summary.changed > 0 ? .accepted : .refused
    }

    private static func filter(
        _ input: [UInt8],
        _ options: DocumentFilter.Options
    ) async throws -> (output: [UInt8], problems: [Int], summary: DocumentSummary) {
        let files = try (0..<3).map { _ in try TemporaryFile() }
        try files[0].handle.write(contentsOf: input)
        try files[0].handle.seek(toOffset: 0)
        let descriptors = files.map(\.handle.fileDescriptor)
        let filter = try DocumentFilter(
            migrations,
            DocumentFilter.Files(input: descriptors[0], output: descriptors[1], problems: descriptors[2]),
            options
        )
        try await filter.run()
        let problems = try files[2].content().split(separator: 0x0A).map { line in
            try JSONDecoder().decode(Problem.self, from: Data(line)).line
        }
        return (try Array(files[1].content()), problems, filter.summary)
    }

    private struct Problem: Decodable {
        var line: Int
    }

    /// A file without a name.
    private struct TemporaryFile {
        let handle: FileHandle

        init() throws {
            let url = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(UUID().uuidString)")
            let descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            unlink(url.path)
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }

        func content() throws -> Data {
            try handle.seek(toOffset: 0)
            return try handle.readToEnd() ?? Data()
        }
    }
}
