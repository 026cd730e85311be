import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite("A step that fetches records")
struct FetchRecordsTests {
    private let directory: ScratchDirectory
    private var url: URL { directory.file() }
    private let log = Log<String>()

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Gives a number of records, and waits for another task before each.
    private func step(_ count: Int, failing isFailing: Bool = false) -> MigrationStep {
        .fetchRecords("from the server", as: "Person") { [log] records in
            log.append("fetched")
            records.expectedCount = count
            for number in 0..<count {
                await Task.yield()
                let expiration = Date(timeIntervalSince1970: 4e9)
                try records.add(["name": "\(number)"], forKey: "\(number)", expiration: expiration)
            }
            if isFailing { throw Refusal(value: "secret") }
        }
    }

    private func importing(_ count: Int, failing isFailing: Bool = false) -> Migration {
        Migration(to: 1, "import", step(count, failing: isFailing))
    }

    private func failure(
        _ step: MigrationStep,
        _ configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> MoltError {
        let error = await #expect(throws: MoltError.self) {
            let migrations: MigrationRegistry = [Migration(to: 1, "import", step)]
            try await CodableCache.open(at: url, migrations: migrations, configuration: configuration).close()
        }
        return try #require(error)
    }

    @Test func `is called before the upgrade, once, and its records go through later migrations`() async throws {
        let later = Migration(to: 2, "name", .renameProperty("Person", "name", to: "fullName"))
        let migrations: MigrationRegistry = [importing(600), later]
        let cache = try await CodableCache.open(at: url, migrations: migrations)
        #expect(cache.report.entries[0].counts.created == 600)
        cache.close()
        let snapshot = try Snapshot(of: url)
        #expect(snapshot.texts["599"] == #"{"fullName":"599"}"# && snapshot["7"]?.expiration == 4e9)
        try await CodableCache.open(at: url, migrations: migrations).close()
        #expect(log.all == ["fetched"])
    }

