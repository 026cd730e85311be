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

    @Test func `leaves the file and the backup when the backup is no better`() throws {
        try scenario.fill(1, count: 20_000)
        // The pages of records, behind what says what store it is.
        try overwrite(scenario.url, from: 8_192 * 100)
        let damaged = try Data(contentsOf: scenario.url)
        let error = #expect(throws: MigrationError.self) { try scenario.open(2) }
        #expect(error?.code == .storeFailed)
        #expect(error?.message.contains("could not be put back; it was kept") == true, "\(error?.message ?? "")")
        #expect(try Data(contentsOf: scenario.url) == damaged)
        #expect(try scenario.backups.count == 1)
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

    @Test func `The restoring that a failure for good asks for is there to be called`() throws {
        try scenario.fill(1)
        let before = try scenario.contents
        let store = CacheStore(at: scenario.url)
        var options = MigrationOptions()
        options.backup = BackupPolicy()
        let backup = UpgradeBackup(of: store, options)
        // Nothing was made: there is nothing to put back.
        let same = backup.restore(because: Refusal(), applying: {})
        #expect(same is Refusal)
        #expect(try scenario.contents == before)
    }
}

/// Writes over a part of a file without SQLite, through to its end.
private func overwrite(_ url: URL, from offset: Int) throws {
    // Not in this process, which would lose SQLite's locks when it closes the file.
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
    let command = "head -c \(size - offset) /dev/zero | tr '\\\\0' 'x' "
        + "| dd of='\(url.path)' bs=65536 seek=\(offset) oflag=seek_bytes conv=notrunc status=none"
    process.arguments = ["-c", command]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw TestFailure.expected }
}
