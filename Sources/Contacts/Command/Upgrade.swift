internal import Foundation
internal import Molt

/// Upgrades a store to today's release, and tells about it.
struct Upgrade {
    private let subject: Subject
    private let registry: MigrationRegistry
    private let console: Console
    /// How many people are shown before and after.
    private static let shownPeople = 3

    /// Creates an upgrade; nothing is done yet.
    init(of subject: Subject, console: Console) {
        self.subject = subject
        registry = migrations(settings: subject.settings)
        self.console = console
    }

    /// Prints the plan and the report of an upgrade that is not made.
    ///
    /// - Throws: ``ContactsError``, `CacheError` or `MigrationError`.
    func dryRun() async throws {
        let plan = try sayPlan()
        let monitor = MigrationMonitor(onEvent: ProgressBar(on: console).show)
        let report = try await withTaskCancellationHandler {
            try CodableCache.dryRun(at: subject.file, migrations: registry, configuration: configuration(monitor))
        } onCancel: {
            monitor.progress.cancel()
        }
        say(report, after: plan)
        console.say("A dry run: nothing was written.")
    }

    /// Prints the plan, upgrades, prints the report, checks the values where they are known, and shows a few people.
    ///
    /// - Throws: ``ContactsError``, `CacheError` or `MigrationError`.
    func run() async throws {
        let plan = try sayPlan()
        let before = try peopleBefore()
        let settingsBefore = try subject.settings.own.values()
        let cache = try await CodableCache.open(
            at: subject.file,
            migrations: registry,
            configuration: configuration(MigrationMonitor(onEvent: ProgressBar(on: console).show))
        )
        defer { cache.close() }
        say(cache.report, after: plan)
        if let origin = subject.origin {
            try SampleData.check(cache, people: origin.people)
            try SampleData.check(subject.settings)
            try sayCounts(of: cache)
            try saySettings(before: settingsBefore, cache.report)
        }
        try sayPeople(in: cache, before: before)
    }

    // MARK: Parts

    private func configuration(_ monitor: MigrationMonitor) -> CodableCache.Configuration {
        .contacts(release: Releases.today, monitor: monitor)
    }

    private func sayPlan() throws -> MigrationPlan {
        console.say("\(subject.words).")
        console.say()
        var plan = try MigrationPlan(forFileAt: subject.file, migrations: registry)
        // An empty file would become a new store: right for an app, but not for a file that was named by mistake.
        guard !plan.isFresh else { throw ContactsError.emptyFile(subject.file) }
        plan.store = subject.name
        console.say(plan)
        console.say()
        return plan
    }

    private func say(_ report: MigrationReport, after plan: MigrationPlan) {
        // The plan has said already that the store is up to date, unless another process upgraded it since then.
        guard !report.isEmpty || plan.needsUpgrade else { return }
        var report = report
        report.store = subject.name
        console.say(report)
        console.say()
    }

    /// Says how many records were checked, which are more than the progress counts.
    private func sayCounts(of cache: CodableCache) throws {
        let all = try cache.count()
        let changed = try cache.count(of: Person.self) + cache.count(of: Call.self)
        console.say("Every value was checked: \(all.grouped) records are as they should be.")
        let others = all - changed
        console.say(
            "\(changed.grouped) are people and calls, which migrations change; "
                + "\(others.grouped) are groups and pictures."
        )
        console.say()
    }

    /// Shows each setting as Defaults 4 left it, and as today's release reads it.
    private func saySettings(before: [String: PropertyListValue], _ report: MigrationReport) throws {
        let conversion = report.entries.first { $0.migration.name == "defaults-v4-to-v5" }
        console.say("So was every setting: as Defaults 4 wrote it, and as it is read from the group.")
        console.say(
            SettingsTable(
                before: before,
                after: try Settings(in: subject.settings.group),
                outcomes: conversion?.steps.flatMap(\.keys) ?? []
            )
        )
        console.say()
    }

    /// People as the release that wrote the store reads them; none when it is not known which one did.
    private func peopleBefore() throws -> [(key: String, value: ShownValue)] {
        guard let origin = subject.origin else { return [] }
        return try (0..<min(Self.shownPeople, origin.people)).compactMap { index in
            let key = SampleData.key(ofContactAt: index)
            return try origin.release.contact(forKey: key, in: subject.file).map { (key, $0) }
        }
    }

    private func sayPeople(in cache: CodableCache, before: [(key: String, value: ShownValue)]) throws {
        let keys = before.isEmpty ? Array(try cache.keys(of: Person.self).prefix(Self.shownPeople)) : before.map(\.key)
        for (index, key) in keys.enumerated() {
            guard let person = try cache.value(Person.self, forKey: key) else { continue }
            console.say(key)
            if index < before.count { say(before[index].value, label: "  before  ") }
            say(try ShownValue(person), label: before.isEmpty ? "  today   " : "  after   ")
        }
    }

    private func say(_ value: ShownValue, label: String) {
        for line in value.lines(label: label, columns: console.columns) { console.say(line) }
    }
}
