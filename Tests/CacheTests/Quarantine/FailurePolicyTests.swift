import Foundation
import Molt
import MoltTesting
import Testing

@Suite("A record that a step cannot convert")
struct FailurePolicyTests {
    static let people = ["a", "b", "c", "d"].map { StoredRecord("Person", $0, "{\"n\":\"\($0)\"}") }

    static func failing(_ keys: String...) -> MigrationStep {
        .transform("Person") { record in
            record["seen by those that fail for \(keys)"] = true
            if keys.contains(record.key) { throw Refusal(value: "secret of \(record.key)") }
        }
    }

    static func open(
        _ old: OldStore,
        _ registry: MigrationRegistry,
        _ policy: FailurePolicy = .stop,
        configure: (inout MoltConfiguration) -> Void = { _ in }
    ) throws -> CodableCache {
        var configuration = MoltConfiguration()
        configure(&configuration)
        return try CodableCache(at: old.url, migrations: registry.onFailure(policy), configuration: configuration)
    }

    static func failure(
        _ old: OldStore,
        _ registry: MigrationRegistry,
        _ policy: FailurePolicy = .stop,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> MoltError {
        let before = try old.snapshot()
        let error = try #require(MoltError.thrown(sourceLocation: sourceLocation) { try open(old, registry, policy) })
        #expect(try old.snapshot() == before, "The store was changed.", sourceLocation: sourceLocation)
        #expect(try StoreFile.quarantine(at: old.url) == [], sourceLocation: sourceLocation)
        return error
    }

    // MARK: Policies

    @Test func `The record is quarantined with all its fields, and reported; the others are converted`() throws {
        var people = Self.people
        people[1].expiration = 4e9 + 0.125
        people[1].version = 2
        let old = try OldStore(people, version: 3, ledger: [("older", 3)])
        try SQLite(old.url).run("UPDATE molt_record SET created_at = 100, updated_at = 200")
        let registry: MigrationRegistry = [Migration(to: 3, "older"), Migration(to: 4, "new", Self.failing("b"))]
        let start = Date()
        let cache = try Self.open(old, registry, .quarantine())
        try cache.expect(keys: ["a", "c", "d"], quarantined: ["b"])
        #expect(try !cache.contains("b"))
        let record = try cache.firstQuarantined()
        #expect(StoredRecord(record.stored) == people[1])
        let dates = [record.created, record.updated].map(\.timeIntervalSince1970)
        #expect(dates == [100, 200])
        #expect(record.quarantined >= start.addingTimeInterval(-1))
        let failure = #"migration "new" (version 4), step 1 (transform Person): stepFailed: Refusal"#
        #expect("\(record)" == #"1: Person "b" (9 B, version 2): \#(failure)"#)
        #expect("\(cache.report.counts)" == "4 read, 3 changed, 1 quarantined")
        let lines = """

            new: 1 quarantined, not convertible
              quarantined: "b" of type Person: stepFailed: Refusal
            """
        #expect(cache.report.description.contains(lines))
        cache.close()
        #expect(try StoreFile.state(at: old.url).ledger.last?.counts == cache.report.counts)
        #expect(try SQLite(old.url).text("SELECT records_quarantined FROM molt_ledger WHERE name = 'new'") == "1")
    }

    @Test func `The record is deleted when the policy says so, and counts as dropped`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.open(old, registry(Self.failing("b", "d")), .drop())
        try cache.expect(keys: ["a", "c"])
        #expect("\(cache.report.counts)" == "4 read, 2 changed, 2 dropped")
        let outcomes = cache.report.failedRecords.map(\.outcome)
        #expect(outcomes == [.dropped, .dropped])
        let table = try SQLite(old.url).text("SELECT name FROM sqlite_schema WHERE name = 'molt_quarantine'")
        #expect(table == nil)
    }

    // MARK: Precedence

