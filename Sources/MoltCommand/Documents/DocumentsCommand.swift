import Foundation
import Molt

extension RegisteredApp {
    /// The command that upgrades documents from standard input to standard output.
    static func documents(_ migrations: MigrationRegistry) -> Command {
        let other: [Command.Option] = [
            .value("--types", "NAME", "a type that documents have today; repeat for others; any other fails"),
            .value("--problems", "FILE", "write the lines that cannot be upgraded there, with the reason, and go on"),
            .flag("--keep-failed", "with --problems, also keep these lines in the output, unchanged"),
            .value("--threads", "N", "by default, one for each core"),
        ]
        return Command(
            "documents",
            [],
            "upgrade documents from lines of JSON on standard input to standard output",
            options: DocumentFields.options + other,
            notes: """
                Each line is an object such as {"key":"ada","type":"Person","version":3,"content":{"fullName":"Ada King"}}.
                A content that is a string has JSON text in it. Other members stay as they are. In a NAME, a dot leads into
                an object. With --type, the line is the document itself, and --key-field and --version-field name members
                of the document; they have no default then, so that without --version-field no version is read or written.
                The order of the lines stays. A dropped document is left out. Documents that are extracted from another one
                follow it, each on a line with "extractedFrom", the key of that one.
                Exit codes: 0 if all lines were read, also if some are among the problems; 1 if a line cannot be upgraded
                and there is no --problems; 2 if the input, the output or the problems cannot be read or written, or if the
                reader of the output has closed it; 64 for a mistake on the command line. A signal ends the run at once:
                the output may then end within a line.
                """
        ) { call, terminal in
            let options = try DocumentFilter.Options(call)
            let problems = try call.value("--problems").map(openProblems)
            let files = DocumentFilter.Files(input: STDIN_FILENO, output: STDOUT_FILENO, problems: problems)
            let filter = try DocumentFilter(migrations, files, options)
            let clock = ContinuousClock()
            let start = clock.now
            defer { terminal.sayError(filter.summary.text(seconds: start.duration(to: clock.now) / .seconds(1))) }
            do {
                try await filter.run()
                try filter.checkClosing()
                return ExitCode.success
            } catch is DocumentFilter.OutputClosed {
                return ExitCode.trouble
            }
        }
    }

    /// Opens the file for the problems, which is replaced if it exists.
    ///
    /// - Returns: The descriptor.
    private static func openProblems(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let failure = Descriptor.Failure(number: errno)
            throw CommandError("\(path) cannot be written: \(failure.reason)", code: ExitCode.trouble)
        }
        for other in [STDIN_FILENO, STDOUT_FILENO] where isSameFile(descriptor, other) {
            throw UsageError("--problems needs a file of its own, not that of the input or the output")
        }
        // Only files have a length; a pipe stays as it is.
        _ = ftruncate(descriptor, 0)
        return descriptor
    }

    private static func isSameFile(_ descriptor: Int32, _ other: Int32) -> Bool {
        var (status, otherStatus) = (stat(), stat())
        guard fstat(descriptor, &status) == 0, fstat(other, &otherStatus) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_dev == otherStatus.st_dev
            && status.st_ino == otherStatus.st_ino
    }
}

extension DocumentFilter.Options {
    /// Reads the options of the command `documents`, such as `["--type", "Person", "--from", "3"]`.
    ///
    /// - Throws: ``UsageError``.
    package init(_ words: String...) throws {
        try self.init(words: words)
    }

    package init(words: [String]) throws {
        try self.init(RegisteredApp.documents([]).call(words[...]))
    }

    init(_ call: Command.Call) throws {
        fields = try DocumentFields(call)
        types = call.has("--types") ? call.all("--types") : nil
        keepsFailed = call.has("--keep-failed")
        threads = try call.count("--threads", in: 1...1024) ?? ProcessInfo.processInfo.activeProcessorCount
        guard !keepsFailed || call.has("--problems") else {
            throw UsageError("--keep-failed needs --problems, which says why each line failed")
        }
    }
}
