import Foundation
import Molt
import StoreConformance
import TestHome
import TestSupport
import Testing

@Suite struct `The conformance suite` {
    @Test func `The cache file passes all checks of records`() throws {
        let scratch = try ScratchDirectory()
        let report = try MigrationStoreConformance {
            CacheStore(at: scratch.file("\(UUID().uuidString).molt"))
        } reopening: { store in
            CacheStore(at: URL(filePath: store.storeName))
        }.verify()
        #expect(report.checked.count > 50)
        #expect(report.notApplicable.allSatisfy { $0.hasPrefix("A store without records") })
    }

    @Test func `The store in memory passes, and checks that need a second object are not applicable`() throws {
        let report = try MigrationStoreConformance { CacheStore(inMemoryWith: []) }.verify()
        #expect(report.checked.count > 35)
        #expect(report.notApplicable.contains { $0.contains("While another holds the store") })
        #expect(report.notApplicable.contains { $0.contains("Another opening of the store sees what was committed") })
        #expect(report.description.contains("– While another holds the store"))
    }

    @Test func `A suite passes, and checks of records are not applicable`() throws {
        let prefix = "conformance.\(UUID().uuidString)"
        var count = 0
        defer { for number in 0..<count { Molt.Suite("\(prefix).\(number)").erase() } }
        let report = try MigrationStoreConformance(hasRecords: false) {
            count += 1
            return DefaultsStore(Molt.Suite("\(prefix).\(count - 1)"))
        } reopening: { store in
            DefaultsStore(store.suite)
        }.verify()
        #expect(report.checked.count > 20)
        #expect(report.checked.contains("A store without records refuses to have one added"))
        #expect(report.notApplicable.contains("Keys are told apart by their bytes"))
        #expect(!report.notApplicable.contains { $0.contains("Another opening of the store sees what was committed") })
    }

    @Test(arguments: FlawedStore.Flaw.allCases)
    func `A store with a flaw fails, and the violated behavior is named`(flaw: FlawedStore.Flaw) throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try MigrationStoreConformance { FlawedStore(flaw) }.verify(only: TestRun.isLong ? nil : [flaw.behavior])
        }
        let lines = error.message.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("The store does not do ") == true)
        #expect(lines.contains(flaw.behavior), "\(error.message)")
        // The expected and the found value are listed below it.
        #expect(lines.contains { $0.hasPrefix("  ") })
    }

    @Test func `A failure states the expected and the found value`() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try MigrationStoreConformance { FlawedStore(.forgetsFingerprint) }
                .verify(only: [FlawedStore.Flaw.forgetsFingerprint.behavior])
        }
        let expected = #"  of zebra, fingerprint: expected Optional("0123456789abcdef"), found nil"#
        #expect(error.message.contains(expected))
    }

    @Test func `All failures are reported at once`() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try MigrationStoreConformance { FlawedStore(.hasNoTypes) }.verify()
        }
        #expect(error.message.contains(FlawedStore.Flaw.hasNoTypes.behavior))
        #expect(error.message.contains("Steps of all kinds do to the records what they say"))
        #expect(error.message.contains("A type is renamed for all its records"))
    }

    @Test func `A store that loses its data when it is opened again fails`() throws {
        let error = try #require(throws: ConformanceFailure.self) {
            try MigrationStoreConformance {
                CacheStore(inMemoryWith: [])
            } reopening: { _ in
                CacheStore(inMemoryWith: [])
            }.verify()
        }
        for behavior in [
            "Another opening of the store sees what was committed",
            "Another opening of the store sees its records",
            "While another holds the store, `waiting` is called, and can give up",
            "When the other lets go, the store goes on with what that has written",
        ] {
            #expect(error.message.contains(behavior))
        }
        #expect(error.message.contains("the closure was called though another holds the store"))
    }

    @Test func `A store that stops waiting without being told to fails`() throws {
        let scratch = try ScratchDirectory()
        let error = try #require(throws: ConformanceFailure.self) {
            try MigrationStoreConformance {
                ImpatientStore(at: scratch.file("\(UUID().uuidString).molt"))
            } reopening: { store in
                ImpatientStore(at: URL(filePath: store.storeName))
            }.verify()
        }
        #expect(error.message.hasPrefix("The store does not do 2 of the "))
        #expect(error.message.contains("While another holds the store, `waiting` is called, and can give up"))
        #expect(error.message.contains("When the other lets go, the store goes on with what that has written"))
    }
}

/// A cache file that gives up without asking whether to wait.
private final class ImpatientStore: MigrationStore {
    private struct Busy: Error {}

    private let base: CacheStore

    init(at url: URL) {
        base = CacheStore(at: url)
    }

    var storeName: String { base.storeName }

    func state() throws -> StoreState { try base.state() }

    func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        isSynced: Bool,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        try base.withWriteTransaction(until: nil, isSynced: isSynced, body) { throw Busy() }
    }
}
