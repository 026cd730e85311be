internal import Foundation
internal import Molt

/// An address book whose models have changed three times: it upgrades the stores of its earlier releases.
@main
struct ContactsCommand {
    /// What the process's exit statuses say, as `sysexits.h` has them.
    private enum Status {
        static let success: Int32 = 0
        static let failure: Int32 = 1
        static let usage: Int32 = 64
    }

    /// Runs the process, to its end.
    static func main() async {
        // When nobody reads the output any more, as behind `| head`, the upgrade goes on and the scratch files go.
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Does what the arguments say.
    ///
    /// - Returns: The exit status.
    private static func run(_ arguments: [String]) async -> Int32 {
        do {
            try await run(try Arguments(arguments), on: .standardOutput)
            return Status.success
        } catch let error as UsageError {
            Console.standardError.say(error)
            return Status.usage
        } catch {
            Console.standardError.say(words(for: error))
            return Status.failure
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case let error as MigrationError: error.description
        case let error as CacheError: error.description
        case let error as ContactsError: error.description
        // Foundation's errors describe themselves to programmers.
        default: error.localizedDescription
        }
    }

    private static func run(_ arguments: Arguments, on console: Console) async throws {
        switch arguments {
        case .help:
            console.say(Arguments.helpText)
        case .upgrade(let source, let isDryRun):
            let scratch = try ScratchDirectory()
            defer { scratch.remove() }
            let upgrade = Upgrade(of: try Subject(source, in: scratch), console: console)
            try await isDryRun ? upgrade.dryRun() : upgrade.run()
        case .writeRelease(let number, let path):
            let release = try Releases.release(number)
            try release.write(people: SampleData.namedPeople, to: URL(filePath: path))
            console.say("Wrote \(path) with the code of release \(number).")
        }
    }
}
