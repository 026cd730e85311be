import Foundation
package import MoltCache
package import MoltCore
package import MoltTesting

/// The commands that need an app's registry.
package struct RegisteredApp: Sendable {
    let migrations: MigrationRegistry
    let types: [FixtureType]
    let configuration: CodableCache.Configuration

    package init(
        migrations: MigrationRegistry,
        types: [FixtureType] = [],
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) {
        self.migrations = migrations
        self.types = types
        self.configuration = configuration
    }

    package var commands: [Command] { [plan, dryRun, upgrade, check, lint] }

    private var plan: Command {
        Command("plan", ["FILE"], "show what opening a store would do", options: [.json]) { call, terminal in
            let plan = try MigrationPlan(forFileAt: existing(call.arguments[0]), migrations: migrations)
            if call.has("--json") { try terminal.sayJSON(plan) } else { terminal.say("\(plan)") }
            return plan.problems.isEmpty ? ExitCode.success : ExitCode.failure
        }
    }

    private var dryRun: Command {
        Command(
            "dry-run",
            ["FILE"],
            "upgrade a copy of a store, and show the report; the store is not changed",
            options: [
                .value("--samples", "N", "show up to N records before and after each step"),
                .value("--html", "PAGE", "write a page with the report and samples, 3 for each step by default"),
                .json,
            ]
        ) { call, terminal in
            let run = try DryRun(
                url: existing(call.arguments[0]),
                migrations: migrations,
                configuration: followed(on: terminal),
                samples: call.count("--samples"),
                html: call.value("--html")
            )
            let report = try run.report { page in
                // The output of --json is for programs.
                call.has("--json") ? terminal.sayError(page) : terminal.say(page)
            }
            if call.has("--json") { try terminal.sayJSON(report) } else { terminal.say("\(report)") }
            return ExitCode.success
        }
    }

    private var upgrade: Command {
        Command(
            "upgrade",
            ["FILE"],
            "upgrade a store, and show the report",
            options: [.flag("--backup", "keep a backup beside the store"), .json]
        ) { call, terminal in
            let url = try existing(call.arguments[0])
            var configuration = followed(on: terminal)
            if call.has("--backup") { configuration.backup = BackupPolicy() }
            let cache = try await CodableCache.open(at: url, migrations: migrations, configuration: configuration)
            defer { cache.close() }
            try await cache.upgradeRest()
            if call.has("--json") { try terminal.sayJSON(cache.report) } else { terminal.say("\(cache.report)") }
            return ExitCode.success
        }
    }

    private var check: Command {
        Command(
            "check",
            ["FIXTURES"],
            "upgrade the fixtures of all releases in every way, and compare them with the golden files"
        ) { call, terminal in
            let catalog = FixtureCatalog(URL(filePath: call.arguments[0]))
            terminal.say("\(try await catalog.verify(migrations, types: types))")
            return ExitCode.success
        }
    }

    private var lint: Command {
        Command("lint", [], "check the registry for mistakes") { _, terminal in
            let faults = migrations.faults
            for fault in faults { terminal.say(terminal.red(fault)) }
            if faults.isEmpty { terminal.say("\(migrations)") }
            return faults.isEmpty ? ExitCode.success : ExitCode.failure
        }
    }

    /// The file at a path; opening a cache would create a missing one.
    private func existing(_ path: String) throws -> URL {
        guard FileManager.default.fileExists(atPath: path) else { throw CommandError("there is no file at \(path)") }
        return URL(filePath: path)
    }

    /// The app's configuration with a progress bar.
    private func followed(on terminal: Terminal) -> CodableCache.Configuration {
        var configuration = configuration
        configuration.monitor = MigrationMonitor { event in
            switch event {
            case .progressed(let progress), .restProgressed(let progress): terminal.show(progress.fraction, "upgraded")
            case .finished, .failed: terminal.show(1, "upgraded")
            default: break
            }
        }
        return configuration
    }
}
