import Foundation
import Generators
import MoltCache
import MoltCore
import TestSupport
import Testing

/// Invariant 8: upgrading at once gives byte for byte what upgrading with a close at each version gives.
@Suite("The path of an upgrade")
struct PathTests {
    @Test(arguments: 0..<TestRun.choose(2, long: 20))
    func `Random registries give the same rows at once and step by step`(
        block: UInt64
    ) async throws {
        let counts = try (block * 20..<block * 20 + 20).compactMap { try Self.comparePaths(seed: $0, fails: false) }
        // Some upgrades fail on both paths because a key or a property is taken; most must succeed.
        #expect(counts.count >= 8, "\(counts.count) of 20 succeeded")
    }

    @Test(arguments: 0..<TestRun.choose(2, long: 120))
    func `Random registries with failing steps leave the same rows and the same quarantine on both paths`(
        block: UInt64
    ) throws {
        let first = block * 20 + 10_000
        let counts = try (first..<first + 20).compactMap { try Self.comparePaths(seed: $0, fails: true) }
        #expect(counts.count >= 8, "\(counts.count) of 20 succeeded")
        #expect(counts.contains { $0 > 0 }, "No store has a record in quarantine.")
    }

    /// - Parameter fails: Whether steps fail for some records.
    /// - Returns: The number of records in quarantine; nil if the upgrade failed on both paths.
    private static func comparePaths(seed: UInt64, fails: Bool) throws -> Int? {
        var random = SeededGenerator(seed: seed)
        let registry = RandomUpgrade.registry(&random, fails: fails)
        let records = RandomUpgrade.records(&random)
        let atOnce = try OldStore(records)
        let stepByStep = try OldStore(records)
        var options = MigrationOptions()
        if fails { options.unconvertible = random.below(5) == 0 ? .drop(upTo: .none) : .quarantine(upTo: .none) }
        options.batchSize = 1 + random.below(5)
        let before = try atOnce.snapshot()

        var failed: [MigrationReport.FailedRecord] = []
        let error = capture {
            failed = try Migrator(registry, options: options).migrate(CacheStore(at: atOnce.url)).failedRecords
        }
        var stepError: MigrationError?
        var stepsFailed: [MigrationReport.FailedRecord] = []
        for version in 1...registry.version where stepError == nil {
            options.batchSize = 1 + random.below(5)
            stepError = capture {
                stepsFailed += try Migrator(registry.upTo(version: version), options: options)
                    .migrate(CacheStore(at: stepByStep.url)).failedRecords
            }
        }

        let words = registry.migrations.flatMap { migration in
            migration.steps.map { "\(migration.version): \($0)" }
        }
        let comment: Comment = "seed \(seed): \(words)"
        #expect((error == nil) == (stepError == nil), comment)
        guard error == nil, stepError == nil else {
            if error != nil { #expect(try atOnce.snapshot() == before, comment) }
            return nil
        }
        let (one, other) = (try atOnce.snapshot(), try stepByStep.snapshot())
        #expect(one.records == other.records, comment)
        #expect(one.version == other.version, comment)
        #expect(one.ledger.map(\.name) == other.ledger.map(\.name), comment)
        #expect(one.ledger.map(\.counts) == other.ledger.map(\.counts), comment)
        // Types are read in the order of their names at the start of the upgrade.
        #expect(failed.map { "\($0)" }.sorted() == stepsFailed.map { "\($0)" }.sorted(), comment)
        let kept = try CacheStore.quarantine(at: atOnce.url)
        #expect(try kept == CacheStore.quarantine(at: stepByStep.url), comment)
        #expect(kept.count == one.ledger.reduce(0) { $0 + $1.counts.quarantined }, comment)
        #expect(failed.count { $0.outcome != .dropped } == kept.count, comment)
        // No record is lost or doubled.
        let (gone, added) = one.ledger.reduce((0, 0)) { ($0.0 + $1.counts.dropped, $0.1 + $1.counts.created) }
        #expect(one.records.count + kept.count + gone == records.count + added, comment)
        return kept.count
    }

    private static func capture(_ body: () throws -> Void) -> MigrationError? {
        do {
            try body()
            return nil
        } catch let error as MigrationError {
            return error
        } catch {
            return MigrationError(.storeFailed, "\(error)")
        }
    }
}

/// Registries and stores that are generated from a seed.
enum RandomUpgrade {
    private static let types = ["A", "B", "C"]
    private static let names = ["x", "y", "z", "w"]

