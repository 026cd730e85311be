import Foundation
import Molt
import Testing

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

    private var configuration: MoltConfiguration {
        .init {
            $0.monitor = monitor
            $0.appVersion = "4.0"
        }
    }

    /// Expects this outcome of the last opening, which has committed nothing if it failed, and returns the summary.
    @discardableResult
    private func expect(
        _ outcome: MigrationSummary.Outcome,
        failure: String? = nil,
        cause: String? = nil,
        interruptions: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> MigrationSummary {
        let summary = try #require(monitor.summary, sourceLocation: sourceLocation)
        #expect(summary.outcome == outcome, sourceLocation: sourceLocation)
        #expect(summary.failure?.code == failure, sourceLocation: sourceLocation)
        if let cause { #expect(summary.failure?.cause == cause, sourceLocation: sourceLocation) }
        #expect(summary.failure?.isCommitted != true, sourceLocation: sourceLocation)
        #expect(summary.interruptions == interruptions, sourceLocation: sourceLocation)
        return summary
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
        let summary = try expect(.upgraded)

        #expect(summary.counts == report.counts)
        #expect(summary.counts.quarantined == 1)
        let migrations = summary.migrations.map { "\($0.name) \($0.version): \($0.counts)" }
        let expected = report.entries.map { "\($0.migration.name) \($0.migration.version): \($0.counts)" }
        #expect(migrations == expected)
        #expect(summary.migrationCount == 2)
        #expect(summary.duration + 0.001 >= report.duration)
        #expect(summary.storeSize == size)
        let text = try encoded(summary)
        for word in ["Grace", "example", "Person", "Draft", "firstName", store.url.path, store.url.lastPathComponent] {
            #expect(!text.contains(word))
        }
    }

    @Test func `tells openings apart`() throws {
        let url = store.directory.file("new")
        func open() {
            try? CodableCache(at: url, migrations: Self.migrations, configuration: configuration).close()
        }
        _ = try CacheFile(at: url).dryRunAndWait(Self.migrations, configuration: configuration)
        #expect(try expect(.created).storeSize == nil)
        open()
        #expect(try expect(.created).storeSize == nil)
        open()
        #expect(try expect(.upToDate).migrations == [])
        let newer = Migration(to: 3, "newer").olderReleases(may: .read)
        try CodableCache(at: url, migrations: MigrationRegistry(Self.migrations.migrations + [newer])).close()
        try CodableCache(reading: url, migrations: Self.migrations, configuration: configuration).close()
        #expect(try expect(.readOnly).to == 3)
        open()
        let refused = try expect(.failed, failure: "superseded")
        #expect([refused.from, refused.to] == [3, 2])
        try CodableCache(inMemory: Self.migrations, configuration: configuration).close()
        #expect(try expect(.created).storeSize == nil)
    }

    @Test func `counts expired records, and migrations that are deferred or on read`() async throws {
        let other = try OldStore([StoredRecord("Draft", "old", "1", expiration: 1)])
        let later = Migration(to: 2, "later", .changeSettings(in: .standard) { _ in })
        var extensions = configuration
        extensions.process = .tool
        try await other.upgrade([Migration(to: 1, "first", .deleteType("Note")), later], extensions)
        var summary = try expect(.upgraded)
        #expect(summary.expired == 1)
        #expect(summary.deferred == 1)

        try await store.upgrade([Self.migrations.migrations[1].onRead()], configuration)
        summary = try expect(.upgraded)
        #expect(summary.onRead == 1)
        #expect(summary.migrations.first?.outcome == .onRead)
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

    @Test func `names the migration and the step that failed, and not the record`() async throws {
        await #expect(throws: MoltError.self) { try await store.upgrade(Self.migrations, configuration) }
        let summary = try expect(.failed, failure: "typeMismatch")
        let failure = #"{"code":"typeMismatch","isCommitted":false,"migration":"split","step":1,"version":2}"#
        #expect(try encoded(summary.failure) == failure)
        #expect([summary.from, summary.to] == [0, 2])
        #expect(!"\(summary)".contains("nobody"))
        // The next opening starts again.
        let twice: MigrationRegistry = [Migration(to: 1, "same"), Migration(to: 2, "same")]
        MoltError.thrown { try CodableCache(at: store.url, migrations: twice, configuration: configuration) }
        let next = try expect(.failed, failure: "invalidRegistry")
        #expect(next.failure?.migration == nil)
    }

    @Test func `names the type of an error of the app, and has the number of an error of SQLite`() async throws {
        struct Patient {}
        struct PrivateError<Subject>: Error { var name = "Grace" }
        let throwing = registry(.transform("Person") { _ in throw PrivateError<Patient>() })
        await #expect(throws: MoltError.self) { try await store.upgrade(throwing, configuration) }
        try expect(.failed, failure: "stepFailed", cause: "PrivateError")

        var limited = configuration
        limited.hooks.pageLimit = 1
        let text = RecordValue.string(String(repeating: "x", count: 50_000))
        await #expect(throws: (any Error).self) {
            try await store.upgrade(registry(.addProperty("Person", "text", default: text)), limited)
        }
        try expect(.failed, failure: "storeFailed", cause: "SQLiteError 13")
    }

    @Test func `has the code of a file that is no store`() throws {
        let file = store.directory.file("text")
        try Data(repeating: 65, count: 10_000).write(to: file)
        MoltError.thrown { try CodableCache(at: file, migrations: Self.migrations, configuration: configuration) }
        #expect(try expect(.failed, failure: "notADatabase").from == nil)
        MoltError.thrown { try CodableCache(reading: file, migrations: Self.migrations, configuration: configuration) }
        #expect(try expect(.failed, failure: "notADatabase").from == nil)
    }

    #if CHILD_PROCESSES
        @Test func `counts the attempts that were cut off before`() async throws {
            for version in ["3.9", "4.0"] {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [url = store.url as URL, version = version as String] in
                    let crashing = MigrationStep.transform("Person") { _ in raise(SIGKILL) }
                    let configuration = MoltConfiguration { $0.appVersion = version }
                    _ = try CodableCache(at: url, migrations: registry(crashing), configuration: configuration)
                }
            }
            var limited = configuration
            limited.hooks.attemptLimit = 1
            await #expect(throws: MoltError.self) { try await store.upgrade(registry(.deleteType("Draft")), limited) }
            try expect(.failed, failure: "attemptsFailed", interruptions: 2)
            try await store.upgrade(registry(.deleteType("Draft")), configuration)
            try expect(.upgraded, interruptions: 2)
        }

        @Test(arguments: [false, true])
        func `counts an attempt that was cut off before its last change`(isComplete: Bool) async throws {
            // An earlier attempt was cut off when it was complete.
            try await store.upgrade([Migration(to: 1, "first")])
            var earlier = UpgradeAttempt(from: 0, to: 1, appVersion: "4.0", build: AppBuild.current)
            earlier.processID = 1
            try JSONEncoder().encode(earlier).write(to: URL(fileURLWithPath: store.url.path + "-attempt"))
            let notebook = try Notebook()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    url = store.url as URL, name = notebook.suite.domainName as String, isComplete = isComplete as Bool
                ] in
                var configuration = MoltConfiguration()
                configuration.hooks.atPoint = { point in
                    if point.kind == .afterCommit, point.subject.contains("journal") == isComplete { raise(SIGKILL) }
                }
                let migrations = Self.noting(in: try Notebook(named: name))
                _ = try CodableCache(at: url, migrations: migrations, configuration: configuration)
            }
            let migrations = Self.noting(in: notebook)
            try await store.upgrade(migrations, configuration)
            try expect(isComplete ? .upToDate : .finished, interruptions: isComplete ? 0 : 1)
            #expect(try notebook.lines == ["new"])
            let next = Migration(to: 3, "next", .deleteType("Draft"))
            try await store.upgrade(MigrationRegistry(migrations.migrations + [next]), configuration)
            try expect(.upgraded)
        }

        private static func noting(in notebook: Notebook) -> MigrationRegistry {
            [Migration(to: 1, "first"), notebook.adding("new", to: 2)]
        }
    #endif

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
        let counts = #"{"changed":0,"created":0,"dropped":1,"handedOver":0,"quarantined":0,"read":0}"#
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
        // A member that an earlier release did not know.
        let earlier = text.replacing(#""handedOver":0,"#, with: "")
        #expect(try JSONDecoder().decode(MigrationSummary.self, from: Data(earlier.utf8)) == summary)
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
        let versions = summary.migrations.map(\.version)
        #expect(versions == versions.sorted())
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
