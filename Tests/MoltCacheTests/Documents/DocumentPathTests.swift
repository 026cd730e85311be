import Foundation
import Generators
import Molt
import MoltCore
import TestSupport
import Testing

/// A document outside of a cache becomes what a record of a cache becomes.
@Suite("A document and a record") struct DocumentPathTests {
    @Test(arguments: 0..<TestRun.choose(3, long: 30))
    func `have the same bytes after random registries`(block: UInt64) throws {
        var passed = 0
        for seed in (block * 20)..<(block * 20 + 20) {
            if try Self.compare(seed: seed) { passed += 1 }
        }
        #expect(passed >= 3, "\(passed) of 20 succeeded")
    }

    /// - Returns: Whether the registry can upgrade documents and the upgrade of the store succeeded.
    private static func compare(seed: UInt64) throws -> Bool {
        var random = SeededGenerator(seed: seed)
        let registry = RandomUpgrade.registry(&random)
        // A document is always checked, and a record only by a step that changes it.
        let records = RandomUpgrade.records(&random).filter { $0.isData || (try? RecordValue(json: $0.content)) != nil }
        guard let documents = try? DocumentUpgrade(registry) else { return false }
        let comment: Comment = "seed \(seed): \(registry.migrations.map { "\($0)" })"
        let store = try OldStore(records)
        let before = try store.snapshot()
        var error: (any Error)?
        do { _ = try Migrator(registry).migrate(CacheStore(at: store.url)) } catch let failure { error = failure }
        var expected: [String: String] = [:]
        for record in try store.snapshot().records { expected[record.key] = "\(record.type) \(record.text)" }

        var found: [String: String] = [:]
        var other: (any Error)?
        for record in before.records where !record.isData {
            do {
                let upgraded = try documents.upgrade(
                    Data(record.content),
                    ofType: record.type,
                    writtenAt: 0,
                    forKey: record.key
                )
                #expect(upgraded.version == registry.version, comment)
                guard !upgraded.isDropped else { continue }
                found[upgraded.key] = "\(upgraded.typeName) \(String(decoding: upgraded.content, as: UTF8.self))"
            } catch let failure {
                other = failure
            }
        }
        // Two records with the same key are an error of the store alone.
        if (error as? MigrationError)?.code == .keyExists { return false }
        guard error == nil else {
            #expect(other != nil, comment)
            return false
        }
        // A store may set aside a record that a document's upgrade refuses; then neither has it.
        for record in before.records where record.isData { expected[record.key] = nil }
        #expect(found == expected, comment)
        return true
    }
}
