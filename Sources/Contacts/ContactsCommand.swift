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
        do {
            try ScratchHome.enter()
        } catch {
            Console.standardError.say("contacts: \(error.localizedDescription)")
            exit(Status.failure)
        }
        // When nobody reads the output any more, as behind `| head`, the upgrade goes on and the scratch files go.
        signal(SIGPIPE, SIG_IGN)
        let interruption = Interruption()
        let sources = interruption.listen()
        let work = Task { await run(Array(CommandLine.arguments.dropFirst()), interruption) }
        interruption.whenInterrupted { work.cancel() }
        let status = await work.value
        withExtendedLifetime(sources) { exit(interruption.status ?? status) }
    }

    /// Does what the arguments say.
    ///
    /// - Returns: The exit status.
    private static func run(_ arguments: [String], _ interruption: Interruption) async -> Int32 {
        let console = Console.standardError
        do {
            try await run(try Arguments(arguments), on: .standardOutput, interruption)
            return Status.success
        } catch let error as UsageError {
            console.say("contacts: \(error); see contacts --help.")
            return Status.usage
        } catch let error as MigrationError where error.code == .cancelled {
            console.say("contacts: The upgrade was stopped and rolled back; the store is as it was.")
        } catch is CancellationError {
            console.say("contacts: Stopped.")
        } catch {
            // What an error's `description` adds, its code and its fields, is for programmers.
            console.say("contacts: \(error.localizedDescription)")
        }
        return Status.failure
    }

    private static func run(_ arguments: Arguments, on console: Console, _ interruption: Interruption) async throws {
        switch arguments {
        case .help:
            console.say(Arguments.helpText)
        case .upgrade(let source, let isDryRun):
            let settings = source.isFile ? SettingsSuites.empty : SettingsSuites()
            let scratch = try ScratchDirectory(at: ScratchHome.place)
            let cleanUp: @Sendable () -> Void = {
                settings.remove()
                scratch.remove()
            }
            defer { cleanUp() }
            interruption.beforeLeaving(cleanUp)
            let upgrade = Upgrade(of: try Subject(source, in: scratch, settings), console: console)
            try await isDryRun ? upgrade.dryRun() : upgrade.run()
        case .writeRelease(let number, let path):
            let release = try Releases.release(number)
            try release.write(people: SampleData.namedPeople, to: URL(filePath: path))
            console.say("Wrote \(path) with the code of release \(number).")
        }
    }
}