    @Test func `Each step of one pass has its own policy, which takes precedence over that of the opening`() throws {
        let step = Self.failing("b")
        try Self.failure(OldStore(Self.people), registry(step.onFailure(.stop)), .quarantine()).expect(key: "b")
        let kept = try Self.open(OldStore(Self.people), registry(step.onFailure(.quarantine())), .stop)
        #expect(kept.report.counts.quarantined == 1)

        let old = try OldStore(Self.people)
        let migrations = MigrationRegistry([
            Migration(to: 1, "one", Self.failing("a").onFailure(.drop())),
            Migration(to: 2, "two", step),
            Migration(to: 3, "three", Self.failing("c").onFailure(.quarantine())),
        ])
        // By default, the record stops the upgrade.
        try Self.failure(OldStore(Self.people), migrations).expect(.stepFailed, key: "b")
        let cache = try Self.open(old, migrations, .quarantine())
        try cache.expect(keys: ["d"], quarantined: ["b", "c"])
        let versions = try cache.quarantined().map(\.version)
        #expect(versions == [1, 2])
        let counts = cache.report.entries.map { "\($0.counts)" }
        let expected = [
            "4 read, 3 changed, 1 dropped", "3 read, 2 changed, 1 quarantined", "2 read, 1 changed, 1 quarantined",
        ]
        #expect(counts == expected)
    }

    @Test func `A policy is not part of a migration's fingerprint`() {
        let step = MigrationStep.transform("Person") { _ in }
        let plain = Migration(to: 1, "m", step)
        for policy in [FailurePolicy.stop, .quarantine(upTo: 3), .drop()] {
            #expect(Migration(to: 1, "m", step.onFailure(policy)).fingerprint == plain.fingerprint)
        }
    }

    // MARK: Failures

    struct Old: Codable { var n: Int }

    static var ofAnotherStore: MoltError {
        var error = MoltError(.busy, "Another process holds it.")
        error.store = "another"
        return error
    }

    static let steps: [(MigrationStep, MoltError.Code, String?)] = [
        (.renameProperty("T", "n", to: "m", ifMissing: .fail), .propertyMissing, "n"),
        (.renameProperty("T", "taken", to: "other"), .propertyExists, "other"),
        (.moveProperty("T", "taken", to: "other"), .propertyExists, "other"),
        (.removeProperty("T", "n", ifMissing: .fail), .propertyMissing, "n"),
        (.transform("T") { _ = try $0.remove("n", as: Int.self) }, .propertyMissing, "n"),
        (.transform("T") { _ = try $0.remove("taken", as: Int.self) }, .typeMismatch, "taken"),
        (.convert("T", from: Old.self, to: Old.self) { $0 }, .typeMismatch, "n"),
        (.transform("T") { $0[["taken", "in"]] = 1 }, .typeMismatch, nil),
        (.transform("T") { _ in throw MoltError(.stepFailed, "Mine.") }, .stepFailed, nil),
        (.transform("T") { _ in throw ofAnotherStore }, .stepFailed, nil),
    ]

