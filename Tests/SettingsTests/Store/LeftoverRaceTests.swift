import Foundation
import Molt
import TestSupport
import Testing

@Suite("A suite's ledger after another process was killed") struct LeftoverRaceTests {
    private let scratch: ScratchSuite

    init() throws {
        scratch = try ScratchSuite(["volume": 1])
    }

    /// Doubles the volume, so a second run would show.
    private func doubling(_ version: Int) -> Migration {
        let step = MigrationStep.changeSettings(in: scratch.suite) { settings in
            guard case .int(let volume)? = try settings.value(forKey: "volume") else { return }
            try settings.set(.int(volume * 2), forKey: "volume")
        }
        return Migration(to: version, "double \(version)", step)
    }

    /// What happens between the plan and the locks.
    enum Meanwhile: CaseIterable {
        case killedBeforeItsChanges, killedAsFirst, upgradedByCache, upgradedByItself
    }

    @Test(arguments: Meanwhile.allCases)
    func `The ledger includes what another store has applied, or a killed process has committed`(
        meanwhile: Meanwhile
    ) throws {
        let (scratch, suite, cache) = (scratch, scratch.suite, try ScratchCache())
        let isFirst = meanwhile != .killedBeforeItsChanges
        let earlier = isFirst ? [] : [Migration(to: 1, "empty", .changeSettings(in: suite) { _ in })]
        try suite.upgrade(with: MigrationRegistry(earlier))
        let others = MigrationRegistry(earlier + [doubling(2)])
        let migrations = MigrationRegistry(earlier + [doubling(2), doubling(3)])
        let monitor = MigrationMonitor.afterPlanning {
            guard [.upgradedByCache, .upgradedByItself].contains(meanwhile) else { return try scratch.commit(others) }
            _ = try meanwhile == .upgradedByCache ? cache.upgrade(others) : suite.upgrade(with: others)
        }
        let report = try suite.upgrade(with: migrations, configuration: .init { $0.monitor = monitor })
        #expect(report.outline == ["double 3 ran"])
        try scratch.expect(["volume": 4], history: earlier.map(\.name) + ["double 2", "double 3"])
        try suite.upgradeState().expect(version: 3)
        try expect(suite.upgrade(with: migrations).isEmpty, is: true)
        try expect(cache.upgrade(migrations).entries.flatMap(\.steps), is: [])
        try scratch.expect(["volume": 4])
    }

    /// The copy of a suite that the journal's patch was made for may come back after another store has applied it.
    @Test func `A journal of changes that the suite has been through changes nothing`() throws {
        let suite = scratch.suite
        let migrations = MigrationRegistry([doubling(1)])
        try scratch.commit(migrations)
        try ScratchCache().upgrade(migrations)
        try scratch.expect(["volume": 2])
        // The app goes back to the value that the patch was computed from.
        try suite.set(1, forKey: "volume")
        try suite.upgrade(with: migrations)
        try scratch.expect(["volume": 1], history: ["double 1"])
        try suite.upgradeState().expect(version: 1)
    }

    @Test(arguments: [false, true])
    func `A ledger in a newer format is not written, and read if this release may`(isReadable: Bool) throws {
        let suite = scratch.suite
        try suite.upgrade(with: [doubling(1)])
        var text = try #require(try scratch.allValues["molt.ledger"]?.string)
        let format = isReadable ? "\"format\":3,\"readerFormat\":2,\"later\":true" : "\"format\":3"
        text.replace("\"format\":2", with: format)
        if isReadable {
            text.replace("\"moltVersion\"", with: "\"extra\":\"{}\",\"outcome\":\"someday\",\"moltVersion\"")
        }
        try suite.write(set: ["molt.ledger": .string(text)])
        let before = try scratch.allValues
        if isReadable {
            try expect(suite.upgrade(with: [doubling(1)]).isEmpty, is: true)
            let ledger = try suite.history()
            #expect(ledger.map(\.outcome) == [.ran] && ledger.map(\.extra) == ["{}"])
        }
        let error = MoltError.thrown { try suite.upgrade(with: [doubling(1), doubling(2)]) }
        error?.expect(.newerFormat, key: "molt.ledger", store: suite.domainName)
        if isReadable { error?.expect(says: "this release of Molt writes formats up to 2") }
        try expect(scratch.allValues, is: before)
    }

    @Test func `A store with a late migration says so, whatever its suites hold`() throws {
        try scratch.suite.upgrade(with: [doubling(1)])
        var text = try #require(try scratch.allValues["molt.ledger"]?.string)
        text.replace("\"format\":2", with: "\"format\":3")
        try scratch.suite.write(set: ["molt.ledger": .string(text)])
        let cache = try ScratchCache()
        try cache.upgrade([Migration(to: 2, "second")])
        let migrations: MigrationRegistry = [Migration(to: 1, "first"), Migration(to: 2, "second"), doubling(3)]
        MoltError.thrown { try cache.upgrade(migrations) }?.expect(.lateMigration, migration: "first")
    }
}
