import Foundation
import Molt
import MoltTesting
import Testing

@Suite struct `A record that a block cannot convert` {
    static let people = ["a", "b", "c"].map { StoredRecord("Person", $0, "{ \"n\":\"\($0)\"}") }

    static func upgrade(
        _ old: OldStore,
        _ policy: FailurePolicy = .quarantine(upTo: .unlimited),
        _ block: @escaping OldStore.Block
    ) throws -> CodableCache {
        try FailurePolicyTests.open(old, registry(.run("visit", block)), policy)
    }

    static func failure(_ old: OldStore, _ block: @escaping OldStore.Block) throws -> MoltError {
        try FailurePolicyTests.failure(old, registry(.run("visit", block)), .quarantine(upTo: .unlimited))
    }

    @Test func `The record is quarantined or dropped, and the block continues`() throws {
        let policies: [(FailurePolicy, outcome: String, quarantined: [String])] = [
            (.quarantine(upTo: .unlimited), "quarantined", ["b"]), (.drop(upTo: .unlimited), "dropped", []),
        ]
        for (policy, outcome, quarantined) in policies {
            let old = try OldStore(Self.people)
            let cache = try Self.upgrade(old, policy) { migration in
                try migration.enumerate("Person") { old, new in
                    new["seen"] = true
                    new.key += "!"
                    if old.key == "b" { throw Refusal() }
                }
            }
            try cache.expect(keys: ["a!", "c!"], quarantined: quarantined)
            #expect("\(cache.report.counts)" == "3 read, 2 changed, 1 \(outcome)")
            #expect("\(cache.report.failedRecords)" == "[\(outcome): \"b\" of type Person: stepFailed: Refusal]")
        }
    }

    @Test(arguments: 0...2)
    func `The record is kept with the content, key, type, expiry and version from before the block`(
        renames: Int
    ) throws {
        var people = Self.people
        people[1].expiration = 4e9
        people[1].version = 0
        let old = try OldStore(people, version: 2, ledger: [("older", 2)])
        let registry: MigrationRegistry = [
            Migration(to: 2, "older"),
            Migration(
                to: 3,
                "new",
                .run("visit") { migration in
                    if renames == 1 { try migration.renameType("Person", to: "Human") }
                    let type = renames == 1 ? "Human" : "Person"
                    try migration.enumerate(type) { _, new in
                        new["first"] = 1
                        new.key += "+"
                        new.expiration = nil
                    }
                    if renames == 2 { try migration.renameType("Person", to: "Human") }
                    try migration.enumerate(renames == 0 ? "Person" : "Human") { old, new in
                        if old.key == "b" { throw Refusal() }
                        new["second"] = 2
                    }
                }
            ),
        ]
        let cache = try FailurePolicyTests.open(old, registry, .quarantine())
        try cache.expect(keys: ["a+", "c+"], quarantined: ["b"])
        let record = try cache.firstQuarantined()
        #expect(StoredRecord(record.stored) == people[1])
        #expect("\(record.cause)" == #"migration "new" (version 3), step 1 (visit): stepFailed: Refusal"#)
        // A retry would need the block.
        try cache.retry(with: registry, expecting: "b: notTried")
        try cache.restoreQuarantined(record.id)
        #expect(try cache.typeName(forKey: "b") == "Person")
    }

    @Test func `A closure that changed the store before it threw stops the upgrade`() throws {
        let blocks: [OldStore.Block] = [
            { try $0.create("Person", forKey: "new", RecordValue.object([:])) },
            { try $0.delete("c") },
            { migration in
                var other = try #require(try migration.record(forKey: "c"))
                other["x"] = 1
                try migration.update(other)
            },
            { try $0.renameType("Other", to: "More") },
            { try $0.enumerate("Other") { _, new in new["x"] = 1 } },
        ]
        for block in blocks {
            let old = try OldStore(Self.people + [StoredRecord("Other", "o", "{}")])
            try Self.failure(old) { migration in
                try migration.enumerate("Person") { old, _ in
                    guard old.key == "b" else { return }
                    try block(migration)
                    throw Refusal()
                }
            }.expect(.stepFailed, key: "b")
        }
    }

    @Test func `A block that uses an attached store stops the upgrade, because its changes to that store would remain`()
        throws
    {
        let old = try OldStore(Self.people)
        let notebook = try Notebook()
        let block = MigrationStep.run("visit") { migration in
            let pages = try migration.pages(notebook)
            try migration.enumerate("Person") { old, _ in
                try pages.add(old.key)
                if old.key == "b" { throw Refusal() }
            }
        }
        MoltError.thrown {
            try FailurePolicyTests.open(old, registry(block), .quarantine()) { $0.suites = [notebook.suite] }
        }
        #expect(try notebook.lines.isEmpty)
        #expect(try StoreFile.quarantine(at: old.url) == [])
    }

    @Test(arguments: [1, 2, 512])
    func `A record that fails in a nested enumeration is quarantined once`(batchSize: Int) throws {
        let old = try OldStore(Self.people)
        let step = MigrationStep.run("visit") { migration in
            try migration.enumerate("Person") { _, new in
                try migration.enumerate("Person") { inner, _ in if inner.key == "b" { throw Refusal() } }
                new["seen"] = true
            }
        }
        let cache = try FailurePolicyTests.open(old, registry(step), .quarantine()) { $0.hooks.batchSize = batchSize }
        try cache.expect(keys: ["a", "c"], quarantined: ["b"])
        cache.close()
        #expect(try old.snapshot().texts["c"] == #"{ "n":"c","seen":true}"#)
    }

    @Test func `An error that concerns no single record stops the upgrade`() throws {
        let old = try OldStore(Self.people)
        try Self.failure(old) { _ in throw Refusal() }.expect(.stepFailed)
        _ = try Self.failure(old) { migration in
            try migration.enumerate("Person") { _, _ in throw CancellationError() }
        }
        _ = try Self.failure(old) { migration in
            try migration.enumerate("Person") { _, new in new.key = "same" }
        }
    }

    @Test func `A property that a block cannot rename fails only its record`() throws {
        let old = try OldStore([StoredRecord("T", "a", #"{"x":1}"#), StoredRecord("T", "b", #"{"x":1,"y":2}"#)])
        let cache = try Self.upgrade(old) { migration in
            guard try migration.renameProperty("T", "x", to: "y") == 1 else { throw Refusal() }
        }
        try cache.expect(keys: ["a"], quarantined: ["b"])
        #expect(try cache.firstQuarantined().failure.code == .propertyExists)
    }
}