    @Test(arguments: 0..<10)
    func `An error that concerns one record quarantines it`(index: Int) throws {
        let (step, code, property) = Self.steps[index]
        let old = try OldStore([
            StoredRecord("T", "bad", #"{"taken":"text","other":1}"#), StoredRecord("Other", "good", #"{"n":1}"#),
            StoredRecord("Other", "good too", #"{"n":1}"#),
        ])
        let cache = try Self.open(old, registry(step), .quarantine(upTo: .unlimited))
        let failure = try cache.firstQuarantined().failure
        #expect(failure.code == code)
        if let property { #expect(failure.property == property) }
        #expect(!failure.problem.isEmpty && !failure.message.contains("rolled back"))
    }

    @Test func `Content of any kind is kept byte for byte`() throws {
        let contents: [(key: String, bytes: [UInt8])] = [
            ("plain", Array(#"{"n":1.0,"n":2,"\u006e\"":18446744073709551615}"#.utf8)),
            ("spaced", Array(" {\n \"a\" : [ 1 , 2 ] }\n".utf8)), ("broken", Array("{\"a\":".utf8)), ("empty", []),
            ("bytes", [0x22, 0xFF, 0x22]), ("text", Array("\"\u{2028}é\"".utf8)),
            ("key \"with\" \n\u{0}\u{1F600}", Array("null".utf8)),
            ("deep", Array(repeating: 0x5B, count: 510) + Array(repeating: 0x5D, count: 510)),
            ("not UTF-8, as text", [0x7B, 0x22, 0xFF, 0x00, 0x41]),
        ]
        var stored = contents.map { key, bytes in
            var record = StoredRecord("T", key, "", expiration: key == "spaced" ? .infinity : 4e9 + 0.1)
            record.content = bytes
            return record
        }
        stored.append(StoredRecord("T", "data", data: [0, 1, 255]))
        let old = try OldStore(stored)
        // The store's directory is removed when `old` is released.
        defer { withExtendedLifetime(old) {} }
        try SQLite(old.url).run("UPDATE molt_record SET content = CAST(x'7B22FF0041' AS TEXT) WHERE key LIKE 'not%'")
        let migrations = registry(.addProperty("T", "x", default: 1), .transform("T") { _ in throw Refusal() })
        let cache = try Self.open(old, migrations, .quarantine(upTo: .unlimited))
        let records = try cache.quarantined()
        let kept = records.map { StoredRecord($0.stored) }.sorted { $0.key < $1.key }
        stored.sort { $0.key < $1.key }
        #expect(kept == stored)
        #expect(try cache.quarantinedCount == stored.count)
        // The text that no step can read.
        let notText = records.first { $0.key.hasPrefix("not") }
        #expect(notText?.failure.code == .malformedContent)
    }

    @Test func `Cancellation and a key that two records get stop the upgrade under every policy`() throws {
        let cancelled = registry(.transform("Person") { _ in throw CancellationError() })
        let colliding = registry(.transform("Person") { $0.key = "same" })
        for policy in [FailurePolicy.quarantine(upTo: .unlimited), .drop(upTo: .unlimited)] {
            let error = try Self.failure(OldStore(Self.people), cancelled, policy)
            #expect(error.underlying is CancellationError)
            try Self.failure(OldStore(Self.people), colliding, policy).expect(.keyExists)
        }
    }

    @Test func `The key of a record that is quarantined is free for another one of the same step`() throws {
        let old = try OldStore(Self.people)
        defer { withExtendedLifetime(old) {} }
        let freeing = registry(
            .transform("Person") { record in
                if record.key == "b" { throw Refusal() }
                if record.key == "a" { record.key = "b" }
            }
        )
        try Self.open(old, freeing, .quarantine()).expect(keys: ["b", "c", "d"], quarantined: ["b"])
    }

    @Test func `A closure that fails only once stops the upgrade, because its result is not reliable`() throws {
        let once = Log<Int>()
        let step = MigrationStep.transform("Person") { record in
            guard record.key == "b", once.count == 0 else { return }
            once.append(1)
            throw Refusal()
        }
        let error = try Self.failure(OldStore(Self.people), registry(step), .quarantine())
        let words = "A closure of the migration failed for the record, and produced a different result"
        error.expect(.stepFailed, key: "b", step: 1, outcome: .rolledBack, says: words)
        let first = try #require(error.underlying as? MoltError)
        first.expect(refusal: "")
    }

    @Test func `No description contains a value`() throws {
        let people = ["a", "b"].map { StoredRecord("Person", $0, "{\"n\":\"secret \($0)\"}") }
        let steps: [MigrationStep] = [
            Self.failing("b"), .transform("Person") { _ = try $0.remove("n", as: Int.self) },
            .convert("Person", from: Old.self, to: Old.self) { $0 },
        ]
        for step in steps {
            let old = try OldStore(people)
            defer { withExtendedLifetime(old) {} }
            let cache = try Self.open(old, registry(step), .quarantine(upTo: .unlimited))
            let record = try cache.firstQuarantined()
            var dumped = ""
            dump(record, to: &dumped)
            dump(cache.report, to: &dumped)
            let limit = try Self.failure(OldStore(people), registry(step), .quarantine(upTo: 0))
            let texts: [String] = [
                record.description, String(reflecting: record), "\(record.failure)", dumped, cache.report.description,
                limit.description, limit.debugDescription, limit.localizedDescription,
                String(decoding: try JSONEncoder().encode(cache.report), as: UTF8.self),
                "\(try cache.retryQuarantined(with: registry(step)))",
            ]
            for text in texts { #expect(!text.contains("secret"), "\(text)") }
            #expect(String(decoding: record.content, as: UTF8.self).contains("secret"))
        }
    }
}
