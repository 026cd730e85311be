import Foundation
import Testing

@testable import Molt

@Suite("The summary of an opening") struct SummaryTests {
    private static let records = [
        StoredRecord("Person", "grace@example.com", #"{"name":"Grace Hopper"}"#),
        StoredRecord("Person", "hedy@example.com", #"{"name":"Hedy Lamarr"}"#),
        StoredRecord("Person", "nobody@example.com", #"{"name":1}"#),
        StoredRecord("Draft", "draft", "1"),
    ]

    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "no-drafts", .deleteType("Draft")),
        Migration(to: 2, "split", .splitProperty("Person", "name", into: ["firstName", "lastName"])),
    ]

    private let monitor = MigrationMonitor()
    private let store: OldStore

    init() throws {
        store = try OldStore(Self.records)
    }

    private var configuration: CodableCache.Configuration {
        var configuration = CodableCache.Configuration()
        configuration.monitor = monitor
        configuration.appVersion = "4.0"
        return configuration
    }

    private func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    // MARK: Outcomes

    @Test func `says what an upgrade did, and nothing about its data`() async throws {
        #expect(monitor.summary == nil)
        let size = try #require(StoreFile(at: store.url).byteCount)
        #expect(size >= 8192)
        let report = try await store.upgrade(Self.migrations.onFailure(.quarantine()), configuration)
        let summary = try #require(monitor.summary)

        #expect(summary.counts == report.counts)
        #expect(summary.counts.quarantined == 1)
        #expect(summary.migrations.map(\.name) == ["no-drafts", "split"])
        #expect(summary.migrations.map(\.version) == [1, 2])
        #expect(summary.migrations.map(\.counts) == report.entries.map(\.counts))
        #expect(summary.migrationCount == 2)
        #expect(summary.duration + 0.001 >= report.duration)
        #expect(summary.storeSize == size)
        for word in ["Grace", "example", "Person", "Draft", "firstName", store.url.path, store.url.lastPathComponent] {
            #expect(try !encoded(summary).contains(word))
        }
    }

    @Test func `tells openings apart`() throws {
        let url = store.directory.file("new")
        func open(readsNewer: Bool = false) throws -> MigrationSummary {
            var configuration = configuration
            configuration.readsNewerStores = readsNewer
            try? CodableCache(at: url, migrations: Self.migrations, configuration: configuration).close()
            return try #require(monitor.summary)
        }
        _ = try CodableCache.dryRun(at: url, migrations: Self.migrations, configuration: configuration)
        for summary in [try #require(monitor.summary), try open()] {
            #expect(summary.outcome == .created)
            #expect(summary.storeSize == nil)
        }
        let again = try open()
        #expect(again.outcome == .upToDate)
        #expect(again.migrations == [])
        let newer = Migration(to: 3, "newer").readableByOlderReleases()
        try CodableCache(at: url, migrations: MigrationRegistry(Self.migrations.migrations + [newer])).close()
        let reading = try open(readsNewer: true)
        #expect(reading.outcome == .readOnly)
        #expect(reading.to == 3)
        let refused = try open()
        #expect(refused.outcome == .failed)
        #expect(refused.failure?.code == "superseded")
        #expect([refused.from, refused.to] == [3, 2])
    }

    @Test func `counts expired records and deferred migrations, and has no size of a store in memory`() async throws {
        let expired = StoredRecord("Draft", "old", "1", expiration: 1)
        let store = try OldStore([expired])
        let later = Migration(to: 2, "later", .settings(in: .standard) { _ in })
        var configuration = configuration
        configuration.role = .appExtension
        try await store.upgrade([Migration(to: 1, "first"), later], configuration)
        #expect(monitor.summary?.expired == 1)
        #expect(monitor.summary?.deferred == 1)
        try CodableCache(inMemory: Self.migrations, configuration: configuration).close()
        #expect(monitor.summary?.outcome == .created)
        #expect(monitor.summary?.storeSize == nil)
    }

    /// The length of a migration's name decides how much room is left in two kilobytes.
    @Test(arguments: TestRun.choose([8, 13, 18, 23], long: Array(8..<24)))
    func `says that an opening failed after the upgrade`(length: Int) throws {
        let monitor = MigrationMonitor { [url = store.url] event in
            guard case .finished = event else { return }
            #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) }
        }
        var configuration = configuration
        configuration.monitor = monitor
        let name = String(repeating: "n", count: length)
        let others = (2..<60).map { Migration(to: $0, "\(name)\($0)") }
        let migrations = MigrationRegistry([Migration(to: 1, "no-drafts", .deleteType("Draft"))] + others)
        #expect(throws: (any Error).self) {
            try CodableCache(at: store.url, migrations: migrations, configuration: configuration)
        }
        let summary = try #require(monitor.summary)
        #expect(summary.outcome == .failed)
        #expect(summary.failure?.isCommitted == true)
        #expect(summary.counts.dropped == 1)
        #expect(summary.migrationCount == 59)
        #expect(try encoded(summary).utf8.count <= 2048)
    }

