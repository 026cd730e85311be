import Foundation
import Molt
import MoltTesting

/// A command-line tool: a name and its commands.
package struct Tool: Sendable {
    private let name: String
    private let summary: String
    private let commands: [Command]
    private let defaultCommand: Command?
    private let commandsOfApps: [String]

    /// - Parameters:
    ///   - defaultCommand: What runs without a command, also with options; nil for an error.
    ///   - commandsOfApps: The names of commands that only an app's own tool has, for advice.
    package init(
        _ name: String,
        _ summary: String,
        _ commands: [Command],
        default defaultCommand: Command? = nil,
        commandsOfApps: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.commands = commands
        self.defaultCommand = defaultCommand
        self.commandsOfApps = commandsOfApps
    }

    /// Runs the command that the words name, and prints errors.
    ///
    /// - Parameter words: The command line without the executable.
    /// - Returns: The exit code, see ``ExitCode``.
    package func run(_ words: [String], on terminal: Terminal) async -> Int32 {
        do {
            return try await dispatch(words[...], terminal)
        } catch {
            let end = error.message.hasSuffix("?") ? "" : "."
            let isDefault = words.first?.hasPrefix("-") ?? true
            let command = commands.first { $0.name == words.first } ?? (isDefault ? defaultCommand : nil)
            let help = command.map { "\(name) \($0.name) --help" } ?? "\(name) --help"
            terminal.sayError("\(name): \(error.message)\(end) See \(help).")
            return ExitCode.usage
        }
    }

    private func dispatch(_ words: ArraySlice<String>, _ terminal: Terminal) async throws(UsageError) -> Int32 {
        if let first = words.first, ["--help", "-h", "help"].contains(first) {
            terminal.say(try help(for: words.dropFirst().first))
            return ExitCode.success
        }
        if let defaultCommand, words.first?.hasPrefix("-") ?? true {
            return try await run(defaultCommand, defaultCommand.call(words), terminal)
        }
        guard let first = words.first else { throw UsageError("a command is missing") }
        let command = try command(first)
        if words.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
            terminal.say(command.help(of: name))
            return ExitCode.success
        }
        return try await run(command, command.call(words.dropFirst()), terminal)
    }

    private func run(
        _ command: Command,
        _ call: Command.Call,
        _ terminal: Terminal
    ) async throws(UsageError) -> Int32 {
        do {
            let code = try await command.run(call, terminal)
            guard let failure = terminal.failure else { return code }
            throw CommandError("the output cannot be written: \(failure)")
        } catch let error as UsageError {
            throw error
        } catch {
            terminal.sayError("\(name): \(terminal.redError(Self.message(of: error)))")
            return (error as? CommandError)?.code ?? command.errorCode
        }
    }

    /// The message for people: the code is left out, and the place is given below.
    private static func message(of error: any Error) -> String {
        switch error {
        case let error as CommandError:
            return error.message
        // The advice of these errors is for code.
        case let error as MoltError where error.code == .notADatabase:
            return
                "\(error.store ?? "The file") is not a store, or its beginning is damaged. If it was a store, see the commands "
                + "backups and salvage."
        case let error as MoltError where MoltError.isDamage(error):
            return
                "\(error.store ?? "The file") is damaged. The command verify shows what is damaged, backups lists the "
                + "backups to restore, and salvage saves what can be read."
        case let error as MoltError:
            var lines = [error.message]
            lines += error.details.filter { $0.label != "store" }.map { "  \($0.label): \($0.text)" }
            if let cause = error.underlying { lines.append("  cause: \(ErrorSummary.line(of: cause))") }
            return lines.joined(separator: "\n")
        // Those of the testing kit show values of fixtures, without which a test cannot be corrected.
        case is TestingError, is VerificationFailure:
            return error.localizedDescription
        default:
            return ErrorSummary.line(of: error)
        }
    }

    private func command(_ word: String) throws(UsageError) -> Command {
        if let command = commands.first(where: { $0.name == word }) { return command }
        guard !commandsOfApps.contains(word) else {
            throw UsageError(
                "\"\(word)\" needs the migrations of an app, so it is a command of the app's own tool only; to build that "
                    + "with MoltCommand, see the guide \"Inspecting a store\""
            )
        }
        let names = commands.map(\.name) + commandsOfApps
        throw UsageError("there is no command \"\(word)\"\(Self.nearest(to: word, among: names))")
    }

    /// Advice about a misspelled word; empty if no name is similar.
    static func nearest(to word: String, among names: [String]) -> String {
        MigrationReport.UnmatchedName.nearest(to: word, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    private func help(for word: String?) throws(UsageError) -> String {
        if let word { return try command(word).help(of: name) }
        let usages = commands.map { ([$0.name] + $0.arguments).joined(separator: " ") }
        let width = usages.map(\.count).max() ?? 0
        let lines = zip(usages, commands).map { "  \($0.padded(to: width))   \($1.summary)" }
        let others = commands.filter { $0.errorCode == ExitCode.trouble }.map(\.name).joined(separator: " or ")
        let trouble = others.isEmpty ? "" : " 2 for an error of \(others),"
        return """
            \(summary)

            usage: \(name) \(defaultCommand == nil ? "COMMAND …" : "[COMMAND …]")

            \(lines.joined(separator: "\n"))

            \(name) COMMAND --help lists the options of a command.
            Exit codes: 0 for success, 1 for an error, a difference or damage,\(trouble)
            64 for a mistake on the command line.
            """
    }
}
