import Foundation
import MoltCache
import MoltCore
import MoltTesting
import Testing

/// Records that fail in a migration that commits in batches.
@Suite("A migration that commits in batches, and cannot convert some records")
struct BatchedQuarantineTests {
    static let records = (0..<60).map { StoredRecord($0 % 3 == 0 ? "A" : "B", "k\($0)", "{\"n\":\($0)}") }

    static func migration(inBatches: Bool) -> Migration {
        let migration = Migration(
            to: 1,
            "change",
            .transform("A") { record in
                record["seen"] = true
                record.key += "!"
                record.typeName = "C"
            },
            .transform("C") { if try $0.value("n", as: Int.self) % 4 == 1 { throw Refusal() } },
            .transform("B") { if try $0.value("n", as: Int.self) % 5 == 1 { throw Refusal() } }
        )
        return inBatches ? migration.committingInBatches(of: 10) : migration
    }

    static func options(_ policy: RecordFailurePolicy) -> MigrationOptions {
        var options = MigrationOptions()
        options.unconvertible = policy
        options.batchSize = 4
        return options
    }

    @Test(arguments: [RecordFailurePolicy.quarantine(upTo: .none), .drop(upTo: .none)])
    func `leaves what one transaction would have left`(policy: RecordFailurePolicy) throws {
        let atOnce = try OldStore(Self.records)
        let batched = try OldStore(Self.records)
        let cutOff = try OldStore(Self.records)
        let options = Self.options(policy)
        let expected = try Migrator([Self.migration(inBatches: false)], options: options)
            .migrate(CacheStore(at: atOnce.url))
        let report = try Migrator([Self.migration(inBatches: true)], options: options)
            .migrate(CacheStore(at: batched.url))
        // An upgrade that is cut off at each commit, and goes on with the next opening.
        var openings = 0
        var last: MigrationReport?
        while last == nil, openings < 20 {
            openings += 1
            let commits = Log<Int>()
            var options = options
            options.atPoint = { point in
                guard point.kind == .afterCommit else { return }
                commits.append(1)
                if point.subject.contains("batch") { throw Refusal() }
            }
            last = try? Migrator([Self.migration(inBatches: true)], options: options)
                .migrate(CacheStore(at: cutOff.url))
        }
        #expect(openings > 3)
        let quarantine = try CacheStore.quarantine(at: atOnce.url)
        #expect(quarantine.isEmpty == (policy == .drop(upTo: .none)))
        for (store, report) in [(batched, report), (cutOff, try #require(last))] {
            #expect(try store.snapshot().records == atOnce.snapshot().records)
            #expect(try CacheStore.quarantine(at: store.url) == quarantine)
            #expect(try store.snapshot().ledger.map(\.counts) == atOnce.snapshot().ledger.map(\.counts))
            #expect(report.failedRecords == expected.failedRecords)
            #expect(report.counts == expected.counts)
            #expect(try SQLite(store.url).rows("SELECT name FROM sqlite_schema WHERE name = 'molt_failed'") == [])
        }
    }

    @Test func `has one limit for all batches, and goes on when it is allowed more`() throws {
        let old = try OldStore(Self.records)
        let total = (0..<60).count { $0 % 3 == 0 ? $0 % 4 == 1 : $0 % 5 == 1 }
        let tight = Self.options(.quarantine(upTo: .init(count: total - 1)))
        let migrations: MigrationRegistry = [Self.migration(inBatches: true)]
        for _ in 0..<2 {
            let error = #expect(throws: MigrationError.self) {
                try Migrator(migrations, options: tight).migrate(CacheStore(at: old.url))
            }
            #expect(error?.code == .tooManyFailures)
            #expect(error?.message.hasPrefix("\(total) of 60 records") == true)
            #expect(try CacheStore.state(at: old.url).unfinished != nil)
        }
        let wide = Self.options(.quarantine(upTo: .init(count: total)))
        let report = try Migrator(migrations, options: wide).migrate(CacheStore(at: old.url))
        #expect(report.counts.quarantined == total)
        #expect(report.failedRecords.count == total)
        #expect(try CacheStore.quarantine(at: old.url).count == total)
    }

    @Test(arguments: [true, false])
    func `names the first of all when a later batch has one too many`(isKept: Bool) throws {
        let total = (0..<60).count { $0 % 3 == 0 ? $0 % 4 == 1 : $0 % 5 == 1 }
        var options = Self.options(.quarantine(upTo: .init(count: total - 1)))
        let atOnce = try OldStore(Self.records)
        let expected = try #require(throws: MigrationError.self) {
            try Migrator([Self.migration(inBatches: false)], options: options).migrate(CacheStore(at: atOnce.url))
        }
        #expect(expected.message.contains("The upgrade was rolled back; the store is as it was."))

        let old = try OldStore(Self.records)
        options.atPoint = { if $0.kind == .afterCommit { throw Refusal() } }
        var error: MigrationError?
        for _ in 0..<20 where error == nil {
            do {
                _ = try Migrator([Self.migration(inBatches: true)], options: options).migrate(CacheStore(at: old.url))
            } catch let thrown as MigrationError where thrown.code == .tooManyFailures {
                error = thrown
            } catch {}
            guard !isKept else { continue }
            // As an earlier release left it.
            try SQLite(old.url).run(
                """
                UPDATE molt_meta SET value = json_remove(value, '$.failures[0].first', '$.failures[1].first')
                WHERE name = 'unfinished' AND value LIKE '%"failures"%'
                """
            )
        }
        let found = try #require(error)
        #expect(found.message.hasPrefix("\(total) of 60 records could not be converted so far"))
        #expect(found.message.contains("This batch was rolled back"))
        #expect(!found.message.contains("upgrade was rolled back"))
        #expect(found.migration == expected.migration)
        #expect(found.step == expected.step)
        // Of one that an earlier release left, only what it was before the migration is known.
        #expect(found.recordType == (isKept ? expected.recordType : "A"))
        #expect(found.recordKey == (isKept ? expected.recordKey : "k9"))
        let first = try #require(found.underlying as? MigrationError)
        #expect(first.code == .stepFailed)
        #expect(first.message == "An earlier batch could not convert the record: Refusal")
        #expect(first.recordKey == found.recordKey)
    }

    @Test func `is tried again as any other`() throws {
        let old = try OldStore(Self.records)
        let direct = try OldStore(Self.records)
        let fixed = Migration(
            to: 1,
            "change",
            steps: Array(Self.migration(inBatches: true).steps.prefix(1))
                + [.transform("C") { $0["c"] = 1 }, .transform("B") { $0["b"] = 1 }]
        )
        let good = fixed.committingInBatches(of: 10)
        var configuration = CodableCache.Configuration()
        configuration.unconvertible = .quarantine(upTo: .none)
        let cache = try CodableCache(
            at: old.url,
            migrations: [Self.migration(inBatches: true)],
            configuration: configuration
        )
        let failed = try cache.quarantined().map(\.key)
        #expect(try cache.retryQuarantined(with: [good]).count(of: .converted) == failed.count)
        cache.close()
        _ = try Migrator([fixed]).migrate(CacheStore(at: direct.url))
        for key in failed {
            let isMoved = try direct.snapshot()[key] == nil
            #expect(try old.snapshot()[key + (isMoved ? "!" : "")] == direct.snapshot()[key + (isMoved ? "!" : "")])
        }
    }
}