    @Test func `counts migrations on read`() async throws {
        try await store.upgrade([Self.migrations.migrations[1].onRead()], configuration)
        #expect(monitor.summary?.onRead == 1)
        #expect(monitor.summary?.migrations.map(\.outcome) == [.onRead])
    }

    @Test func `names the migration and the step that failed, and not the record`() async throws {
        await #expect(throws: MoltError.self) { try await store.upgrade(Self.migrations, configuration) }
        let summary = try #require(monitor.summary)
        #expect(summary.outcome == .failed)
        let failure = #"{"code":"typeMismatch","isCommitted":false,"migration":"split","step":1,"version":2}"#
        #expect(try encoded(summary.failure) == failure)
        #expect(summary.from == 0)
        #expect(summary.to == 2)
        #expect(try !encoded(summary).contains("nobody"))
        // The next opening starts again.
        let twice: MigrationRegistry = [Migration(to: 1, "same"), Migration(to: 2, "same")]
        #expect(throws: MoltError.self) {
            try CodableCache(at: store.url, migrations: twice, configuration: configuration)
        }
        #expect(monitor.summary?.failure?.code == "invalidRegistry")
        #expect(monitor.summary?.failure?.migration == nil)
    }

    @Test func `names the type of an error of the app, and has the number of an error of SQLite`() async throws {
        struct Patient {}
        struct PrivateError<Subject>: Error { var name = "Grace" }
        let throwing = registry(.transform("Person") { _ in throw PrivateError<Patient>() })
        await #expect(throws: MoltError.self) { try await store.upgrade(throwing, configuration) }
        #expect(monitor.summary?.failure?.code == "stepFailed")
        #expect(monitor.summary?.failure?.cause == "PrivateError")

        var limited = configuration
        limited.hooks.pageLimit = 1
        let text = RecordValue.string(String(repeating: "x", count: 50_000))
        await #expect(throws: (any Error).self) {
            try await store.upgrade(registry(.addProperty("Person", "text", default: text)), limited)
        }
        #expect(monitor.summary?.failure?.code == "storeFailed")
        #expect(monitor.summary?.failure?.cause == "SQLiteError 13")
    }

    @Test func `has the code of a file that is no store`() throws {
        let file = store.directory.file("text")
        try Data(repeating: 65, count: 10_000).write(to: file)
        for readsNewer in [false, true] {
            var configuration = configuration
            configuration.readsNewerStores = readsNewer
            #expect(throws: MoltError.self) {
                try CodableCache(at: file, migrations: Self.migrations, configuration: configuration)
            }
            #expect(monitor.summary?.failure?.code == "notADatabase")
            #expect(monitor.summary?.from == nil)
        }
    }

    #if CHILD_PROCESSES
        @Test func `counts the attempts that were cut off before`() async throws {
            for version in ["3.9", "4.0"] {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [url = store.url as URL, version = version as String] in
                    let crashing = MigrationStep.transform("Person") { _ in raise(SIGKILL) }
                    let configuration = CodableCache.Configuration { $0.appVersion = version }
                    _ = try CodableCache(at: url, migrations: registry(crashing), configuration: configuration)
                }
            }
            var limited = configuration
            limited.hooks.attemptLimit = 1
            await #expect(throws: MoltError.self) { try await store.upgrade(registry(.deleteType("Draft")), limited) }
            #expect(monitor.summary?.failure?.code == "attemptsFailed")
            #expect(monitor.summary?.interruptions == 2)
            try await store.upgrade(registry(.deleteType("Draft")), configuration)
            #expect(monitor.summary?.outcome == .upgraded)
            #expect(monitor.summary?.interruptions == 2)
        }

        @Test(arguments: [false, true])
        func `counts an attempt that was cut off before its last change`(isComplete: Bool) async throws {
            // An earlier attempt was cut off when it was complete.
            try await store.upgrade([Migration(to: 1, "first")])
            let earlier = UpgradeAttempt(
                startedAt: .now,
                from: 0,
                to: 1,
                appVersion: "4.0",
                processName: "app",
                processID: 1
            )
            try JSONEncoder().encode(earlier).write(to: URL(fileURLWithPath: store.url.path + "-attempt"))
            let notebook = try Notebook()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    url = store.url as URL, name = notebook.suite.domainName as String, isComplete = isComplete as Bool
                ] in
                var configuration = CodableCache.Configuration()
                configuration.hooks.atPoint = { point in
                    if point.kind == .afterCommit, point.subject.contains("journal") == isComplete { raise(SIGKILL) }
                }
                let migrations = Self.noting(in: try Notebook(named: name))
                _ = try CodableCache(at: url, migrations: migrations, configuration: configuration)
            }
            let migrations = Self.noting(in: notebook)
            try await store.upgrade(migrations, configuration)
            #expect(monitor.summary?.outcome == (isComplete ? .upToDate : .finished))
            #expect(monitor.summary?.interruptions == (isComplete ? 0 : 1))
            #expect(try notebook.lines == ["new"])
            let next = Migration(to: 3, "next", .deleteType("Draft"))
            try await store.upgrade(MigrationRegistry(migrations.migrations + [next]), configuration)
            #expect(monitor.summary?.outcome == .upgraded)
            #expect(monitor.summary?.interruptions == 0)
        }

        private static func noting(in notebook: Notebook) -> MigrationRegistry {
            [Migration(to: 1, "first"), notebook.adding("new", to: 2)]
        }
    #endif

    @Test func `says that an opening made the changes outside the store that were left`() async throws {
        let notebook = try Notebook()
        let migrations: MigrationRegistry = [notebook.adding("new")]
        var refusing = configuration
        refusing.hooks.atPoint = notebook.refusing
        await #expect(throws: MoltError.self) { try await store.upgrade(migrations, refusing) }
        #expect(monitor.summary?.failure?.code == "attachedStoreFailed")
        #expect(monitor.summary?.failure?.isCommitted == true)
        try await store.upgrade(migrations, configuration)
        #expect(monitor.summary?.outcome == .finished)
        #expect(try notebook.lines == ["new"])
        try await store.upgrade(migrations, configuration)
        #expect(monitor.summary?.outcome == .upToDate)
    }

    // MARK: The encoded form

    @Test func `has a stable form`() throws {
        let cache = try CodableCache(
            at: store.url,
            migrations: [Migration(to: 1, "no-drafts", .deleteType("Draft"))],
            configuration: configuration
        )
        cache.close()
        var summary = try #require(monitor.summary)
        summary.duration = 1.25
        summary.storeSize = 4096
        summary.migrations[0].duration = 1.125
        #expect(summary.moltVersion == MoltRelease.version)
        summary.moltVersion = "0.1.0"
        summary.settings = ["converted": 3]
        let counts = #"{"changed":0,"created":0,"dropped":1,"quarantined":0,"read":0}"#
        let text = """
            {"appVersion":"4.0","counts":\(counts),"deferred":0,"duration":1.25,"expired":0,"format":1,"from":0,\
            "interruptions":0,"isDryRun":false,"migrationCount":1,"migrations":[{"counts":\(counts),\
            "duration":1.125,"name":"no-drafts","outcome":"ran","version":1}],"moltVersion":"0.1.0","onRead":0,\
            "outcome":"upgraded","settings":{"converted":3},"storeSize":4096,"to":1}
            """
        #expect(try encoded(summary) == text)
        #expect("\(summary)" == text)

        let failed = text.replacing(
            #""format":1"#,
            with:
                #""failure":{"cause":"d","code":"c","isCommitted":true,"migration":"m","step":2,"version":1},"format":1"#
        )
        #expect(try encoded(JSONDecoder().decode(MigrationSummary.self, from: Data(failed.utf8))) == failed)
        // A later release adds members.
        let later = text.replacing(#""format":1"#, with: #""format":1,"new":{"a":1}"#)
        #expect(try JSONDecoder().decode(MigrationSummary.self, from: Data(later.utf8)) == summary)
    }

    @Test(arguments: ["migration", "\u{1}", "\"/\\", "🧑🏽‍🚀", ""])
    func `fits into two kilobytes`(name: String) async throws {
        let long = String(repeating: name, count: 300)
        let migrations = MigrationRegistry(
            (1...60).map { Migration(to: $0, "\($0)" + long, .transform("Person") { $0["x"] = 1 }) }
        )
        var configuration = configuration
        configuration.appVersion = long
        try await store.upgrade(migrations, configuration)
        var summary = try #require(monitor.summary)
        #expect(summary.migrationCount == 60)
        #expect((1..<60).contains(summary.migrations.count))
        #expect(summary.migrations.map(\.version) == summary.migrations.map(\.version).sorted())
        #expect(try encoded(summary).utf8.count <= 2048)

        let failing = MigrationRegistry(
            migrations.migrations + [
                Migration(to: 61, "61" + long, .transform("Person") { _ in throw NSError(domain: long, code: .min) })
            ]
        )
        await #expect(throws: MoltError.self) { try await store.upgrade(failing, configuration) }
        summary = try #require(monitor.summary)
        #expect(summary.failure?.migration?.hasPrefix("61") == true)
        #expect(try encoded(summary).utf8.count <= 2048)
    }
}
