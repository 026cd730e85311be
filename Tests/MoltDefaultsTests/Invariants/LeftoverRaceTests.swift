import Foundation
import Molt
import Testing

@Suite("A suite's ledger after another process was killed")
struct LeftoverRaceTests {
    /// A suite store where another process gets in before this one's first write transaction.
    private final class RacingStore: MigrationStore {
        private let base: DefaultsStore
        private var before: (() -> Void)?

        init(_ suite: Suite, before: @escaping () -> Void) {
            base = DefaultsStore(suite)
            self.before = before
        }

        var storeName: String { base.storeName }
        var attachments: [any AttachedStore] { base.attachments }

        func state() throws -> StoreState { try base.state() }

        func withWriteTransaction(
            until deadline: ContinuousClock.Instant?,
            isSynced: Bool,
            _ body: (any MigrationTransaction) throws -> Void,
            waiting: () throws -> Void
        ) throws {
            before?()
            before = nil
            try base.withWriteTransaction(until: nil, isSynced: isSynced, body, waiting: waiting)
        }
    }

    private let scratch: ScratchSuite

    init() throws {
        scratch = try ScratchSuite(["volume": 1])
    }

    /// Doubles the volume, so a second run would show.
    private func doubling(_ version: Int, hook: HookStore? = nil) -> Migration {
        let step = MigrationStep.settings(in: scratch.suite) { settings in
            guard case .int(let volume)? = try settings.value(forKey: "volume") else { return }
            try settings.set(.int(volume * 2), forKey: "volume")
        }
        return Migration(to: version, "double \(version)", steps: [hook.map { .hook($0) }, step].compactMap(\.self))
    }

    @Test(arguments: [false, true])
    func `The ledger includes what the killed process committed`(isFirst: Bool) throws {
        let suite = scratch.suite
        if !isFirst { try suite.upgrade(with: [Migration(to: 1, "empty")]) }
        let earlier = isFirst ? [] : [Migration(to: 1, "empty")]
        // The process is killed when its changes are about to be applied.
        let killed = MigrationRegistry(
            earlier + [doubling(2, hook: HookStore { _ in throw HookStore.Failure() })]
        )
        let store = RacingStore(suite) {
            #expect(throws: MoltError.self) { try suite.upgrade(with: killed) }
        }
        let migrations = MigrationRegistry(earlier + [doubling(2, hook: HookStore { _ in }), doubling(3)])
        let report = try Migrator(migrations).migrate(store)
        #expect(report.entries.map(\.migration.name) == ["double 3"])
        #expect(try scratch.values["volume"] == 4)
        #expect(try DefaultsStore(suite).state().version == 3)
        #expect(try suite.upgrade(with: migrations).isEmpty)
        #expect(try scratch.values["volume"] == 4)
    }

    @Test func `A ledger in a newer format is refused and left unchanged`() throws {
        let suite = scratch.suite
        try suite.upgrade(with: [doubling(1)])
        let text = try #require(try scratch.values["molt.ledger"]?.string)
        let newer = PropertyListValue.string(text.replacing("\"format\":1", with: "\"format\":2"))
        try SuiteDomain(suite).write(set: ["molt.ledger": newer])
        let before = try scratch.values
        let error = #expect(throws: MoltError.self) { try suite.upgrade(with: [doubling(1), doubling(2)]) }
        #expect(error?.code == .newerFormat)
        #expect(error?.store == suite.domainName)
        #expect(error?.key == "molt.ledger")
        #expect(try scratch.values == before)
    }

    @Test func `A ledger in a newer format that this release may read is read and not written`() throws {
        let suite = scratch.suite
        try suite.upgrade(with: [doubling(1)])
        let text = try #require(try scratch.values["molt.ledger"]?.string)
        let newer = text.replacing("\"format\":1", with: "\"format\":2,\"readerFormat\":1,\"later\":true")
            .replacing("\"outcome\":\"ran\"", with: "\"extra\":\"{}\",\"outcome\":\"someday\"")
        try SuiteDomain(suite).write(set: ["molt.ledger": .string(newer)])
        let before = try scratch.values
        #expect(try suite.upgrade(with: [doubling(1)]).isEmpty)
        let ledger = try DefaultsStore(suite).state().ledger
        #expect(ledger.map(\.outcome) == [.ran] && ledger.map(\.extra) == ["{}"])
        let error = #expect(throws: MoltError.self) { try suite.upgrade(with: [doubling(1), doubling(2)]) }
        #expect(error?.code == .newerFormat)
        #expect(error?.message.contains("this release of Molt writes formats up to 1") == true)
        #expect(try scratch.values == before)
    }

    @Test func `A failed subscript is reported as the failure of its own migration`() throws {
        let suite = scratch.suite
        let wrong = DefaultsKey<[Int]>("volume", default: [])
        let error = #expect(throws: MoltError.self) {
            try suite.upgrade(with: [
                Migration(to: 1, "faulty", .settings(in: suite) { _ = $0[wrong] }), doubling(2),
            ])
        }
        #expect(error?.migration?.name == "faulty")
        #expect(error?.step?.number == 1)
        #expect((error?.underlying as? MoltError)?.code == .typeMismatch)
        #expect(try scratch.values == ["volume": 1])
    }
}
