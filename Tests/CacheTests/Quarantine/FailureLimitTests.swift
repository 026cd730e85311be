import Foundation
import Molt
import MoltTesting
import Testing

@Suite struct `The limit of records that cannot be converted` {
    typealias Policy = FailurePolicy

    /// Upgrades a store of `total` records, of which the first ones fail.
    static func upgrade(_ total: Int, failing: Int, _ policy: Policy, _ registry: MigrationRegistry? = nil) throws
        -> MigrationReport
    {
        let old = try OldStore((0..<total).map { StoredRecord("Person", "\($0)", "{}") })
        let before = try old.snapshot()
        do {
            let cache = try FailurePolicyTests.open(old, registry ?? Self.registry(failing), policy)
            defer { cache.close() }
            #expect(try cache.count() == total - failing)
            return cache.report
        } catch {
            #expect(try old.snapshot() == before)
            #expect(try StoreFile.quarantine(at: old.url) == [])
            throw error
        }
    }

    static func registry(_ failing: Int) -> MigrationRegistry {
        [Migration(to: 1, "first", step(failing))]
    }

    static func step(_ failing: Int) -> MigrationStep {
        .transform("Person") { record in
            guard let number = Int(record.key), number >= failing else { throw Refusal(value: "secret") }
            record["seen"] = true
        }
    }

    static let borders: [(total: Int, allowed: Int, limit: Policy.Limit)] = [
        (10, 0, 0), (10, 1, 1), (10, 3, 3), (10, 10, 10), (10, 10, 11),
        (10, 0, .init(share: 0)), (10, 1, .init(share: 0.1)), (10, 1, .init(share: 0.19)),
        (100, 29, .init(share: 0.29)),
        (10, 5, .init(share: 0.5)), (10, 10, .init(share: 1)), (10, 0, .init(share: .nan)), (10, 0, .init(share: -1)),
        (10, 2, .init(count: 2, share: 0.5)), (10, 2, .init(count: 5, share: 0.2)), (10, 10, .unlimited),
        (10, 5, .standard), (1, 0, .standard), (2, 1, .standard), (600, 100, .standard),
    ]

    @Test(arguments: 0..<20)
    func `The upgrade succeeds at the limit, and is rolled back beyond it`(index: Int) throws {
        let (total, allowed, limit) = Self.borders[index]
        for policy in [Policy.quarantine(upTo: limit), .drop(upTo: limit)] {
            let counts = try Self.upgrade(total, failing: allowed, policy).counts
            #expect(counts.quarantined + counts.dropped == allowed)
            guard allowed < total else { continue }
            MoltError.thrown { try Self.upgrade(total, failing: allowed + 1, policy) }?.expect(.tooManyFailures)
        }
    }

    @Test func `The error gives the number of failed records, the total, and the first failure`() throws {
        func failure(_ limit: Policy.Limit) throws -> MoltError {
            try #require(MoltError.thrown { try Self.upgrade(10, failing: 6, .quarantine(upTo: limit)) })
        }
        let error = try failure(3)
        error.expect(.tooManyFailures, key: "0", type: "Person", id: MigrationID(name: "first", version: 1), step: 1)
        error.expect(
            says: "4 of 10 records could not be converted so far, and the limit is 3.",
            "The upgrade was rolled back; the store is as it was."
        )
        let first = try #require(error.underlying as? MoltError)
        first.expect(.stepFailed, refusal: "secret")

        try failure(.init(share: 0.255))
            .expect(key: "0", says: "6 of 10 records could not be converted, and the limit is 25.5 %.")
        try failure(.init(count: 7, share: 0.5))
            .expect(says: "6 of 10 records could not be converted, and the limit is 7 and 50 %.")
        #expect("\(Policy.Limit.standard), \(Policy.Limit.unlimited)" == "100 and 50 %, any number")
    }

