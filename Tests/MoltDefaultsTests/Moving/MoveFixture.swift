import Foundation
import MoltCache
import MoltCore
import MoltDefaults
import Testing

/// Two suites, and a store whose migration moves settings from one to the other.
struct MoveFixture {
    let old: ScratchSuite
    let new: ScratchSuite
    let cache: ScratchCache

    init(
        old: [String: PropertyListValue] = [:],
        new: [String: PropertyListValue] = [:]
    ) throws {
        self.old = try ScratchSuite(old)
        self.new = try ScratchSuite(new)
        cache = try ScratchCache()
    }

    /// The migration that moves the settings.
    func move(
        to version: Int = 1,
        _ name: String = "move",
        keys: SuiteMove.Keys = .all,
        renaming names: [String: String] = [:],
        conflict: SuiteMove.Conflict = .destinationWins,
        afterwards: SuiteMove.Afterwards = .keep
    ) -> Migration {
        .suiteToAppGroup(
            to: version,
            name,
            from: old.suite,
            into: new.suite,
            keys: keys,
            renaming: names,
            conflict: conflict,
            afterwards: afterwards
        )
    }

    /// A migration that moves the settings back.
    func moveBack(to version: Int, afterwards: SuiteMove.Afterwards = .keep) -> Migration {
        .suiteToAppGroup(to: version, "back", from: new.suite, into: old.suite, afterwards: afterwards)
    }

    @discardableResult
    func upgrade(_ migrations: Migration...) throws -> MigrationReport {
        try cache.upgrade(MigrationRegistry(migrations))
    }

    /// The outcome of each key in a report.
    func outcomes(_ report: MigrationReport) -> [String: KeyOutcome.Outcome] {
        Dictionary(uniqueKeysWithValues: report.keys.map { ($0.key, $0.outcome) })
    }
}

/// An attached store that runs a closure when its changes are applied.
struct Interruption: AttachedStore {
    /// Called with each phase, before the changes to suites of later steps.
    let body: @Sendable (AttachedPhase) throws -> Void

    let attachedName = "interruption"

    func begin() -> Session {
        Session()
    }

    func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws {
        try body(phase)
    }

    /// The migration to register before the move.
    var migration: Migration {
        Migration(
            to: 1,
            "interruption",
            .run(onFreshStore: true, attaching: [self]) { _ = try $0.attached(self) }
        )
    }

    final class Session: AttachedSession {
        let count = 0

        func finish() -> [UInt8]? {
            []
        }
    }
}
