import Foundation
import MoltTesting
import Testing

// A record is put into quarantine that is gone before the change is made.
@testable import Molt

/// How a record in quarantine goes through a retry, and which effects a retry must not have.
@Suite("The retry of a record in quarantine")
struct RetryTrialTests {
    // MARK: The order of migrations

    /// A step whose result shows which steps ran before it.
    static func appending(_ text: String, failing: Set<String> = []) -> MigrationStep {
        .transform("Person") { record in
            if failing.contains(record.key) { throw Refusal() }
            record["path"] = .string(try record.string("path") + text)
        }
    }

    @Test(arguments: ["three", "four", "late", "later"])
    func `runs late migrations unless the store ran them in another order`(failing: String) throws {
        let old = try OldStore(["a", "b", "c"].map { StoredRecord("Person", $0, #"{"path":""}"#) })
        func step(_ name: String, _ text: String, _ isFixed: Bool) -> MigrationStep {
            Self.appending(text, failing: failing == name && !isFixed ? ["b"] : [])
        }
        func registry(_ release: Int, isFixed: Bool = false) -> MigrationRegistry {
            var migrations = [Migration(to: 1, "one", Self.appending("1"))]
            if release >= 3 { migrations.append(Migration(to: 1, "later", step("later", "M", isFixed))) }
            if release >= 2 { migrations.append(Migration(to: 2, "late", step("late", "L", isFixed))) }
            migrations.append(Migration(to: 3, "three", step("three", "3", isFixed)))
            migrations.append(Migration(to: 4, "four", step("four", "4", isFixed)))
            return MigrationRegistry(migrations).allowingLateMigrations()
        }
        for release in 1...2 { try RetryTests.open(old, registry(release)).close() }
        let cache = try RetryTests.open(old, registry(3))
        let before = try cache.quarantined()
        let fixed = registry(3, isFixed: true)
        guard failing == "later" else {
            let retried = try cache.retry(with: fixed, expecting: "b: notTried")
            #expect(retried[0].description.contains("late migrations"))
            #expect(try cache.quarantined() == before)
            return
        }
        #expect(before.first?.version == 4)
        try cache.retry(with: fixed, expecting: "b: converted")
        cache.close()
        let snapshot = try old.snapshot()
        let (other, record) = (try #require(snapshot["a"]), try #require(snapshot["b"]))
        #expect(other.text == #"{"path":"134LM"}"#)
        #expect(record.text == other.text && record.version == other.version)
    }

    // MARK: Failures that do not concern the record

    @Test func `changes nothing when it is cancelled, and reports the cancellation`() throws {
        let old = try RetryTests.people()
        let cache = try RetryTests.open(old, RetryTests.registry(failing: ["b", "c"]))
        let before = try cache.quarantined()
        let step = MigrationStep.transform("Human") { _ in throw CancellationError() }
        let error = try #require(MoltError.thrown { try cache.retryQuarantined(with: RetryTests.registry(then: step)) })
        #expect(error.underlying is CancellationError)
        #expect(try cache.quarantined() == before)
    }

    @Test func `does not need to own the upgrade`() throws {
        let old = try RetryTests.people()
        try RetryTests.open(old, RetryTests.registry(failing: ["b"])).close()
        let cache = try RetryTests.open(old, RetryTests.fixed) { $0.process = .helper() }
        try cache.retry(with: RetryTests.fixed, expecting: "b: converted")
    }

    @Test(arguments: [
        "first_step = -9223372036854775807 - 1", "first_step = 9223372036854775807", "first_step = 0", "step = 0",
        "version = -1", "version = 2147483648", "migration_version = -9223372036854775807 - 1",
    ])
    func `skips a record whose row contains invalid numbers`(assignment: String) throws {
        let old = try RetryTests.people()
        let cache = try RetryTests.open(old, RetryTests.registry(failing: ["b", "c"]))
        try SQLite(old.url).run("UPDATE molt_quarantine SET \(assignment) WHERE id = 1")
        try cache.expect(keys: ["a"], quarantined: ["b", "c"])
        let retried = try cache.retry(with: RetryTests.fixed, expecting: "b: notTried", "c: converted")
        #expect(retried[0].description.contains("damaged"))
        try cache.expect(keys: ["a", "c"], quarantined: ["b"])
    }

    // MARK: Keys and types

    @Test func `prints no control character of a key, and one line for each record`() throws {
        let key = "x\r\ny\u{1B}[31m\r\u{2028}z"
        let old = try OldStore([StoredRecord("Per\nson\u{1B}", key, "{}")])
        let step = MigrationStep.transform("Per\nson\u{1B}") { _ in throw Refusal() }
        let registry: MigrationRegistry = [Migration(to: 1, "one", step)]
        let cache = try RetryTests.open(old, registry)
        let retried = try cache.retryQuarantined(with: registry)
        #expect(retried.map(\.key) == [key])
        let record = try cache.firstQuarantined()
        for line in retried.map(\.description) + [record.description, "\(record.failure)"] {
            let isClean = line.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && $0 != "\u{2028}"
            }
            #expect(isClean, "\(line)")
        }
    }

    @Test func `cannot include a record whose type name was lost, because the file is damaged`() throws {
        let old = try RetryTests.people()
        try SQLite(old.url).run("PRAGMA foreign_keys = OFF; DELETE FROM molt_type")
        let failure = MigrationReport.RecordFailure(
            migration: MigrationID(name: "one", version: 1),
            step: MoltError.StepPosition(number: 1, summary: "lose"),
            firstStep: 1,
            code: .stepFailed,
            reason: "Refusal"
        )
        let error = try #require(
            MoltError.thrown {
                try StoreFile(at: old.url).commit { transaction in
                    try transaction.postpone(PostponedChange(round: 0, id: 2, kind: .quarantine(failure)))
                    try transaction.applyPostponedChanges(round: 0)
                }
            }
        )
        error.expect(.storeFailed)
        #expect(try SQLite(old.url).rows("SELECT key FROM molt_record ORDER BY id") == [["a"], ["b"], ["c"]])
    }
}