    @Test func `The limit of the opening applies to each migration, and a step may have its own`() throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "one", Self.step(2)),
            // Of the remaining records, 2 and 3 fail in one step, 4 and 5 in the other.
            Migration(to: 2, "two", Self.step(4), Self.step(6).onFailure(.quarantine(upTo: 2))),
        ]
        #expect(try Self.upgrade(12, failing: 6, .quarantine(upTo: 2), registry).counts.quarantined == 6)
        let tight: MigrationRegistry = [Migration(to: 1, "one", Self.step(2), Self.step(4))]
        MoltError.thrown { try Self.upgrade(12, failing: 4, .quarantine(upTo: 3), tight) }?
            .expect(.tooManyFailures)
        #expect(try Self.upgrade(12, failing: 4, .quarantine(upTo: 4), tight).counts.quarantined == 4)
    }

    @Test(arguments: ["once", "again", "inside", "renamed", "pass"])
    func `A block counts each record that it visits, and only once`(way: String) throws {
        func registry(_ failing: Int) -> MigrationRegistry {
            @Sendable func check(_ record: Record) throws {
                guard let number = Int(record.key), number >= failing else { throw Refusal() }
            }
            let block = MigrationStep.run("visit") { migration in
                switch way {
                case "inside":
                    try migration.enumerate("Person") { _, new in
                        try migration.enumerate("Person") { _, _ in }
                        try check(new)
                    }
                case "renamed":
                    try migration.enumerate("Person") { _, _ in }
                    try migration.renameType("Person", to: "Human")
                    try migration.enumerate("Human") { old, _ in try check(old) }
                default:
                    if way == "again" { try migration.enumerate("Person") { _, _ in } }
                    // A block that catches the error cannot continue.
                    try? migration.enumerate("Person") { old, _ in try check(old) }
                }
            }
            let pass = MigrationStep.transform("Person") { $0["passed"] = true }
            return [Migration(to: 1, "first", steps: way == "pass" ? [pass, block] : [block])]
        }
        let share = Policy.Limit(share: 0.3)
        for limit in way == "once" ? [share, 3] : [share] {
            #expect(try Self.upgrade(10, failing: 3, .quarantine(upTo: limit), registry(3)).counts.quarantined == 3)
            for policy in [Policy.quarantine(upTo: limit), .drop(upTo: limit)] {
                let error = try #require(MoltError.thrown { try Self.upgrade(10, failing: 4, policy, registry(4)) })
                let time = limit == share ? "" : " so far"
                let words = "4 of 10 records could not be converted\(time), and the limit is \(limit)."
                error.expect(.tooManyFailures, key: "0", summary: "visit", says: words)
                let first = try #require(error.underlying as? MoltError)
                first.expect(refusal: "")
            }
        }
    }

    @Test func `The error gives the total of which the share is taken`() throws {
        let old = try OldStore(
            (0..<10).map { StoredRecord("Person", "\($0)", "{}") }
                + (0..<30).map { StoredRecord("Note", "n\($0)", "{}") }
        )
        func expect(_ words: String, _ policy: Policy, _ registry: MigrationRegistry) throws {
            try FailurePolicyTests.failure(old, registry, policy).expect(.tooManyFailures, says: words)
        }
        let notes = MigrationStep.addProperty("Note", "seen", default: true)
        // All records are read in one pass, but only the people by the migration, or the step, that fails.
        let apart: MigrationRegistry = [Migration(to: 1, "notes", notes), Migration(to: 2, "people", Self.step(6))]
        try expect("4 of 10 records could not be converted so far", .quarantine(upTo: 3), apart)
        try expect("6 of 10 records", .quarantine(upTo: .init(share: 0.5)), apart)
        let together: MigrationRegistry = [
            Migration(to: 1, "both", notes, Self.step(6).onFailure(.quarantine(upTo: 3)))
        ]
        try expect("4 of 10 records", .stop, together)
        let all: MigrationRegistry = [Migration(to: 1, "both", notes, Self.step(6))]
        try expect("4 of 40 records", .quarantine(upTo: 3), all)
    }
}
