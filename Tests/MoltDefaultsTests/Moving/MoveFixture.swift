import Foundation
import Testing

@testable import Molt

/// Two suites, and a store whose migration moves settings from one to the other.
struct MoveFixture {
    let old: ScratchSuite
    let new: ScratchSuite
    let cache: ScratchCache

    init(old: [String: PropertyListValue] = [:], new: [String: PropertyListValue] = [:]) throws {
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
    func upgrade(_ migrations: Migration..., hook: UpgradeHook? = nil) throws -> MigrationReport {
        try cache.upgrade(MigrationRegistry(migrations), hook)
    }
}
