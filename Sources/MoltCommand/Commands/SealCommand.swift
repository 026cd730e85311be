import Foundation
import Molt
import MoltTesting

extension StoreCommands {
    /// - Parameter migrations: The app's registry; without it, the ledgers of the fixtures tell which migrations have
    ///   shipped.
    static func seal(_ migrations: MigrationRegistry? = nil) -> Command {
        Command(
            "seal",
            ["FIXTURES", "VERSION"],
            "seal the fixtures and migrations of a version that has shipped",
            notes: """
                Writes seals.json in the directory of fixtures: digests of the files and types of the version and of all before
                it, and their migrations. From then on, the tests fail if one of them changes, and no MOLT_RECORD writes such
                a file again. Check the file in. What was sealed before stays as it is.
                """
        ) { call, terminal in
            let directory = URL(filePath: call.arguments[0], directoryHint: .isDirectory)
            guard let version = Int(call.arguments[1]), version >= 0 else {
                throw UsageError("VERSION is a number of at least 0, not \"\(call.arguments[1])\"")
            }
            let summary = try FixtureCatalog(directory).seal(upTo: version, migrations)
            terminal.say(summary ?? "Version \(version) is sealed already.")
            return ExitCode.success
        }
    }
}
