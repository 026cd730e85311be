import Foundation
import Molt
import MoltTesting
import TestHome
import Testing

@Suite struct `The conformance suite` {
    @Test func `The cache file passes, with all that concerns records`() throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "molt-conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let report = try MigrationStoreConformance {
            CacheStore(at: directory.appending(path: "\(UUID().uuidString).molt", directoryHint: .notDirectory))
        } reopening: { store in
            CacheStore(at: URL(filePath: store.storeName))
        }.verify()
        #expect(report.checked.count > 40)
        #expect(report.notApplicable.count == 2)
        #expect(report.notApplicable.allSatisfy { $0.hasPrefix("A store without records") })
    }

    @Test func `The store in memory passes, and what needs a second object is named as not applicable`() throws {
        let report = try MigrationStoreConformance { CacheStore(inMemory: .standard) }.verify()
        #expect(report.checked.count > 35)
        #expect(report.notApplicable.contains { $0.contains("While another holds the store") })
        #expect(report.notApplicable.contains { $0.contains("opens the store again sees what was committed") })
        #expect(report.description.contains("– While another holds the store"))
    }

    @Test func `A suite passes, and what concerns records is named as not applicable`() throws {
        let prefix = "conformance.\(UUID().uuidString)"
        var count = 0
        defer { for number in 0..<count { Molt.Suite.suite("\(prefix).\(number)").erase() } }
        let report = try MigrationStoreConformance(hasRecords: false) {
            count += 1
            return DefaultsStore(.suite("\(prefix).\(count - 1)"))
        } reopening: { store in
            DefaultsStore(store.suite)
        }.verify()
        #expect(report.checked.count > 20)
        #expect(report.checked.contains("A store without records refuses to have one added"))
        #expect(report.notApplicable.contains("Keys are told apart by their bytes"))
        #expect(!report.notApplicable.contains { $0.contains("opens the store again sees what was committed") })
    }

    @Test(arguments: FlawedStore.Flaw.allCases)
    func `A store with a flaw is caught, and the behaviour is named`(flaw: FlawedStore.Flaw) throws {
        let error = try #require(throws: TestingError.self) {
            try MigrationStoreConformance { FlawedStore(flaw) }.verify()
        }
        #expect(error.code == .notConformant)
        let lines = error.message.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("The store does not do ") == true)
        #expect(lines.contains(flaw.behavior), "\(error.message)")
        // What was expected and found stands below it.
        #expect(lines.contains { $0.hasPrefix("  ") })
    }

    @Test func `A flaw names what was expected and what was found`() throws {
        let error = try #require(throws: TestingError.self) {
            try MigrationStoreConformance { FlawedStore(.forgetsFingerprint) }.verify()
        }
        let expected = #"  of zebra, fingerprint: expected Optional("0123456789abcdef"), found nil"#
        #expect(error.message.contains(expected))
    }

    @Test func `All failures are told at once`() throws {
        let error = try #require(throws: TestingError.self) {
            try MigrationStoreConformance { FlawedStore(.hasNoTypes) }.verify()
        }
        #expect(error.message.contains(FlawedStore.Flaw.hasNoTypes.behavior))
        #expect(error.message.contains("Steps of all kinds do to the records what they say"))
        #expect(error.message.contains("A type is renamed for all its records"))
    }
}
