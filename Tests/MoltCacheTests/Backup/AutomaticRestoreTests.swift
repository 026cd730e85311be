import Foundation
import Molt
import MoltCore
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct `An upgrade that fails so that no transaction can undo it` {
    let scenario: BackupScenario

    init() throws {
        scenario = try BackupScenario()
    }

    /// Destroys a part of the file, as a failing disk does, once the steps have begun, and has them read all of it.
    private func damaging(_ events: Log<String>) -> CodableCache.Configuration {
        let url = scenario.url
        return BackupScenario.configuration { configuration in
            configuration.monitor = MigrationMonitor { event in
                if case .restored(let backup) = event { events.append("restored \(backup.schemaVersion)") }
                if case .failed = event { events.append("failed") }
            }
            configuration.atPoint = { point in
                guard point.kind == .beforeSteps else { return }
                try overwrite(url, from: 8_192 * 2)
            }
        }
    }

    @Test func `is undone with the backup, and the error says so`() throws {
        try scenario.fill(1, count: 20_000)
        let before = try scenario.contents
        let events = Log<String>()
        let error = #expect(throws: MigrationError.self) { try scenario.open(2, damaging(events)) }
        #expect(error?.code == .storeFailed)
        #expect(error?.message.contains("was restored from the backup made before") == true, "\(error?.message ?? "")")
        #expect(events.all == ["restored 1", "failed"])
        #expect(try scenario.contents == before)
        #expect(try CacheStore.damage(at: scenario.url) == [])
        // The backup stays, and so does what is left of the file.
        #expect(try scenario.backups.count == 1)
        #expect(try scenario.otherNames().count { $0.hasSuffix(".damaged") } == 1)
        let cache = try scenario.open(2)
        #expect(try cache.count() == 20_000)
    }

    @Test func `is not undone without a backup`() throws {
        try scenario.fill(1, count: 20_000)
        var configuration = damaging(Log())
        configuration.backup = nil
        let error = #expect(throws: MigrationError.self) { try scenario.open(2, configuration) }
        #expect(error?.message.contains("restored") == false)
        #expect(try CacheStore.damage(at: scenario.url) != [])
    }

    @Test func `that is of a damaged store is not begun`() throws {
        try scenario.fill(1, count: 20_000)
        // The pages of records, behind what says what store it is.
        try overwrite(scenario.url, from: 8_192 * 100)
        let damaged = try Data(contentsOf: scenario.url)
        let error = #expect(throws: MigrationError.self) { try scenario.open(2) }
        #expect(error?.code == .backupFailed)
        #expect(error?.message.contains("The file is damaged") == true)
        #expect(try Data(contentsOf: scenario.url) == damaged)
        #expect(try scenario.otherNames() == [])
    }

    @Test func `leaves the file and the backup when the backup is no better`() throws {
        try scenario.fill(1, count: 20_000)
        var configuration = damaging(Log())
        let (url, damage) = (scenario.url, try #require(configuration.atPoint))
        configuration.atPoint = { point in
            try damage(point)
            guard point.kind == .afterBackup else { return }
            try overwrite(try #require(try CodableCache.backups(at: url).first).url, from: 8_192 * 100)
        }
        let error = #expect(throws: MigrationError.self) { try scenario.open(2, configuration) }
        #expect(error?.code == .storeFailed)
        #expect(error?.message.contains("could not be put back; it was kept") == true, "\(error?.message ?? "")")
        #expect(try CacheStore.damage(at: scenario.url) != [])
        #expect(try scenario.backups.count == 1)
        #expect(try scenario.otherNames().count == 1)
    }

    @Test func `but has committed is not touched`() throws {
        try scenario.fill(1)
        struct Late: Error {}
        let configuration = BackupScenario.configuration { configuration in
            configuration.atPoint = { if $0.kind == .afterCommit { throw Late() } }
        }
        #expect(throws: Late.self) { try scenario.open(2, configuration) }
        #expect(try scenario.contents.version == 2)
        #expect(try scenario.backups.map(\.schemaVersion) == [1])
    }

    // MARK: Migrations that commit in batches

    /// Commits batches of 10 records, and fails at one further on.
    private func batched(_ failure: @escaping @Sendable () throws -> Void) -> MigrationRegistry {
        let step = MigrationStep.transform("Person") { person in
            if person.key == "55" { try failure() }
            person["batched"] = .bool(true)
        }
        return MigrationRegistry(
            BackupScenario.registry(1).migrations
                + [Migration(to: 2, "batched", step).committingInBatches(of: 10)]
        )
    }

    @Test func `because batches were committed before one failed for good is undone with the backup`() throws {
        try scenario.fill(1, count: 100)
        let before = try scenario.contents
        let error = #expect(throws: MigrationError.self) {
            try CodableCache(
                at: scenario.url,
                migrations: batched { throw Refusal() },
                configuration: BackupScenario.configuration { $0.batchSize = 10 }
            )
        }
        #expect(error?.code == .stepFailed)
        #expect(error?.message.contains("was restored from the backup made before") == true, "\(error?.message ?? "")")
        #expect(try scenario.contents == before)
        #expect(try scenario.backups.map(\.schemaVersion) == [1])
        // An older release opens it.
        #expect(try scenario.open(1).count() == 100)
        // And a fixed one upgrades it.
        let cache = try CodableCache(
            at: scenario.url,
            migrations: batched {},
            configuration: BackupScenario.configuration()
        )
        #expect(cache.report.entries.map(\.counts.changed) == [100])
    }

    @Test func `because it was cancelled between batches is not undone, but goes on later`() throws {
        try scenario.fill(1, count: 100)
        var configuration = BackupScenario.configuration { $0.batchSize = 10 }
        let monitor = MigrationMonitor()
        configuration.monitor = monitor
        let error = #expect(throws: MigrationError.self) {
            try CodableCache(
                at: scenario.url,
                migrations: batched { monitor.progress.cancel() },
                configuration: configuration
            )
        }
        #expect(error?.code == .cancelled)
        let state = try CacheStore.state(at: scenario.url)
        #expect(state.unfinished != nil)
        let refusal = #expect(throws: MigrationError.self) { try CodableCache.backUp(at: scenario.url) }
        #expect(refusal?.code == .backupFailed)
        let cache = try CodableCache(
            at: scenario.url,
            migrations: batched {},
            configuration: BackupScenario.configuration()
        )
        #expect(try cache.count() == 100)
        // The one that was made before the first batch: what was half done is no state to go back to.
        #expect(try scenario.backups.map(\.schemaVersion) == [1])
        #expect(try CacheStore.state(at: try #require(try scenario.backups.first).url).unfinished == nil)
    }

    /// Neither the version nor the ledger shows that batches were committed.
    @Test func `because it was cancelled between batches of the store's own version keeps the backup`() throws {
        try scenario.fill(1, count: 100)
        let before = try scenario.contents
        let monitor = MigrationMonitor()
        let step = MigrationStep.transform("Person") { person in
            if person.key == "55" { monitor.progress.cancel() }
            person["batched"] = .bool(true)
        }
        let late = Migration(to: 1, "late", step).committingInBatches(of: 10)
        var configuration = BackupScenario.configuration { $0.batchSize = 10 }
        configuration.monitor = monitor
        let error = #expect(throws: MigrationError.self) {
            try CodableCache(
                at: scenario.url,
                migrations: MigrationRegistry(BackupScenario.registry(1).migrations + [late]),
                configuration: configuration
            )
        }
        #expect(error?.code == .cancelled)
        #expect(try scenario.contents != before)
        let state = try CacheStore.state(at: scenario.url)
        #expect(state.version == 1 && state.unfinished != nil)
        let backup = try #require(try scenario.backups.first)
        #expect(try CacheStore.contents(at: backup.url) == before)
    }
}

/// Writes over a part of a file without SQLite, through to its end.
private func overwrite(_ url: URL, from offset: Int) throws {
    // Not in this process, which would lose SQLite's locks when it closes the file.
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
    let command =
        "head -c \(size - offset) /dev/zero | tr '\\\\0' 'x' "
        + "| dd of='\(url.path)' bs=65536 seek=\(offset) oflag=seek_bytes conv=notrunc status=none"
    process.arguments = ["-c", command]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw TestFailure.expected }
}
