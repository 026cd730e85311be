import Foundation
import Molt
import Testing

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
        keys: Suite.Keys = .all,
        renaming names: [String: String] = [:],
        onConflict policy: ConflictPolicy<Suite> = .keep,
        removingSource: Bool = false
    ) -> Migration {
        .suiteToAppGroup(
            to: version,
            name,
            from: old.suite,
            into: new.suite,
            keys: keys,
            renaming: names,
            onConflict: policy,
            removingSource: removingSource
        )
    }

    @discardableResult
    func upgrade(_ migrations: Migration..., hook: UpgradeHook? = nil) throws -> MigrationReport {
        try cache.upgrade(MigrationRegistry(migrations), hook)
    }

    /// Expects these settings in the two suites.
    func expect(
        old: [String: PropertyListValue],
        new: [String: PropertyListValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try self.old.values == old, sourceLocation: sourceLocation)
        #expect(try self.new.values == new, sourceLocation: sourceLocation)
    }
}
