internal import Foundation
internal import Molt
internal import MoltCommand

/// An address book that upgrades the stores of its earlier releases.
///
/// Without a command it upgrades the store of an earlier release; with one, it is the command line of the app's
/// registry.
@main
struct ContactsCommand {
    static func main() async {
        prepareProcess()
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ words: [String]) async -> Int32 {
        let terminal = Terminal()
        do {
            let scratch = try ScratchDirectory.create()
            defer { try? FileManager.default.removeItem(at: scratch) }
            return await tool(scratch).run(words, on: terminal)
        } catch {
            terminal.sayError("contacts: \(error.localizedDescription)")
            return ExitCode.failure
        }
    }

    private static func tool(_ scratch: URL) -> Tool {
        let app = RegisteredApp(
            migrations: migrations(settings: .empty),
            types: [.type(Person.self), .type(Group.self), .type(Call.self)],
            configuration: .contacts(release: Release.today)
        )
        let demonstration = Demonstration(scratch: scratch).command
        return Tool(
            "contacts",
            "Upgrades the address books of earlier releases of this app.",
            [demonstration] + app.commands,
            default: demonstration
        )
    }
}
