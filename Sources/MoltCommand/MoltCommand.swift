import Foundation
public import Molt
// For `types:` and `settings:`, such as `.type(Person.self)`.
@_exported public import MoltTesting

/// Runs the command line of an app's registry, and ends the process with its exit code.
///
/// ```swift
/// import MoltCommand
///
/// @main struct Upgrade {
///     static func main() {
///         MoltCommand.main(migrations, types: [.type(Person.self)])
///     }
/// }
/// ```
///
/// The tool has the commands of `molt`, which read any store, and those that need the registry: `plan`, `dry-run`,
/// `upgrade`, `lint`, and `verify` and `record` for the fixtures of earlier releases. `--help` lists them.
///
/// - Parameters:
///   - migrations: The app's registry.
///   - types: The app's current types, which every record of an upgraded fixture is decoded as. `record` writes their
///     samples, and those of settings, as the fixture of this release.
///   - settings: The settings that the app reads today; `verify` reads them from every upgraded fixture.
///   - configuration: How the app opens its cache.
public func main(
    _ migrations: MigrationRegistry,
    types: [FixtureType] = [],
    settings: [FixtureSetting] = [],
    configuration: MoltConfiguration = MoltConfiguration()
) -> Never {
    let app = RegisteredApp(migrations: migrations, types: types, settings: settings, configuration: configuration)
    let name = URL(filePath: CommandLine.arguments.first ?? "").lastPathComponent
    let tool = Tool(name, "Shows and upgrades the stores of this app.", app.commands)
    run(tool)
}

/// Prepares a process that is a tool, before it opens any file.
package func prepareProcess() {
    // Writing fails instead when the reader of the output exits, as `| head` does.
    signal(SIGPIPE, SIG_IGN)
    // No other file shall take the number of a standard file that is closed; reading and writing still fail.
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(number, F_GETFD) < 0 {
        _ = open("/dev/null", mode)
    }
}

/// Runs a tool on the process's command line.
package func run(_ tool: Tool) -> Never {
    prepareProcess()
    Task { exit(await tool.run(Array(CommandLine.arguments.dropFirst()), on: Terminal())) }
    dispatchMain()
}
