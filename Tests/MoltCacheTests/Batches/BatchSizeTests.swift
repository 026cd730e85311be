import Foundation
import MoltCache
import MoltCore
import Testing

@Suite("The batches of a migration")
struct BatchSizeTests {
    private static let people = (0..<60).map { StoredRecord("Person", "p\($0)", #"{"age":\#($0)}"#) }

    /// How many records were committed at each commit.
    private static func commits(
        _ records: [StoredRecord],
        of size: Int,
        batchSize: Int,
        _ steps: [MigrationStep]
    ) throws -> [Int] {
        let old = try OldStore(records)
        let url = old.url
        let counts = Log<Int>()
        var options = MigrationOptions()
        options.batchSize = batchSize
        options.atPoint = { point in
            guard point.kind == .afterCommit else { return }
            counts.append(try CacheStore.state(at: url).unfinished?.counts.read ?? -1)
        }
        let migration = Migration(to: 1, "change", steps: steps).committingInBatches(of: size)
        _ = try Migrator([migration], options: options).migrate(CacheStore(at: old.url))
        return counts.all
    }

    @Test(arguments: [1, 7, 50, 512], [7, 20, 50])
    func `have as many records as was asked for, whatever is read at a time`(batchSize: Int, size: Int) throws {
        let step = MigrationStep.transform("Person") { $0["x"] = 1 }
        let found = try Self.commits(Self.people, of: size, batchSize: batchSize, [step])
        let expected = Array(stride(from: size, through: 60, by: size))
        // The end is a commit of its own, also when no record is left.
        #expect(found == expected + [-1])
    }

    @Test func `go on with the next type where one ends`() throws {
        let records = Self.people + (0..<25).map { StoredRecord("Note", "n\($0)", "{}") }
        let steps: [MigrationStep] = [.addProperty("Person", "x", default: 1), .addProperty("Note", "x", default: 1)]
        #expect(try Self.commits(records, of: 10, batchSize: 512, steps) == [10, 20, 30, 40, 50, 60, 70, 80, -1])
    }

    @Test func `are each kept when what follows is cut off at its first record, so that every opening comes further`()
        throws
    {
        let old = try OldStore(Self.people)
        for opening in 1...3 {
            let seen = Log<String>()
            let step = MigrationStep.transform("Person") { person in
                seen.append(person.key)
                if seen.count == 11 { throw CancellationError() }
                person["x"] = 1
            }
            #expect(throws: MigrationError.self) {
                _ = try Migrator([Migration(to: 1, "change", step).committingInBatches(of: 10)])
                    .migrate(CacheStore(at: old.url))
            }
            #expect(seen.count == 11)
            #expect(try CacheStore.state(at: old.url).unfinished?.counts.read == opening * 10)
        }
    }

    // MARK: The log

    /// Records of a kilobyte each.
    private static let large = (0..<2_000).map { number in
        StoredRecord("Person", "p\(number)", #"{"age":\#(number),"note":"\#(String(repeating: "n", count: 1_000))"}"#)
    }

    /// Upgrades a store, and gives the largest size of its log at any point, in bytes.
    private static func largestLog(_ old: OldStore, inBatchesOf size: Int?) throws -> Int {
        let sizes = Log<Int>()
        var options = MigrationOptions()
        let log = old.url.path + "-wal"
        options.atPoint = { point in
            guard [.beforeSteps, .beforeCommit, .afterCommit].contains(point.kind) else { return }
            let attributes = try? FileManager.default.attributesOfItem(atPath: log)
            sizes.append(attributes?[.size] as? Int ?? 0)
        }
        let migration = Migration(to: 1, "change", .renameProperty("Person", "age", to: "years"))
        let registry: MigrationRegistry = [size.map { migration.committingInBatches(of: $0) } ?? migration]
        // Somebody has it open, so that the log is not moved by the last one who closes it.
        let other = try CodableCache(at: old.url)
        defer { other.close() }
        _ = try Migrator(registry, options: options).migrate(CacheStore(at: old.url))
        return sizes.all.max() ?? 0
    }

    @Test func `share the room that one of them takes in the log`() throws {
        let whole = try Self.largestLog(OldStore(Self.large), inBatchesOf: nil)
        let old = try OldStore(Self.large)
        let parts = try Self.largestLog(old, inBatchesOf: 100)
        #expect(whole > 2_000_000)
        // A batch is a twentieth of it, and some pages that each of them changes.
        #expect(parts > 0 && parts < whole / 8, "\(parts) of \(whole)")
        #expect(try CacheStore.damage(at: old.url).isEmpty)
    }

    @Test func `do not wait for who still reads what was before, whose log then grows`() throws {
        let old = try OldStore(Self.large)
        let reader = try SQLite(old.url)
        try reader.run("BEGIN")
        #expect(try reader.text("SELECT count(*) FROM molt_record") == "2000")
        let grown = try Self.largestLog(old, inBatchesOf: 100)
        #expect(grown > 2_000_000)
        #expect(try reader.text("SELECT content LIKE '%\"age\":%' FROM molt_record WHERE key = 'p1999'") == "1")
        try reader.run("COMMIT")
        #expect(try reader.text("SELECT content LIKE '%\"years\":%' FROM molt_record WHERE key = 'p1999'") == "1")
        #expect(try CacheStore.damage(at: old.url).isEmpty)
    }

    @Test func `empty the log of an earlier opening before they go on`() throws {
        let old = try OldStore(Self.large)
        let reader = try SQLite(old.url)
        try reader.run("BEGIN")
        #expect(try reader.text("SELECT count(*) FROM molt_record") == "2000")
        let seen = Log<String>()
        let failing = MigrationStep.transform("Person") { person in
            seen.append(person.key)
            if seen.count > 1_500 { throw Refusal() }
            person["years"] = 1
        }
        #expect(throws: MigrationError.self) {
            _ = try Migrator([Migration(to: 1, "change", failing).committingInBatches(of: 100)])
                .migrate(CacheStore(at: old.url))
        }
        try reader.run("COMMIT")
        let log = old.url.path + "-wal"
        #expect((try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0) > 1_000_000)
        let sizes = Log<Int>()
        var options = MigrationOptions()
        options.atPoint = { point in
            guard point.kind == .beforeSteps else { return }
            sizes.append(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0)
        }
        let mended = Migration(to: 1, "change", .transform("Person") { $0["years"] = 1 }).committingInBatches(of: 100)
        _ = try Migrator([mended], options: options).migrate(CacheStore(at: old.url))
        #expect(sizes.count > 5)
        #expect(sizes.all.allSatisfy { $0 == 0 }, "\(sizes.all)")
    }
}
