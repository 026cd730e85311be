import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// A document outside of a cache becomes what a record of a cache becomes.
@Suite("A document and a record") struct DocumentPathTests {
    @Test(arguments: TestRun.choose([22], long: Array(0..<30) as [UInt64]))
    func `have the same bytes after random registries`(block: UInt64) throws {
        var (passed, extracted) = (0, 0)
        for seed in (block * 20)..<(block * 20 + 20) {
            if try Self.compare(seed: seed, &extracted) { passed += 1 }
        }
        #expect(passed >= 3, "\(passed) of 20 succeeded")
        guard block == 22 else { return }
        // Few registries extract records.
        for seed in 10_000..<10_600 where extracted < 2 { _ = try Self.compare(seed: UInt64(seed), &extracted) }
        #expect(extracted >= 2)
    }

    /// - Returns: Whether the registry can upgrade documents and the upgrade of the store succeeded.
    private static func compare(seed: UInt64, _ extracted: inout Int) throws -> Bool {
        var upgrade = RandomUpgrade(seed: seed, [.records, .models])
        let registry = upgrade.registry
        // A document is always checked, and a record only by a step that changes it.
        let records = try upgrade.records().filter { (try? RecordValue(json: $0.content)) != nil }.map(
            StoredRecord.init
        )
        let documents = try DocumentUpgrade(registry)
        let comment: Comment = "\(upgrade)"
        let store = try OldStore(records)
        let version = upgrade.random.below(registry.version)
        // A block may do anything with the store.
        guard version >= documents.oldestVersion else { return false }
        guard try error(of: store, registry.upTo(version: version)) == nil else { return false }
        let before = try store.snapshot()
        let failure = try error(of: store, registry)
        var expected: [String: String] = [:]
        for record in try store.snapshot().records {
            expected[record.key] = text(record.type, record.content, record.expiration)
        }

        var found: [String: String] = [:]
        var refusals: [String: MoltError] = [:]
        for record in before.records where !record.isData {
            do {
                let upgraded = try documents.upgradeAll(
                    Data(record.content),
                    ofType: record.type,
                    writtenAt: version,
                    forKey: record.key,
                    expiration: record.expiration.map(Date.init(timeIntervalSince1970:))
                )
                #expect(upgraded.allSatisfy { $0.version == registry.version }, comment)
                for document in upgraded where !document.isDropped {
                    let expiration = document.expiration?.timeIntervalSince1970
                    found[document.key] = text(document.typeName, Array(document.content), expiration)
                }
                extracted += upgraded.count - 1
            } catch let error as MoltError {
                refusals[record.key] = error
            }
        }
        // Two records with the same key are an error of the store alone.
        if failure?.code == .keyExists { return false }
        if let failure {
            let refusal = try #require(refusals[failure.key ?? ""], comment)
            #expect(refusal.code == failure.code, comment)
            #expect(refusal.migration == failure.migration, comment)
            #expect(refusal.step == failure.step, comment)
            return false
        }
        // A store may quarantine a record after a step has extracted others from it; a document is refused as a whole.
        if !refusals.isEmpty { expected = expected.filter { !$0.value.hasPrefix("E") || found[$0.key] != nil } }
        // A store may quarantine a record that a document's upgrade refuses; then neither has it.
        for record in before.records where record.isData { expected[record.key] = nil }
        #expect(found == expected, comment)
        return true
    }

    private static func error(of store: OldStore, _ registry: MigrationRegistry) throws -> MoltError? {
        do {
            _ = try Migrator(registry).migrate(StoreFile(at: store.url))
            return nil
        } catch let error as MoltError {
            return error
        }
    }

    private static func text(_ type: String, _ content: [UInt8], _ expiration: Double?) -> String {
        "\(type) \(expiration ?? 0) \(String(decoding: content, as: UTF8.self))"
    }
}
