import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite struct `A record that a block cannot convert` {
    static let people = ["a", "b", "c"].map { StoredRecord("Person", $0, "{ \"n\":\"\($0)\"}") }

    static func upgrade(
        _ old: OldStore,
        _ policy: RecordFailurePolicy = .quarantine(upTo: .none),
        _ block: @escaping @Sendable (MigrationContext) throws -> Void
    ) throws -> CodableCache {
        try FailurePolicyTests.open(old, registry(.run("visit", block)), policy)
    }

    static func failure(
        _ old: OldStore,
        _ block: @escaping @Sendable (MigrationContext) throws -> Void
    ) throws -> MoltError {
        try FailurePolicyTests.failure(old, registry(.run("visit", block)), .quarantine(upTo: .none))
    }

    @Test func `The record is quarantined or dropped, and the block continues`() throws {
        let old = try OldStore(Self.people)
        let cache = try Self.upgrade(old) { migration in
            try migration.enumerate("Person") { old, new in
                new["seen"] = true
                new.key += "!"
                if old.key == "b" { throw Refusal() }
            }
        }
        #expect(try cache.keys() == ["a!", "c!"])
        let record = try #require(try cache.quarantined().first)
        #expect(Array(record.content) == Self.people[1].content)
        #expect(record.key == "b")
        #expect(record.failure.step.summary == "visit")
        #expect(record.failure.reason == "Refusal")
        #expect("\(cache.report.counts)" == "3 read, 2 changed, 1 quarantined")
        #expect(cache.report.failedRecords.map(\.key) == ["b"])

        let other = try OldStore(Self.people)
        let dropping = try Self.upgrade(other, .drop(upTo: .none)) { migration in
            try migration.enumerate("Person") { old, _ in if old.key == "b" { throw Refusal() } }
        }
        #expect(try dropping.keys() == ["a", "c"])
        #expect(dropping.report.counts.dropped == 1)
        #expect(try dropping.quarantinedCount == 0)
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
        let record = try #require(try cache.quarantined().first)
        #expect(record.key == "b")
        #expect(record.typeName == "Person")
        #expect(Array(record.content) == people[1].content)
        #expect(record.expiration == Date(timeIntervalSince1970: 4e9))
        #expect(record.version == 0)
        #expect(try cache.keys() == ["a+", "c+"])
        // A retry would need the block.
        #expect(try cache.retryQuarantined(with: registry).entries.map(\.outcome) == [.notTried])
        try cache.restoreQuarantined(record.id)
        #expect(try cache.typeName(forKey: "b") == "Person")
    }

    @Test func `A closure that changed the store before it threw stops the upgrade`() throws {
        let blocks: [@Sendable (MigrationContext) throws -> Void] = [
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
            let error = try Self.failure(old) { migration in
                try migration.enumerate("Person") { old, _ in
                    guard old.key == "b" else { return }
                    try block(migration)
                    throw Refusal()
                }
            }
            error.expect(.stepFailed, key: "b")
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
        #expect(throws: MoltError.self) {
            try FailurePolicyTests.open(old, registry(block), .quarantine()) { $0.attached = [notebook.suite] }
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
        #expect(try cache.quarantined().map(\.key) == ["b"])
        #expect(try cache.keys() == ["a", "c"])
        cache.close()
        #expect(try old.snapshot().texts["c"]?.contains("seen") == true)
    }

    @Test func `An error that concerns no single record stops the upgrade`() throws {
        let old = try OldStore(Self.people)
        #expect(try Self.failure(old) { _ in throw Refusal() }.code == .stepFailed)
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
        #expect(try cache.quarantined().map(\.failure.code) == [.propertyExists])
        #expect(try cache.keys() == ["a"])
    }
}