    static func records(_ random: inout SeededGenerator) -> [StoredRecord] {
        (0..<random.below(14)).map { number in
            let space = random.pick(["", " ", "\n  "])
            let properties = names.filter { _ in random.below(3) > 0 }.map { name in
                let value = random.pick([
                    "1", "20", "null", #""te\u0078t""#, #""a b c""#, #"{"in":1}"#, #"{ "in" : [1 ,2] }"#,
                    #"[ {"in" : "a b"} ,null, {"in":2 } ]"#,
                ])
                return "\(space)\"\(name)\"\(space): \(value)"
            }
            var record = StoredRecord(
                random.pick(types),
                "k\(number)",
                "{\(properties.joined(separator: ","))\(space)}"
            )
            if random.below(4) == 0 { record.expiration = 4e9 + Double(number) }
            return record
        }
    }

    /// - Parameter fails: Whether steps fail for some records.
    static func registry(_ random: inout SeededGenerator, fails: Bool = false) -> MigrationRegistry {
        while true {
            var migrations: [Migration] = []
            var version = 0
            for number in 0..<(2 + random.below(5)) {
                version += number == 0 || random.below(4) > 0 ? 1 : 0
                let steps = (0..<random.below(4)).map { step in
                    fails && random.below(3) == 0
                        ? failingStep(&random, mark: number * 10 + step)
                        : Self.step(&random, mark: number * 10 + step, addsRecords: !fails)
                }
                migrations.append(Migration(to: version, "m\(number)", steps: steps))
            }
            let registry = MigrationRegistry(migrations)
            if registry.faults.isEmpty { return registry }
        }
    }

    /// A step that changes some records, and fails for others.
    private static func failingStep(_ random: inout SeededGenerator, mark: Int) -> MigrationStep {
        let type = random.pick(types + ["D"])
        let salt = random.below(1_000)
        switch random.below(4) {
        case 0: return .renameProperty(type, PropertyPath(random.pick(names)), to: "failed\(mark)", ifMissing: .fail)
        case 1:
            return .convert(type, from: [String: Value].self, to: [String: Value].self) { old in
                guard old.count != salt % 4 else { throw Refusal(value: "\(old)") }
                return old.merging(["converted": .number(mark)]) { $1 }
            }
        case 2:
            return .run("fail \(mark)") { migration in
                if salt % 3 == 0 { try migration.renameType(type, to: "D") }
                try migration.enumerate(type) { _, new in new["before\(mark)"] = .int(1) }
                try migration.enumerate(type) { old, new in
                    if chance(old, salt, 3) { throw Refusal(value: old.key) }
                    new.key += "*\(mark)"
                }
            }
        default:
            return .transform(type) { record in
                record["tried\(mark)"] = .int(mark)
                if chance(record, salt, 2) { record.key += "/\(mark)" }
                if chance(record, salt + 1, 3) { throw Refusal(value: record.key) }
            }
        }
    }

