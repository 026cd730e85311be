import Foundation
import Molt
import TestSupport
import Testing

@Suite(.enabled(if: TestHome.isAvailable)) struct `A suite whose ledger is corrected by hand` {
    private let scratch: ScratchSuite
    private let cache: ScratchCache
    private var suite: Suite { scratch.suite }

    init() throws {
        scratch = try ScratchSuite(["volume": 8])
        cache = try ScratchCache()
        // A new cache would run no block.
        try CodableCache(at: cache.url).close()
    }

    /// Adds a number to the volume, so that each run shows.
    private func adding(_ number: Int64, to version: Int, revision: Int = 1) -> Migration {
        let step = MigrationStep.changeSettings(in: suite, revision: revision) { settings in
            guard case .int(let volume)? = try settings.value(forKey: "volume") else { return }
            try settings.set(.int(volume + number), forKey: "volume")
        }
        return Migration(to: version, "add \(number)", step)
    }

    private var migrations: MigrationRegistry { [adding(1, to: 1), adding(10, to: 2), adding(100, to: 3)] }

    @discardableResult
    private func correct(
        _ change: LedgerChange,
        _ primary: PrimaryStore,
        _ registry: MigrationRegistry? = nil
    ) throws -> LedgerEntry {
        let registry = registry ?? migrations
        return switch primary {
        case .cache: try CacheFile(at: cache.url).correctLedger(change, migrations: registry, reason: "r")
        case .suite: try suite.correctLedger(change, with: registry, reason: "r")
        }
    }

    private func upgrade(_ primary: PrimaryStore, _ registry: MigrationRegistry? = nil) throws {
        try primary.upgrade(suite, cache: cache.url, with: registry ?? migrations)
    }

    /// Expects the volume, and the kinds of the corrections in both ledgers.
    private func expect(
        _ volume: Int,
        _ name: String,
        _ primary: PrimaryStore,
        _ kinds: LedgerCorrection.Kind...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try scratch.expect(["volume": .int(Int64(volume))], sourceLocation: sourceLocation)
        let ledgers = try [suite.history(), primary.state(of: suite, cache: cache.url).ledger]
        for ledger in ledgers {
            let row = ledger.first { $0.name == name }
            #expect(row?.corrections.map(\.kind) == kinds, sourceLocation: sourceLocation)
        }
        let isFinished = try scratch.otherFiles().allSatisfy { $0.hasSuffix("-lock") || $0.hasSuffix("-ledger") }
        #expect(isFinished, sourceLocation: sourceLocation)
    }

    @Test(arguments: PrimaryStore.allCases)
    func `A migration that is marked as pending runs again on the suite`(primary: PrimaryStore) throws {
        try upgrade(primary)
        try correct(.markPending("add 10"), primary)
        try expect(119, "add 10", primary, .markedPending)
        let waiting = try suite.history().first { $0.name == "add 10" }
        #expect(waiting?.outcome == .unmarked)
        for _ in 0..<2 {
            try upgrade(primary)
            try expect(129, "add 10", primary, .markedPending)
        }
        // The other kind of store finds the suite settled.
        try upgrade(primary == .cache ? .suite : .cache)
        try scratch.expect(["volume": 129], history: ["add 1", "add 100", "add 10"])
    }

    /// The second of three is marked: the first one still runs.
    @Test(arguments: PrimaryStore.allCases)
    func `A migration that is marked as applied does not run on the suite, from any store`(primary: PrimaryStore) throws
    {
        try correct(.markApplied("add 10"), primary)
        try expect(8, "add 10", primary, .markedApplied)
        try upgrade(primary)
        try expect(109, "add 10", primary, .markedApplied)
        try upgrade(primary == .cache ? .suite : .cache)
        try scratch.expect(["volume": 109])
        MoltError.thrown { try correct(.markApplied("add 10"), primary) }?.expect(.notCorrected, says: "already")
    }

    @Test(arguments: PrimaryStore.allCases)
    func `An edit is accepted in the suite's ledger, too`(primary: PrimaryStore) throws {
        try upgrade(primary)
        let edited: MigrationRegistry = [adding(1, to: 1), adding(10, to: 2, revision: 2), adding(100, to: 3)]
        try correct(.acceptEdit("add 10"), primary, edited)
        try expect(119, "add 10", primary, .acceptedEdit)
        #expect(try suite.plan(edited).edits.isEmpty)
        #expect(try CacheFile(at: cache.url).plan(edited).edits.isEmpty)
        try upgrade(primary, edited)
        try scratch.expect(["volume": 119])
    }

    @Test func `A suite that cannot be used now, or that is new, is refused and left alone`() throws {
        let configuration = MoltConfiguration { $0.process = .tool }
        let own: MigrationRegistry = [
            Migration(to: 1, "own", .renameSetting("molt.none", to: "molt.other", in: .standard))
        ]
        let bytes = try Data(contentsOf: cache.url)
        MoltError.thrown {
            try CacheFile(at: cache.url).correctLedger(
                .markApplied("own"),
                migrations: own,
                reason: "r",
                configuration: configuration
            )
        }?.expect(.deferred, outcome: .unchanged)
        #expect(try Data(contentsOf: cache.url) == bytes)

        let new = try ScratchSuite()
        let registry: MigrationRegistry = [Migration(to: 1, "new", .removeSettings("old", in: new.suite))]
        MoltError.thrown { try new.suite.correctLedger(.markApplied("new"), with: registry, reason: "r") }?
            .expect(.fileMissing, store: new.suite.attachedName, outcome: .unchanged)
        #expect(try new.allValues.isEmpty)
        #expect(try new.otherFiles().isEmpty)
    }
}
