internal import Foundation
internal import Molt

/// Upgrades a store to today's release, and tells about it.
struct Upgrade {
    private let subject: Subject
    private let console: Console
    /// How many people are shown before and after.
    private static let shownPeople = 3

    /// Creates an upgrade; nothing is done yet.
    init(of subject: Subject, console: Console) {
        self.subject = subject
        self.console = console
    }

    /// Prints the plan and the report of an upgrade that is not made.
    ///
    /// - Throws: ``ContactsError``, `CacheError` or `MigrationError`.
    func dryRun() async throws {
        try sayPlan()
        console.say(try CodableCache.dryRun(at: subject.file, migrations: migrations, configuration: configuration))
        console.say()
        console.say("A dry run: nothing was written.")
    }

    /// Prints the plan, upgrades, prints the report, checks the values where they are known, and shows a few people.
    ///
    /// - Throws: ``ContactsError``, `CacheError` or `MigrationError`.
    func run() async throws {
        try sayPlan()
        let before = try peopleBefore()
        let cache = try await CodableCache.open(
            at: subject.file,
            migrations: migrations,
            configuration: configuration
        )
        defer { cache.close() }
        console.say(cache.report)
        console.say()
        if let origin = subject.origin {
            try SampleData.check(cache, people: origin.people)
            console.say("Every value was checked: \(try cache.count().grouped) records are as they should be.")
            console.say()
        }
        try sayPeople(in: cache, before: before)
    }

    // MARK: Parts

    /// Today's configuration, with a progress bar of its own.
    private var configuration: CodableCache.Configuration {
        .contacts(release: Releases.today, monitor: MigrationMonitor(onEvent: ProgressBar(on: console).show))
    }

    private func sayPlan() throws {
        console.say("\(subject.words).")
        console.say()
        let plan = try MigrationPlan(forFileAt: subject.file, migrations: migrations)
        // An empty file would become a new store: right for an app, but not for a file that was named by mistake.
        guard !plan.isFresh else { throw ContactsError.emptyFile(subject.file) }
        console.say(plan)
        console.say()
    }

    /// People as the release that wrote the store reads them; none when it is not known which one did.
    private func peopleBefore() throws -> [(key: String, words: String)] {
        guard let origin = subject.origin else { return [] }
        return try (0..<min(Self.shownPeople, origin.people)).compactMap { index in
            let key = SampleData.key(ofContactAt: index)
            return try origin.release.contact(forKey: key, in: subject.file).map { (key, $0) }
        }
    }

    private func sayPeople(in cache: CodableCache, before: [(key: String, words: String)]) throws {
        let keys = before.isEmpty ? Array(try cache.keys(of: Person.self).prefix(Self.shownPeople)) : before.map(\.key)
        for (index, key) in keys.enumerated() {
            guard let person = try cache.value(Person.self, forKey: key) else { continue }
            console.say(key)
            if index < before.count { console.say("  before  \(before[index].words)") }
            console.say("  \(before.isEmpty ? "today " : "after ")  \(try words(for: person))")
        }
    }
}