    private static func step(_ random: inout SeededGenerator, mark: Int, addsRecords: Bool) -> MigrationStep {
        let type = random.pick(types)
        let name = PropertyPath(random.pick(names))
        // Closures must do the same on both paths, so they depend only on the record and this number.
        let salt = random.below(1_000)
        if random.below(3) == 0 { return declaredStep(&random, type, name, mark, addsRecords: addsRecords) }
        switch random.below(14) {
        case 0: return .renameType(type, to: random.pick(types + ["D"]))
        case 1: return random.below(3) == 0 ? .deleteType(type) : .renameType("D", to: type)
        case 2: return .renameProperty(type, name, to: "\(name)\(mark)")
        case 3: return .renameProperty(type, [name, "in"], to: "inner\(mark)")
        case 4: return .removeProperty(type, name)
        case 5: return .addProperty(type, name, default: ["mark": .int(mark)])
        case 6: return .addProperty(type, ["new\(mark)", "deep"], default: .int(mark))
        case 7: return .transform(type) { $0["seen"] = .string("\($0["seen"]?.string ?? "")\(mark)") }
        case 8: return .transform(type) { if chance($0, salt, 3) { $0.drop() } }
        case 9: return .transform(type) { if chance($0, salt, 2) { $0.key += "-\(mark)" } }
        case 10: return .transform(type) { $0.key = swapped($0.key) }
        case 11:
            let other = random.pick(types)
            return .transform(type) { if chance($0, salt, 2) { $0.typeName = other } }
        case 12:
            return .transform(type) { record in
                guard chance(record, salt, 2) else { return }
                record.expiration = chance(record, salt, 4) ? nil : Date(timeIntervalSince1970: 5e9 + Double(mark))
            }
        default:
            guard random.below(2) == 0 else {
                return .run("mark \(mark)") { migration in
                    try migration.enumerate(type) { old, new in
                        if chance(old, salt, 4) { return new.drop() }
                        new["block\(mark)"] = .int(migration.oldVersion * 100 + migration.version)
                        if chance(old, salt, 3) { new.key += "+\(mark)" }
                    }
                }
            }
            return .convert(type, from: [String: Value].self, to: [String: Value].self) { old in
                old.merging(["converted": .number(mark)]) { $1 }
            }
        }
    }

    /// A step that takes the place of a closure; values that it cannot change are kept or skipped.
    private static func declaredStep(
        _ random: inout SeededGenerator,
        _ type: String,
        _ name: PropertyPath,
        _ mark: Int,
        addsRecords: Bool
    ) -> MigrationStep {
        let policy = RecordFailurePolicy.quarantine(upTo: .none)
        let each: PropertyPath = [name, .each]
        let inner: PropertyPath = [name, .each, "in"]
        switch random.below(addsRecords ? 12 : 11) {
        case 0: return .splitProperty(type, name, into: ["\(name)a\(mark)", "\(name)b\(mark)"]).onFailure(policy)
        case 1:
            let paths: [PropertyPath] = [[name, .each, "a\(mark)"], [name, .each, "b\(mark)"]]
            return .splitProperty(type, inner, at: .last(" "), into: paths).onFailure(policy)
        case 2: return .joinProperties(type, [name, "\(name)a\(mark)"], into: name).onFailure(policy)
        case 3: return .copyProperty(type, name, to: "copy\(mark)")
        case 4: return .mapValue(type, name, [1: "one", .null: 0, ["in": 1]: [:]])
        case 5: return .mapValue(type, each, [.null: .null, 1: "one"], otherwise: .remove)
        case 6: return .changeValue(type, name, to: .string, otherwise: .keep)
        case 7: return .changeValue(type, inner, from: .secondsSinceReferenceDate, to: .iso8601, otherwise: .keep)
        case 8: return .wrapProperty(type, name, in: random.below(2) == 0 ? .array : .object("in"))
        case 9: return .unwrapProperty(type, name, from: .array).onFailure(policy)
        case 10: return .renameProperty(type, inner, to: "inner\(mark)")
        default: return .extractRecords(type, name, as: "E\(mark)", key: .derived, leaving: .nothing).onFailure(policy)
        }
    }

    /// Whether something happens to a record; depends only on its key and a number.
    private static func chance(_ record: Record, _ salt: Int, _ count: UInt64) -> Bool {
        let hash = record.key.utf8.reduce(UInt64(salt)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return (hash >> 7) % count == 0
    }

    /// Exchanges keys in pairs: 0 with 1, 2 with 3, and so on.
    private static func swapped(_ key: String) -> String {
        var bytes = Array(key.utf8)
        if bytes.count > 1 { bytes[1] ^= 1 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The JSON of the records, for `convert` and for reading them.
    enum Value: Codable, Equatable, Sendable {
        case null
        case number(Int)
        case text(String)
        case list([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Value].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            case .list(let list): try container.encode(list)
            case .object(let object): try container.encode(object)
            }
        }
    }
}