    @Test func `may be used by several tasks at once`() async throws {
        let step = MigrationStep.fetchRecords("from the server", as: "Note") { records in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<4 {
                    group.addTask { for number in 0..<50 { try records.add(number, forKey: "\(part)-\(number)") } }
                }
                try await group.waitForAll()
            }
        }
        let cache = try await CodableCache.open(at: url, migrations: [Migration(to: 1, "import", step)])
        #expect(try cache.count() == 200)
    }

    @Test func `keeps JSON text byte for byte, and merges by its policy`() async throws {
        let old = Migration(to: 1, "old", .run(onFreshStore: true) { try $0.create("Note", forKey: "a", [:]) })
        let step = MigrationStep.fetchRecords("from the server", as: "Note", onConflict: .keep) { records in
            try records.add(json: Data(#"{"n":1.10}"#.utf8), forKey: "a")
            try records.add(json: Data(#"{"n":1.10}"#.utf8), forKey: "b")
            try records.add(["n": 2], forKey: "b")
            try records.add(Data([1]), forKey: "raw")
        }
        let migrations: MigrationRegistry = [old, Migration(to: 2, "import", step)]
        try await CodableCache.open(at: url, migrations: migrations).close()
        let snapshot = try Snapshot(of: url)
        #expect(snapshot.texts["a"] == "{}" && snapshot.texts["b"] == #"{"n":1.10}"#)
        #expect(snapshot["raw"]?.isData == true)
    }

    @Test func `has its source removed once all records are in the store`() async throws {
        let migration = importing(2).removingSource("the account") { [log] in log.append("removed") }
        let cache = try await CodableCache.open(at: url, migrations: [migration])
        #expect(cache.report.work.map(\.problem) == [nil] && log.all == ["fetched", "removed"])
    }

    @Test func `keeps its source if the closure goes on without a record`() async throws {
        let step = MigrationStep.fetchRecords("from the server", as: "Person") { records in
            try? records.add(Double.nan, forKey: "a")
            try records.add(1, forKey: "b")
        }
        let migration = Migration(to: 1, "import", step).removingSource("the account") { [log] in log.append("removed")
        }
        let cache = try await CodableCache.open(at: url, migrations: [migration])
        #expect(try cache.count() == 1 && cache.report.work[0].problem != nil && log.all.isEmpty)
    }

    @Test func `is called again if a build that is not shipped has changed its migration`() async throws {
        let configuration = MoltConfiguration { $0.redoesUnshippedMigrations = true }
        let other = MigrationStep.fetchRecords("from the server", as: "Person", revision: 2) { [log] records in
            log.append("fetched again")
            try records.add(1, forKey: "other")
        }
        for step in [step(1), other] {
            let migrations: MigrationRegistry = [Migration(to: 1, "import", step)]
            try await CodableCache.open(at: url, migrations: migrations, configuration: configuration).close()
        }
        #expect(try Snapshot(of: url).records.map(\.key) == ["other"] && log.all == ["fetched", "fetched again"])
    }

    @Test func `runs in a dry run, for each store of a directory, and in the testing kit`() async throws {
        try CodableCache(at: url, migrations: []).close()
        let migrations: MigrationRegistry = [importing(3)]
        let report = try await CacheFile(at: url).dryRun(migrations)
        #expect(report.entries[0].counts.created == 3)
        #expect(try Snapshot(of: url).texts.isEmpty)
        let fixture = StoreFixture(version: 0)
        let store = try TemporaryStore(fixture)
        try await store.upgrade(through: migrations)
        #expect(try store.contents().records.count == 3)
        try await fixture.verifyUpgrades(through: migrations, types: [.type([String: String].self, named: "Person")])
        try await CacheFile.upgradeAll(in: directory.url, migrations: migrations)
        #expect(try Snapshot(of: url).texts.count == 3)
        #expect(log.all == Array(repeating: "fetched", count: 4))
    }

    // MARK: Failures

    @Test func `leaves the store as it was if the source fails or gives another number of records`() async throws {
        try await failure(step(3, failing: true)).expect(.stepFailed, migration: "import", step: 1, refusal: "secret")
        #expect(!FileManager.default.fileExists(atPath: url.path))
        let short = MigrationStep.fetchRecords("from the server", as: "Person") { $0.expectedCount = 1 }
        try await failure(short).expect(.stepFailed, migration: "import", step: 1, says: "should give 1 record")
        let unnamed = MigrationStep.fetchRecords("from the server", as: "Person") { try $0.add(1, forKey: "") }
        try await failure(unnamed).expect(.cannotStore, migration: "import", step: 1, says: "after 0 others")
    }

    @Test func `is refused by an opening that cannot wait`() throws {
        let error = MoltError.thrown { try CodableCache(at: url, migrations: [importing(1)]) }
        error?.expect(.unsupported, migration: "import", step: 1, says: "await CodableCache.open")
        #expect(log.all.isEmpty)
    }

    @Test func `is not called in a process that leaves upgrades to another one`() async throws {
        let error = try await failure(step(1), .init { $0.process = .helper() })
        #expect(error.code == .needsMigration && log.all.isEmpty)
    }

    @Test func `ends with the task of the opening`() async throws {
        let step = MigrationStep.fetchRecords("from the server", as: "Person") { [log] records in
            log.append("fetched")
            try await Task.sleep(for: .seconds(600))
        }
        let task = Task { try await failure(step).code }
        while log.all.isEmpty { await Task.yield() }
        task.cancel()
        #expect(try await task.value == .cancelled)
    }

    @Test func `ends at the deadline of the opening`() async throws {
        let step = MigrationStep.fetchRecords("from the server", as: "Person") { _ in
            try await Task.sleep(for: .seconds(600))
        }
        let error = try await failure(step, .init { $0.deadline = .now + .milliseconds(1) })
        #expect(error.code == .deadlinePassed && error.outcome == .unchanged)
    }

    @Test func `takes no record after its closure has returned`() async throws {
        let kept = Log<FetchedRecords>()
        let step = MigrationStep.fetchRecords("from the server", as: "Person") { kept.append($0) }
        try await CodableCache.open(at: url, migrations: [Migration(to: 1, "import", step)]).close()
        MoltError.thrown { try kept.all[0].add(1, forKey: "a") }?.expect(.closed)
    }
}
