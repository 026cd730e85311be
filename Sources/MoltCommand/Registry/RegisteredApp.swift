import Foundation
package import Molt
package import MoltTesting

/// The commands that need an app's registry.
package struct RegisteredApp: Sendable {
    let migrations: MigrationRegistry
    let types: [FixtureType]
    let settings: [FixtureSetting]
    let configuration: MoltConfiguration

    package init(
        migrations: MigrationRegistry,
        types: [FixtureType] = [],
        settings: [FixtureSetting] = [],
        configuration: MoltConfiguration = MoltConfiguration()
    ) {
        self.migrations = migrations
        self.types = types
        self.settings = settings
        var configuration = configuration
        configuration.hooks.handsOver = false
        self.configuration = configuration
    }

    /// The commands that need the registry, and those that do not; some of the former take the place of one of those.
    package var commands: [Command] {
        let own = [
            plan, dryRun, upgrade, lint, verify, record, StoreCommands.fixture(migrations),
            StoreCommands.seal(migrations),
            StoreCommands.restore(suites: attached), export, `import`,
            StoreCommands.markApplied(notes: "", options: Self.settingsOptions, correct),
            StoreCommands.markPending(notes: "", options: Self.settingsOptions, correct),
            StoreCommands.acceptEdit(options: Self.settingsOptions, correct), listSettings,
            Self.documents(migrations),
        ]
        return own + StoreCommands.all.filter { command in !own.contains { $0.name == command.name } }
    }

    /// The command that shows settings, and those of them that nothing of the app names.
    private var listSettings: Command {
        StoreCommands.settings(
            notes: "Settings that neither a migration nor the app's list of settings names come last."
        ) { [migrations, settings] key, suite in
            migrations.namesSetting(key, of: suite) || settings.contains { $0.names(key, in: suite) }
                || Suite.Keys.isOfSystem(key)
        }
    }

    /// The names of the commands that need a registry and are not also commands of `molt`.
    package static var ownCommands: [String] {
        let shared = StoreCommands.all.map(\.name)
        return RegisteredApp(migrations: []).commands.map(\.name).filter { !shared.contains($0) }
    }

    /// The suites of the configuration and of the migrations.
    private var attached: [Suite] {
        configuration.suites + migrations.migrations.flatMap(\.attached).compactMap(\.suite)
    }

    private static let settingsOptions: [Command.Option] = [
        .value(
            "--settings",
            "SUITE=PLACE",
            "use a domain, or read a property list, as a suite's settings; repeat for each suite"
        ),
        .flag(
            "--without-settings",
            "let migrations that work on the app's own settings wait; those of app groups are upgraded"
        ),
    ]

    private static let settingsNote = """
        \(StoreArgument.note) Without --settings, the settings are those of the fixture or, for a store, of this tool's
        user. SUITE is standard or the suite's name. The settings of standard are the app's and not this tool's: for a
        store, name the app's domain, such as com.example.app, or pass --without-settings.
        """

    /// The suites that stand in for those of the registry, and a configuration with them.
    ///
    /// - Throws: ``UsageError`` if the settings of this tool would be taken for those of the app.
    private func settings(
        _ call: Command.Call,
        _ configuration: MoltConfiguration,
        hasOwn: Bool = false
    ) throws -> (SettingsFiles, MoltConfiguration) {
        let settings = try SettingsFiles(call.all("--settings"), of: attached)
        let isGiven = hasOwn || settings.suites.contains { $0.attachedName == Suite.standard.attachedName }
        var configuration = configuration
        if call.has("--without-settings") {
            guard settings.suites.isEmpty else {
                throw UsageError("pass --settings or --without-settings, not both")
            }
            configuration.process = .tool
        } else if !isGiven, attached.contains(where: { $0.attachedName == Suite.standard.attachedName }) {
            throw UsageError(
                "the migrations work on the app's settings, and this tool has settings of its own: pass "
                    + "--settings standard=DOMAIN, or --without-settings, which lets these migrations wait"
            )
        }
        // The first suite of a name takes precedence.
        configuration.suites = settings.suites + configuration.suites
        return (settings, configuration)
    }

    private func trial(
        _ call: Command.Call,
        _ configuration: MoltConfiguration,
        isOnlyPlanned: Bool = false
    ) throws -> UpgradeTrial {
        let store = try existing(call.arguments[0])
        let (settings, configuration) = try settings(call, configuration, hasOwn: store.fixture != nil)
        return try UpgradeTrial(store, settings, migrations, configuration, isOnlyPlanned: isOnlyPlanned)
    }

    private var plan: Command {
        Command(
            "plan",
            ["[FILE]"],
            "show what opening a store would do, or what happens to documents",
            options: [
                .value("--documents", "TYPE", "without FILE: show what happens to documents of this type"),
                .value("--from", "VERSION", "with --documents: the version that they have"),
            ] + Self.settingsOptions + [.json],
            notes: Self.settingsNote
        ) { call, terminal in
            guard try !planDocuments(call, terminal) else { return ExitCode.success }
            let trial = try trial(call, configuration, isOnlyPlanned: true)
            defer { withExtendedLifetime(trial) {} }
            let plan = try trial.plan(.opening)
            if call.has("--json") { try terminal.sayJSON(plan) } else { terminal.say("\(plan)") }
            return plan.problems.isEmpty ? ExitCode.success : ExitCode.failure
        }
    }

    /// Shows what happens to documents.
    ///
    /// - Returns: Whether the call asks for that.
    private func planDocuments(_ call: Command.Call, _ terminal: Terminal) throws -> Bool {
        guard let typeName = call.value("--documents") else {
            if call.has("--from") { throw UsageError("--from needs --documents") }
            if call.arguments.isEmpty { throw UsageError("plan needs FILE, or --documents and --from") }
            return false
        }
        guard call.arguments.isEmpty else { throw UsageError("--documents needs no FILE") }
        guard let version = try call.count("--from") else { throw UsageError("--documents needs --from") }
        let models = types.map(\.name)
        let plan = try DocumentUpgrade(migrations).plan(ofType: typeName, writtenAt: version, models: models)
        if call.has("--json") { try terminal.sayJSON(plan) } else { terminal.say("\(plan)") }
        return true
    }

    private var dryRun: Command {
        Command(
            "dry-run",
            ["FILE-OR-DIRECTORY"],
            "upgrade a copy of a store, or of each in a directory, and show the report",
            options: [
                .value("--samples", "N", "show up to N records before and after each step"),
                .value("--html", "PAGE", "write a page with the report and samples, 3 for each step by default"),
                Self.subdirectories,
            ] + Self.settingsOptions + [.json],
            notes: """
                \(Self.settingsNote)
                The exit code is 1 if an upgrade fails, and 0 if all succeed, also if records go into quarantine or are
                dropped: the report says so.
                """
        ) { call, terminal in
            if let directory = try directory(of: call) {
                guard !call.has("--samples"), !call.has("--html") else {
                    throw UsageError("--samples and --html are for a single store")
                }
                return try await upgradeAll(in: directory, call, terminal, isDryRun: true)
            }
            var trial = try trial(call, followed(on: terminal))
            try await trial.fetchRecords()
            defer { withExtendedLifetime(trial) {} }
            let run = try DryRunWithPage(trial: trial, samples: call.count("--samples"), html: call.value("--html"))
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
            ["FILE-OR-DIRECTORY"],
            "upgrade a store, or each in a directory, and show the report",
            options: [.flag("--backup", "keep a backup beside the store"), Self.subdirectories]
                + Self.settingsOptions + [.json],
            notes: """
                \(Self.settingsNote)
                In a directory, a store that cannot be upgraded stays as it was, and the exit code is then 1. Records of
                migrations on read wait until an app opens their store.
                """
        ) { call, terminal in
            if let directory = try directory(of: call) {
                return try await upgradeAll(in: directory, call, terminal, isDryRun: false)
            }
            let url = try existing(call.arguments[0]).file()
            var (settings, configuration) = try settings(call, followed(on: terminal))
            try settings.checkWritable()
            defer { withExtendedLifetime(settings) {} }
            if call.has("--backup") { configuration.backup = configuration.backup ?? BackupPolicy() }
            // All records at once, so that the report is about all of them.
            let cache = try await CodableCache.open(
                at: url,
                migrations: migrations,
                configuration: configuration,
                mode: .atOnce
            )
            defer { cache.close() }
            if call.has("--json") { try terminal.sayJSON(cache.report) } else { terminal.say("\(cache.report)") }
            return ExitCode.success
        }
    }

    private static let subdirectories = Command.Option.flag(
        "--subdirectories",
        "also the stores in subdirectories of the directory"
    )

    /// The directory that a call names, all of whose stores are meant; nil for a file.
    private func directory(of call: Command.Call) throws -> URL? {
        let path = call.arguments[0]
        if isDirectory(path) { return URL(filePath: path, directoryHint: .isDirectory) }
        guard !call.has("--subdirectories") else { throw UsageError("--subdirectories needs a directory") }
        return nil
    }

    /// What became of a store of a directory, for programs.
    private struct StoreResult: Encodable {
        var store: String
        var report: MigrationReport?
        var error: String?
    }

    /// Upgrades all stores of a directory, or tries it on copies of them, and shows the report.
    ///
    /// - Returns: The code of a failure if one of them has failed.
    private func upgradeAll(
        in directory: URL,
        _ call: Command.Call,
        _ terminal: Terminal,
        isDryRun: Bool
    ) async throws -> Int32 {
        var (settings, configuration) = try settings(call, configuration)
        defer { withExtendedLifetime(settings) {} }
        if !isDryRun { try settings.checkWritable() }
        if call.has("--backup") { configuration.backup = configuration.backup ?? BackupPolicy() }
        let work = isDryRun ? CacheFile.dryRunAll : CacheFile.upgradeAll
        let progress = { @Sendable (share: Double) in terminal.show(share, "upgraded") }
        let report = try await work(
            directory,
            migrations,
            call.has("--subdirectories"),
            configuration,
            2,
            progress
        )
        guard !report.stores.isEmpty else { throw CommandError("there is no store in \(directory.path)") }
        if call.has("--json") {
            try terminal.sayJSON(
                report.stores.map {
                    StoreResult(store: $0.file.name, report: $0.report, error: $0.error.map { "\($0)" })
                }
            )
        } else {
            terminal.say("\(report)")
        }
        return report.failed.isEmpty ? ExitCode.success : ExitCode.failure
    }

    /// For a directory, the check of its fixtures; for a file, that of the tool `molt`.
    private var verify: Command {
        Command(
            "verify",
            ["FIXTURES-OR-FILE"],
            "upgrade the fixtures of all releases in every way, or check a store for damage",
            options: [.json],
            notes: """
                For a directory of fixtures: each of them is upgraded to each later version, at once and step by step, and
                compared with the fixture of that version. Samples of the types and settings are compared with the fixture
                of this release, and with types.json. Missing files are written by record.
                For a store: all of its pages and records are read.
                """
        ) { call, terminal in
            let path = call.arguments[0]
            guard let catalog = catalog(at: path) else {
                if try StoreArgument(path).fixture != nil {
                    throw CommandError("\(path) is a fixture. Name the directory of the fixtures")
                }
                return try await StoreCommands.verify.run(call, terminal)
            }
            let report: VerificationReport
            do {
                report = try await verify(catalog)
            } catch let failure as VerificationFailure where call.has("--json") {
                try terminal.sayJSON(failure.failures.map { Problem(subject: $0.subject, problem: $0.description) })
                return ExitCode.failure
            }
            if call.has("--json") { try terminal.sayJSON([Problem]()) } else { terminal.say("\(report)") }
            return ExitCode.success
        }
    }

    private var record: Command {
        Command(
            "record",
            ["FIXTURES"],
            "write the fixtures that a directory lacks, or a new one",
            options: [
                .value("--store", "FILE", "first write this store as a fixture, named by --name"),
                .value("--name", "NAME", "the name of the fixture of --store"),
                .flag("--all", "also write those of the newest version again, unless it is sealed"),
                .flag("--unsealed", "with --all, also write those of older versions again that are not sealed"),
            ],
            notes: """
                \(StoreArgument.note)
                Look at the files, and check them with verify. Files of sealed versions stay as they are; see the command seal.
                """
        ) { call, terminal in
            let path = call.arguments[0]
            guard call.has("--all") || !call.has("--unsealed") else { throw UsageError("--unsealed needs --all") }
            let mode: RecordingMode = call.has("--unsealed") ? .unsealed : call.has("--all") ? .all : .missing
            guard let catalog = catalog(at: path, recording: mode) else {
                throw CommandError("there is no directory at \(path)")
            }
            try addFixture(call, to: catalog, terminal)
            do {
                let report = try await verify(catalog)
                terminal.say("\(report)\nNo file was written.")
            } catch let failure as VerificationFailure where !failure.report.recorded.isEmpty {
                for file in failure.report.recorded { terminal.say("wrote \(file)") }
                for note in failure.failures where note.kind == .recorded && note.subject != "catalog" {
                    terminal.say(note.message)
                }
                let others = failure.failures.filter { $0.kind != .recorded }
                guard others.isEmpty else { throw VerificationFailure(failures: others, report: failure.report) }
            }
            return ExitCode.success
        }
    }

    private func verify(_ catalog: FixtureCatalog) async throws -> VerificationReport {
        try await catalog.verify(migrations, types: types, settings: settings, configuration: configuration)
    }

    private func addFixture(_ call: Command.Call, to catalog: FixtureCatalog, _ terminal: Terminal) throws {
        switch (call.value("--store"), call.value("--name")) {
        case (nil, nil): return
        case (let store?, let name?):
            do {
                try catalog.record(existing(store).content(), named: name, migrations: migrations)
            } catch let error as TestingError where error.code == .recorded {
                terminal.say("wrote \(error.file?.lastPathComponent ?? name)")
            }
        default: throw UsageError("--store and --name must be given together")
        }
    }

    /// The fixtures in a directory; nil if there is no directory at the path.
    private func catalog(at path: String, recording: RecordingMode = .never) -> FixtureCatalog? {
        isDirectory(path) ? FixtureCatalog(URL(filePath: path), recording: recording) : nil
    }

    private func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    private var lint: Command {
        Command("lint", [], "check the registry for mistakes", options: [.json]) { call, terminal in
            let faults = migrations.faults
            if call.has("--json") {
                try terminal.sayJSON(faults.map { Problem(subject: "registry", problem: $0) })
                return faults.isEmpty ? ExitCode.success : ExitCode.failure
            }
            for fault in faults { terminal.say(terminal.red(fault)) }
            if faults.isEmpty { terminal.say("\(migrations)\nNo mistakes were found.") }
            return faults.isEmpty ? ExitCode.success : ExitCode.failure
        }
    }

    private static let suiteOption = Command.Option.value(
        "--settings",
        "SUITE",
        "also the settings of a suite of this tool's user: its name, or standard=DOMAIN; repeat for others"
    )

    /// The suites that a call names, and a configuration with the domains that stand in for them.
    ///
    /// - Throws: ``UsageError`` if the settings of this tool would be taken for those of the app.
    private func suites(of call: Command.Call) throws -> ([Suite], MoltConfiguration) {
        let suites = try call.all("--settings").map { word in
            if word.contains("=") {
                let settings = try SettingsFiles([word], of: attached)
                try settings.checkWritable()
                return settings.suites[0]
            }
            let suite = try SettingsFiles.suite(named: word, of: attached)
            guard suite.attachedName != Suite.standard.attachedName else {
                throw UsageError("the settings of this tool are not those of the app: pass --settings standard=DOMAIN")
            }
            return suite
        }
        var configuration = configuration
        // The first suite of a name takes precedence.
        configuration.suites = suites + configuration.suites
        return (suites, configuration)
    }

    private var export: Command {
        StoreCommands.exporting(
            "The records get the form of the app's version, and the store is not changed.",
            options: [Self.suiteOption]
        ) { store, target, selection, call in
            let (suites, configuration) = try suites(of: call)
            do {
                let cache = try CodableCache(
                    reading: store.file(),
                    migrations: migrations,
                    configuration: configuration
                )
                defer { cache.close() }
                return try cache.exportAndWait(to: target, only: selection, suites: suites)
            } catch var error as MoltError where error.code == .needsMigration {
                error.advice = "Run the command upgrade first, or export it at its own version with the tool molt."
                throw error
            }
        }
    }

    private var `import`: Command {
        StoreCommands.importing(
            "The store must have the version of the app; the records are upgraded to it.",
            options: [Self.suiteOption]
        ) { store, source, selection, policy, call in
            let (suites, configuration) = try suites(of: call)
            let cache = try open(store, configuration)
            defer { cache.close() }
            return try cache.importAndWait(from: source, only: selection, suites: suites, onConflict: policy)
        }
    }

    private var correct: StoreCommands.Correction {
        { change, file, reason, call in
            // A build of another branch may have applied it.
            if case .markPending(let name) = change, !migrations.names.contains(name) {
                do {
                    return try CacheFile(at: file).correctLedger(change, reason: reason)
                } catch var error as MoltError where error.code == .notCorrected {
                    error.advice =
                        "This app does not have the migration. Check its name, or use the tool of a build that has it."
                    throw error
                }
            }
            let (settings, configuration) = try settings(call, configuration)
            try settings.checkWritable()
            defer { withExtendedLifetime(settings) {} }
            return try CacheFile(at: file).correctLedger(
                change,
                migrations: migrations,
                reason: reason,
                configuration: configuration
            )
        }
    }

    /// Opens a store that has the registry's version, without upgrading anything.
    private func open(_ store: StoreArgument, _ configuration: MoltConfiguration) throws -> CodableCache {
        let url = try store.file()
        var configuration = configuration
        configuration.runsBackfill = false
        let plan = try CacheFile(at: url).plan(migrations, configuration: configuration)
        try plan.checkProblems()
        guard !plan.isFresh else { throw CommandError("there is no store at \(store.path)") }
        guard !plan.needsUpgradeByTool else {
            let upgrade =
                plan.pending.isEmpty && plan.from == plan.to
                ? "has an upgrade to finish" : "needs an upgrade from version \(plan.from) to \(plan.to)"
            throw CommandError("\(store.path) \(upgrade). Run the command upgrade first")
        }
        return try CodableCache(existing: url, migrations: migrations, configuration: configuration)
    }

    /// The store at a path, or one that is moved there; opening a cache would create a missing one.
    private func existing(_ path: String) throws -> StoreArgument {
        func isThere(_ path: String) -> Bool {
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            return size ?? 0 > 0
        }
        let paths = [path] + migrations.oldPaths(of: FileStatus.path(of: URL(filePath: path)))
        guard paths.contains(where: isThere) else { throw CommandError("there is no store at \(path)") }
        return try StoreArgument(path)
    }

    /// The app's configuration with a progress bar.
    private func followed(on terminal: Terminal) -> MoltConfiguration {
        var configuration = configuration
        configuration.monitor = MigrationMonitor { event in
            switch event {
            case .progressed(let progress): terminal.show(progress.fraction, "upgraded")
            case .finished, .failed: terminal.show(1, "upgraded")
            default: break
            }
        }
        return configuration
    }
}
