internal import Foundation
internal import Molt
internal import MoltCommand

/// Upgrades a store and the settings of an earlier release, and shows what happens.
struct Demonstration {
    /// A directory for the store.
    let scratch: URL

    var command: Command {
        Command(
            "demo",
            [],
            "upgrade a store and settings of an earlier release; runs also without the word demo",
            options: [
                .value("--from", "RELEASE", "begin with a store of release 1, 2 or 3; 1 by default"),
                .value("--records", "N", "write a new store with N people first, and upgrade that"),
                .flag("--dry-run", "show what would happen, with records before and after each step"),
                .flag("--summary", "also print the summary of the upgrade that an app can send"),
            ],
            notes: """
                It copies the store of release 1, prints the plan, upgrades the copy, prints the report, checks every value,
                and shows the settings before and after.
                The version of a store is the number of the release that wrote it, from release 2 on.
                Release 1 had no migrations yet, so its stores have version 0; today's are of release 4 and have version 4.
                The settings are those that Defaults 4 wrote in release 1, in suites of the command's own; yours are not
                touched.
                """
        ) { call, terminal in
            let number = try call.count("--from", in: 1...3) ?? 1
            let people = try call.count("--records", in: 1...10_000_000)
            let monitor = MigrationMonitor(onEvent: call.has("--dry-run") ? nil : progress(terminal))
            defer {
                if call.has("--summary"), let summary = monitor.summary { terminal.say("\nThe summary:\n\(summary)") }
            }
            try await run(
                Release(rawValue: number) ?? .first,
                people,
                isDryRun: call.has("--dry-run"),
                monitor,
                terminal
            )
            return ExitCode.success
        }
    }

    private func run(
        _ release: Release,
        _ people: Int?,
        isDryRun: Bool,
        _ monitor: MigrationMonitor,
        _ terminal: Terminal
    ) async throws {
        let file = scratch.appending(path: "contacts.molt")
        let settings = SettingsSuites()
        defer { settings.remove() }
        if let people {
            terminal.say("A new store with \(people) people, written by the code of release \(release.rawValue).\n")
            try release.write(people: people, to: file)
        } else {
            terminal.say("A copy of the store that release \(release.rawValue) wrote.\n")
            try FileManager.default.copyItem(at: release.store, to: file)
        }
        try settings.own.update(set: Release.settings())
        if isDryRun {
            try await dryRun(file, settings, monitor, terminal)
        } else {
            try await upgrade(file, settings, people: people ?? SampleData.namedPeople, monitor, terminal)
        }
    }

    /// The name of the store in the output: its path would be that of a file that is removed afterwards.
    private static let name = "contacts.molt (a scratch file)"

    private func showPlan(_ file: URL, _ registry: MigrationRegistry, _ terminal: Terminal) throws {
        var plan = try CacheFile(at: file).plan(registry)
        plan.store = Self.name
        terminal.say("\(plan)\n")
    }

    private func dryRun(
        _ file: URL,
        _ settings: SettingsSuites,
        _ monitor: MigrationMonitor,
        _ terminal: Terminal
    ) async throws {
        let registry = migrations(settings: settings)
        try showPlan(file, registry, terminal)
        var report = try await CacheFile(at: file).dryRun(
            registry,
            samples: 2,
            configuration: .contacts(release: Release.today, monitor: monitor)
        )
        report.store = Self.name
        terminal.say("\(report)\n\nA dry run: nothing was written.")
    }

    /// Upgrades the store, shows the plan and the report, and checks the data.
    private func upgrade(
        _ file: URL,
        _ settings: SettingsSuites,
        people: Int,
        _ monitor: MigrationMonitor,
        _ terminal: Terminal
    ) async throws {
        let registry = migrations(settings: settings)
        let configuration = MoltConfiguration.contacts(release: Release.today, monitor: monitor)
        try showPlan(file, registry, terminal)
        let settingsBefore = try settings.own.values()

        // An app needs only this line.
        let cache = try await CodableCache.open(at: file, migrations: registry, configuration: configuration)
        defer { cache.close() }

        var report = cache.report
        report.store = Self.name
        terminal.say("\(report)\n")
        try SampleData.check(cache, people: people)
        try SampleData.check(settings)
        terminal.say("Every value was checked: \(try cache.count()) records are as they should be.\n")

        terminal.say("The settings, as Defaults 4 wrote them and as they are in the app group now:")
        let settingsAfter = try settings.group.values()
        for (key, before) in settingsBefore.sorted(by: { $0.key < $1.key }) {
            let outcome = cache.report.keys.first { $0.key == key }?.outcome.description ?? ""
            let after = settingsAfter[key].map { "\($0.object)" } ?? "none"
            terminal.say("  \(key): \(before.object)  →  \(after)  (\(outcome))")
        }
        terminal.say("\nTo see records before and after each step: swift run contacts --dry-run")
        terminal.say("To do this with a store of your own, and more: swift run contacts --help")
    }

    /// Prints the progress of an upgrade, one line per tenth.
    private func progress(_ terminal: Terminal) -> @Sendable (MigrationEvent) -> Void {
        let shownTenth = Locked(-1)
        return { event in
            guard case .progressed(let progress) = event else { return }
            let tenth = Int(progress.fraction * 10)
            let isNew = shownTenth.withLock { shown in
                defer { shown = tenth }
                return shown < tenth
            }
            guard isNew else { return }
            let percent = Int(progress.fraction * 100)
            terminal.say("\(percent) %  \(progress.completed) of \(progress.total) records")
        }
    }
}
