import Foundation
import Molt
import TestSupport
import Testing

@Suite("A step that imports records")
struct ImportRecordsTests {
    private let directory: ScratchDirectory
    private var url: URL { directory.file() }
    private let log = Log<String>()

    init() throws {
        directory = try ScratchDirectory()
    }

    private func step(
        onConflict policy: ConflictPolicy<Record> = .fail,
        _ body: @escaping @Sendable (ImportedRecords) throws -> Void
    ) -> MigrationStep {
        .importRecords("from elsewhere", as: "Person", onConflict: policy, body)
    }

    private static func add(_ keys: String..., to records: ImportedRecords) throws {
        for key in keys { try records.add(json: Data(#"{"name":"\#(key)"}"#.utf8), forKey: key) }
    }

    private func open(_ migrations: Migration...) throws -> MigrationReport {
        let cache = try CodableCache(at: url, migrations: MigrationRegistry(migrations))
        defer { cache.close() }
        return cache.report
    }

    /// The error of an opening, which leaves no record behind.
    private func failure(_ step: MigrationStep, sourceLocation: SourceLocation = #_sourceLocation) throws -> MoltError {
        let error = MoltError.thrown(sourceLocation: sourceLocation) { try open(Migration(to: 1, "import", step)) }
        #expect((try? Snapshot(of: url).records.isEmpty) ?? true)
        return try #require(error, sourceLocation: sourceLocation)
    }

    private var texts: [String: String] { get throws { try Snapshot(of: url).texts } }

    // MARK: Records

    @Test func `adds values of all kinds in batches, in the form of its version, and later migrations go on`() throws {
        struct PersonV1: Codable { var fullName: String }
        let step = step { records in
            for number in 0..<1_300 { try records.add(PersonV1(fullName: "P \(number)"), forKey: "\(number)") }
            try records.add(["fullName": "value"], forKey: "value", expiration: Date(timeIntervalSince1970: 4e9))
            try records.add(json: Data(#"{ "fullName":"text","n":1.10 }"#.utf8), forKey: "text")
            #expect(records.count == 1_302)
        }
        let splitting = MigrationStep.renameProperty("Person", "fullName", to: "name")
        let report = try open(Migration(to: 1, "import", step), Migration(to: 2, "name", splitting))
        let snapshot = try Snapshot(of: url)
        #expect(snapshot.records.count == 1_302)
        #expect(
            snapshot.texts["1299"] == #"{"name":"P 1299"}"# && snapshot.texts["text"] == #"{ "name":"text","n":1.10 }"#
        )
        #expect(snapshot["value"]?.expiration == 4e9)
        #expect(report.entries[0].counts.created == 1_302 && report.entries[0].counts.read == 1_302)
        #expect(try open(Migration(to: 1, "import", step), Migration(to: 2, "name", splitting)).entries.isEmpty)
    }

    @Test func `adds raw data`() throws {
        let importing = step(onConflict: .replace) { records in
            try Self.add("replaced", to: records)
            for key in ["raw", "replaced"] { try records.add(Data([0xFF, 2]), forKey: key) }
        }
        _ = try open(Migration(to: 1, "import", importing))
        let snapshot = try Snapshot(of: url)
        for key in ["raw", "replaced"] {
            #expect(snapshot[key]?.isData == true && snapshot[key]?.content == [0xFF, 2])
        }
    }

    @Test func `leaves nothing behind if the source throws, or gives another number of records than it should`() throws
    {
        let throwing = step { records in
            for number in 0..<1_000 { try Self.add("\(number)", to: records) }
            throw Refusal(value: "secret")
        }
        try failure(throwing).expect(.stepFailed, migration: "import", refusal: "secret")
        for (expected, says) in [
            (3, "should give 3 records, and has given 2"), (1, "should give 1 record, and has given 2"),
        ] {
            // The source ends early, or was written meanwhile.
            let counted = step { records in
                records.expectedCount = expected
                try Self.add("a", "b", to: records)
            }
            try failure(counted).expect(.stepFailed, says: says)
        }
        try failure(step { try Self.add("", to: $0) }).expect(.cannotStore, says: "an empty key, after 0 others")
        try failure(step { try $0.add(json: Data("{".utf8), forKey: "a") }).expect(.malformedContent, key: "a")
        try failure(step { try $0.add([Double.nan], forKey: "a") }).expect(.typeMismatch, key: "a")
    }

    @Test func `decides about two records with the same key by its policy`() throws {
        func twice(_ policy: ConflictPolicy<Record> = .fail, other: String = #"{"name":"other"}"#) -> MigrationStep {
            step(onConflict: policy) { records in
                try Self.add("a", "b", to: records)
                try records.add(json: Data(other.utf8), forKey: "a")
            }
        }
        try failure(twice()).expect(.keyExists, key: "a", says: "onConflict:")
        let results: [(ConflictPolicy<Record>, String, String)] = [
            (.fail, #"{ "name":"a" }"#, #"{"name":"a"}"#), (.keep, #"{"name":"other"}"#, #"{"name":"a"}"#),
            (.replace, #"{"name":"other"}"#, #"{"name":"other"}"#), (.newest(by: "at"), #"{"at":1}"#, #"{"at":1}"#),
            (
                .merge { person, other in
                    let (name, more) = try (person.string("name"), other.string("name"))
                    person["name"] = .string("\(name)+\(more)")
                }, #"{"name":"x"}"#, #"{"name":"a+x"}"#
            ),
        ]
        for (policy, other, expected) in results {
            let report = try open(Migration(to: 1, "import", twice(policy, other: other)))
            #expect(try texts["a"] == expected && texts.count == 2)
            #expect(report.entries[0].counts.created == 2)
            for name in try directory.names() { try FileManager.default.removeItem(at: directory.file(name)) }
        }
        // A record of another type is never replaced.
        let alien = MigrationStep.run("alien", onFreshStore: true) {
            try $0.create("Alien", forKey: "a", ["name": "a"])
        }
        MoltError.thrown { try open(Migration(to: 1, "both", alien, twice(.replace))) }?
            .expect(.keyExists, says: "of type Alien")
    }

    @Test func `goes through the later steps if its migration is late`() throws {
        let name = Migration(to: 2, "name", .renameProperty("Person", "name", to: "fullName"))
        _ = try open(name)
        let importing = Migration(to: 1, "import", step { try Self.add("a", "b", to: $0) })
        let registry = MigrationRegistry([importing, name]).allowingLateMigrations()
        try CodableCache(at: url, migrations: registry).close()
        #expect(try texts == ["a": #"{"fullName":"a"}"#, "b": #"{"fullName":"b"}"#])
    }

    @Test func `reports progress with the number that the source names`() throws {
        let totals = Log<Int>()
        var configuration = MoltConfiguration()
        configuration.monitor = MigrationMonitor { event in
            if case .progressed(let progress) = event { totals.append(progress.total) }
        }
        let importing = step { records in
            records.expectedCount = 2_000
            for number in 0..<2_000 { try Self.add("\(number)", to: records) }
        }
        try CodableCache(at: url, migrations: [Migration(to: 1, "import", importing)], configuration: configuration)
            .close()
        #expect(totals.all.contains { $0 >= 2_000 })
    }

    @Test func `is counted by a dry run, which removes nothing`() throws {
        try CodableCache(at: url, migrations: []).close()
        let importing = removing(step { try Self.add("a", "b", to: $0) })
        let report = try CacheFile(at: url).dryRunAndWait([importing])
        #expect(report.entries[0].counts.created == 2)
        #expect(try texts.isEmpty && log.all.isEmpty)
    }

    @Test func `is not run by an upgrade of settings alone`() throws {
        let notebook = try Notebook(["line"])
        let migration = Migration(to: 1, "import", step { try Self.add("a", to: $0) })
        let report = try notebook.suite.upgrade(with: [migration, notebook.adding("new", to: 2)])
        #expect(report.outcomes == "new ran")
    }

    // MARK: Rejecting

    /// Adds two records, and rejects three.
    private func rejecting(_ policy: FailurePolicy) -> MigrationStep {
        step { records in
            records.expectedCount = 5
            try Self.add("a", "b", to: records)
            try records.reject(["old": "secret"], forKey: "c", because: Refusal(value: "secret"))
            try records.reject(json: Data(#"{ "old":2 }"#.utf8), forKey: "a", because: Refusal())
            do {
                try records.add([Double.nan], forKey: "")
            } catch {
                try records.reject(.null, forKey: "", because: error)
            }
        }
        .onFailure(policy)
    }

    @Test func `quarantines what the closure rejects, for the app to put a value in its place`() throws {
        let step = rejecting(.quarantine(upTo: 3))
        let cache = try CodableCache(at: url, migrations: [removing(step)])
        let rejected = try cache.quarantined()
        #expect(rejected.map(\.key) == ["c", "a, the record 4", "the record 5"])
        #expect(
            rejected.map { String(decoding: $0.content, as: UTF8.self) } == [
                #"{"old":"secret"}"#, #"{ "old":2 }"#, "null",
            ]
        )
        #expect(rejected.map(\.failure.code) == [.stepFailed, .stepFailed, .typeMismatch])
        #expect(rejected.allSatisfy { $0.typeName == "Person" })
        let counts = cache.report.entries[0].counts
        #expect(counts.read == 5 && counts.created == 2 && counts.quarantined == 3)
        #expect(!cache.report.description.contains("secret"))
        // What was rejected is nowhere but in the source and in quarantine.
        #expect(cache.report.work.map(\.problem) == [Self.kept] && log.all.isEmpty)
        let retried = try cache.retryQuarantined(with: [Migration(to: 1, "import", step)])
        #expect(retried.count == 3 && retried.allSatisfy { "\($0)".contains("could not import it") })
        try cache.restoreQuarantined(rejected[0].id, as: ["name": "c"])
        #expect(try cache.count() == 3)
        cache.close()
    }

    @Test func `stops where a record is rejected, or leaves it out, if the policy says so`() throws {
        try failure(rejecting(.stop)).expect(.stepFailed, key: "c", type: "Person", refusal: "secret")
        try failure(rejecting(.quarantine(upTo: 2))).expect(.tooManyFailures)
        try failure(step { try $0.reject(json: Data("{".utf8), forKey: "a", because: Refusal()) })
            .expect(.stepFailed, key: "a")
        let cache = try CodableCache(at: url, migrations: [removing(rejecting(.drop(upTo: .unlimited)))])
        #expect(try cache.count() == 2 && cache.quarantined().isEmpty)
        #expect(cache.report.entries[0].counts.dropped == 3 && log.all.isEmpty)
        cache.close()
    }

    // MARK: Removing the source

    private static let kept = "it stays, because not all that it has is in the store"

    private func removing(_ step: MigrationStep, failing isFailing: Bool = false) -> Migration {
        Migration(to: 1, "import", step).removingSource("the old files") { [log] in
            log.append("removed")
            if isFailing { throw Refusal() }
        }
    }

    @Test func `has its source removed after the commit, once`() throws {
        let importing = removing(step { try Self.add("a", to: $0) })
        let report = try open(importing)
        #expect(report.work.map(\.summary) == ["remove the old files"] && report.work[0].problem == nil)
        #expect(log.all == ["removed"])
        _ = try open(importing)
        #expect(log.all == ["removed"])
    }

    @Test func `does not have its source removed again if that has failed`() throws {
        let importing = removing(step { try Self.add("a", to: $0) }, failing: true)
        #expect(try open(importing).work.map { $0.problem != nil } == [true])
        #expect(try open(importing).work.isEmpty)
        #expect(log.all == ["removed"])
        #expect(try CacheFile(at: url).history().map(\.isWorkPending) == [false])
    }

    @Test func `keeps its source if a record did not come into the store`() throws {
        let keeping = step(onConflict: .keep) { records in
            try Self.add("a", to: records)
            try records.add(json: Data("{}".utf8), forKey: "a")
        }
        #expect(try open(removing(keeping)).work.map(\.problem) == [Self.kept] && log.all.isEmpty)
        let foreign = try ForeignStore("grdb")
        let setting = MigrationStep.importTable(
            "setting",
            of: foreign.url,
            as: "Setting",
            key: .text("key"),
            columns: ["value": .integer("value")]
        )
        let dropping = removing(setting.onFailure(.drop(upTo: .unlimited)))
        let cache = try CodableCache(at: foreign.store, migrations: [dropping])
        #expect(try cache.count() == 2 && cache.report.work.map(\.problem) == [Self.kept] && log.all.isEmpty)
    }

    @Test func `keeps its source if a later step quarantines a record, or one record replaces another`() throws {
        let later = Migration(to: 2, "later", .transform("Person") { if $0.key == "a" { throw Refusal() } })
        let importing = removing(step { try Self.add("a", "b", to: $0) })
        let registry = MigrationRegistry([importing, later]).onFailure(.quarantine(upTo: .unlimited))
        let cache = try CodableCache(at: url, migrations: registry)
        #expect(try cache.count() == 1 && cache.report.work.map(\.problem) == [Self.kept] && log.all.isEmpty)
        cache.close()
        for name in try directory.names() { try FileManager.default.removeItem(at: directory.file(name)) }
        let replacing = step(onConflict: .replace) { records in
            try Self.add("a", to: records)
            try records.add(json: Data("{}".utf8), forKey: "a")
        }
        #expect(try open(removing(replacing)).work.map(\.problem) == [Self.kept] && log.all.isEmpty)
    }

    @Test func `keeps its source if the closure goes on without a record, or there is no source`() throws {
        let skipping = step { records in
            try Self.add("a", to: records)
            try? records.add([Double.nan], forKey: "b")
        }
        #expect(try open(removing(skipping)).work.map(\.problem) == [Self.kept] && log.all.isEmpty)
        let table = MigrationStep.importTable(
            "t",
            of: directory.file("none.sqlite"),
            as: "T",
            key: .text("id"),
            columns: ["a": .text("a")]
        )
        let missing = Migration(to: 2, "table", table).removingSource("it") { [log] in log.append("removed") }
        #expect(try open(removing(skipping), missing).work.map(\.problem) == [Self.kept] && log.all.isEmpty)
    }

    @Test func `can have a source removed only if it imports something`() {
        let migration = Migration(to: 1, "none", .deleteType("Person")).removingSource("it") {}
        #expect(MigrationRegistry([migration]).faults.contains { $0.contains("imports nothing") })
        let both = removing(step { _ in }).afterCommit("more") { _ in }
        #expect(MigrationRegistry([both]).faults.contains { $0.contains("more than one piece of work") })
    }
}
