internal import Foundation
internal import Molt
internal import Synchronization

/// An address book that upgrades the stores of its earlier releases.
@main
struct ContactsCommand {
    static func main() async {
        // Keep upgrading when the reader of the output exits, as `| head` does.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await run(Arguments(CommandLine.arguments.dropFirst()))
        } catch let error as UsageError {
            fail("\(error.message); see contacts --help.", status: 64)
        } catch {
            fail(error.localizedDescription, status: 1)
        }
    }

    private static func run(_ arguments: Arguments) async throws {
        if arguments.wantsHelp { return say(Arguments.help) }
        let scratch = try ScratchDirectory.create()
        defer { try? FileManager.default.removeItem(at: scratch) }
        if let path = arguments.store {
            let file = URL(filePath: path)
            // Opening a cache creates a missing file, which is right for an app but hides a wrong path here.
            guard let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize, size > 0 else {
                throw ContactsError("There is no store at \(path). Check the path.")
            }
            try await upgrade(file, named: path, arguments, .empty)
        } else {
            let file = scratch.appending(path: "contacts.molt")
            let settings = SettingsSuites()
            defer { settings.remove() }
            let release = arguments.release
            if let people = arguments.people {
                say("A new store with \(people) people, written by the code of release \(release.rawValue).\n")
                try release.write(people: people, to: file)
            } else {
                say("A copy of the store that release \(release.rawValue) wrote.\n")
                try FileManager.default.copyItem(at: release.store, to: file)
            }
            try settings.own.update(set: Release.settings())
            try await upgrade(file, named: "contacts.molt (a scratch file)", arguments, settings)
        }
    }

    /// Shows the plan, upgrades the store, shows the report, and checks the data if the expected values are known.
    private static func upgrade(
        _ file: URL,
        named name: String,
        _ arguments: Arguments,
        _ settings: SettingsSuites
    ) async throws {
        let registry = migrations(settings: settings)
        let configuration = CodableCache.Configuration.contacts(
            release: Release.today,
            monitor: MigrationMonitor(onEvent: progress())
        )
        var plan = try MigrationPlan(forFileAt: file, migrations: registry)
        plan.store = name
        say("\(plan)\n")
        if arguments.isDryRun {
            var report = try CodableCache.dryRun(
                at: file,
                migrations: registry,
                samples: 2,
                configuration: configuration
            )
            report.store = name
            return say("\(report)\n\nA dry run: nothing was written.")
        }

        let settingsBefore = try settings.own.values()

        // An app needs only this line.
        let cache = try await CodableCache.open(at: file, migrations: registry, configuration: configuration)
        defer { cache.close() }

        if plan.needsUpgrade {
            var report = cache.report
            report.store = name
            say("\(report)\n")
        }
        guard arguments.store == nil else { return }
        try SampleData.check(cache, people: arguments.people ?? SampleData.namedPeople)
        try SampleData.check(settings)
        say("Every value was checked: \(try cache.count()) records are as they should be.\n")

        say("The settings, as Defaults 4 wrote them and as they are in the app group now:")
        let settingsAfter = try settings.group.values()
        for (key, before) in settingsBefore.sorted(by: { $0.key < $1.key }) {
            let outcome = cache.report.keys.first { $0.key == key }?.outcome.rawValue ?? ""
            say("  \(key): \(before.object)  →  \(settingsAfter[key].map { "\($0.object)" } ?? "none")  (\(outcome))")
        }
        say("\nTo see records before and after each step: contacts --dry-run")
    }

    /// Prints the progress of an upgrade, one line per tenth.
    private static func progress() -> @Sendable (MigrationEvent) -> Void {
        let shownTenth = Atomic(-1)
        return { event in
            guard case .progressed(let progress) = event else { return }
            let tenth = Int(progress.fraction * 10)
            guard shownTenth.exchange(tenth, ordering: .relaxed) < tenth else { return }
            let percent = Int(progress.fraction * 100)
            say("\(percent) %  \(progress.completed) of \(progress.total) records")
        }
    }

    private static func say(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("contacts: \(message)\n".utf8))
        exit(status)
    }
}
