import Foundation
import Molt
import MoltCommand
import TestSupport

/// What a filter of documents has made of lines.
struct FilteredLines {
    let output: String
    let problems: String
    /// nil if the registry cannot upgrade documents.
    let summary: DocumentSummary?
    let error: (any Error)?

    /// - Parameters:
    ///   - notesProblems: Whether there is a file for problems.
    ///   - options: Those of the command.
    init(
        _ lines: String,
        _ migrations: MigrationRegistry,
        notesProblems: Bool = false,
        _ options: DocumentFilter.Options
    ) async throws {
        let scratch = try ScratchDirectory()
        let (input, output, problems) = (scratch.file("in"), scratch.file("out"), scratch.file("problems"))
        try Data(lines.utf8).write(to: input)
        for file in [output, problems] { try Data().write(to: file) }
        let (reading, writing) = (try FileHandle(forReadingFrom: input), try FileHandle(forWritingTo: output))
        let noting = try FileHandle(forWritingTo: problems)
        let files = DocumentFilter.Files(
            input: reading.fileDescriptor,
            output: writing.fileDescriptor,
            problems: notesProblems ? noting.fileDescriptor : nil
        )
        var filter: DocumentFilter?
        var failure: (any Error)?
        do {
            filter = try DocumentFilter(migrations, files, options)
            try await filter?.run()
        } catch {
            failure = error
        }
        summary = filter?.summary
        error = failure
        withExtendedLifetime((reading, writing, noting)) {}
        self.output = try String(contentsOf: output, encoding: .utf8)
        self.problems = try String(contentsOf: problems, encoding: .utf8)
    }
}
