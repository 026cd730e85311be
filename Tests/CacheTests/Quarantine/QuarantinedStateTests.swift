import Foundation
import Molt
import Testing

@Suite struct `The state in which a record is quarantined` {
    /// A record that fails in one of five migrations, after changes of its key, type, expiry and content.
    @Test(arguments: 1...5, [1, 2, 512])
    func `A record that fails in any migration is kept in its state before that migration`(
        failing: Int,
        batchSize: Int
    ) throws {
        let registry = MigrationRegistry(
            (1...5).map { version in
                Migration(
                    to: version,
                    "m\(version)",
                    .transform(version % 2 == 1 ? "A" : "B") { record in
                        record["seen"] = .int(version)
                        record.key += "\(version)"
                        record.expiration = Date(timeIntervalSince1970: 4e9 + Double(version))
                    },
                    .renameType(version % 2 == 1 ? "A" : "B", to: version % 2 == 1 ? "B" : "A"),
                    .transform(version % 2 == 1 ? "B" : "A") { record in
                        if version == failing, record.key.hasPrefix("b") { throw Refusal(value: record.key) }
                        record["done"] = .int(version)
                    }
                )
            }
        )
        let old = try OldStore(["a", "b", "c"].map { StoredRecord("A", $0, "{ \"n\" : 1.0 }") })
        var configuration = MoltConfiguration()
        configuration.hooks.batchSize = batchSize
        _ = try Migrator(registry.onFailure(.quarantine()), configuration: configuration)
            .migrate(StoreFile(at: old.url))

        let before = try OldStore(["b"].map { StoredRecord("A", $0, "{ \"n\" : 1.0 }") })
        _ = try Migrator(registry.upTo(version: failing - 1)).migrate(StoreFile(at: before.url))
        let expected = try #require(try before.snapshot().records.first)

        let cache = try CodableCache(at: old.url, migrations: registry)
        try cache.expect(keys: ["a12345", "c12345"], quarantined: [expected.key])
        let record = try cache.firstQuarantined()
        #expect(StoredRecord(record.stored) == expected)
        #expect(record.version == failing - 1)
        let step = "step 3 (transform \(failing % 2 == 1 ? "B" : "A"))"
        let failure = "migration \"m\(failing)\" (version \(failing)), \(step): stepFailed: Refusal"
        #expect("\(record.cause)" == failure)
        #expect(record.cause.failure?.firstStep == 1)
    }

    @Test func `A record that fails after a block is kept in its state after the block`() throws {
        let migration = Migration(
            to: 1,
            "m",
            .transform("A") { $0["one"] = 1 },
            .run("two") { try $0.enumerate("A") { _, new in new["two"] = 2 } },
            .transform("A") { $0["three"] = 3 },
            .transform("A") { if $0.key == "b" { throw Refusal() } }
        )
        let old = try OldStore(["a", "b"].map { StoredRecord("A", $0, "{}") })
        let cache = try FailurePolicyTests.open(old, [migration], .quarantine())
        let record = try cache.firstQuarantined()
        #expect(StoredRecord(record.stored).description == #"A "b" v1 {"one":1,"two":2}"#)
        #expect(record.cause.failure?.step.number == 4)
        #expect(record.cause.failure?.firstStep == 3)
        // A retry continues from that state.
        let fixed = Migration(to: 1, "m", steps: migration.steps.dropLast() + [.transform("A") { $0["four"] = 4 }])
        try cache.retry(with: [fixed], expecting: "b: converted")
        cache.close()
        #expect(try old.snapshot()["b"]?.text == #"{"one":1,"two":2,"three":3,"four":4}"#)
    }
}
