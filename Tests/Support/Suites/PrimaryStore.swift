package import Foundation
package import Molt

/// The store whose migrations change suites: a cache, or one of the suites.
package enum PrimaryStore: String, Codable, CaseIterable, Sendable {
    case cache
    case suite

    /// Upgrades the store.
    @discardableResult
    package func upgrade(
        _ suite: Suite,
        cache: URL,
        with migrations: MigrationRegistry,
        _ hook: UpgradeHook? = nil
    ) throws -> MigrationReport {
        let configuration = MoltConfiguration { $0.hooks.atPoint = hook }
        switch self {
        case .cache:
            let cache = try CodableCache(at: cache, migrations: migrations, configuration: configuration)
            cache.close()
            return cache.report
        case .suite: return try suite.upgrade(with: migrations, configuration: configuration)
        }
    }

    /// The state of the store, read without opening anything for writing.
    package func state(of suite: Suite, cache: URL) throws -> StoreState {
        switch self {
        case .cache: try StoreFile.state(at: cache)
        case .suite: try suite.upgradeState()
        }
    }
}

extension Suite {
    /// The state of a suite that is upgraded without a cache: that of its ledger, or while changes are pending, that of
    /// the upgrade that has committed them.
    package func upgradeState() throws -> StoreState {
        let file = try StoreFile.state(at: SuiteFiles(self).store)
        guard file.journal.isEmpty else { return file }
        let own = try state()
        return try StoreState(
            version: own?.version ?? 0,
            isFresh: own == nil && values().isEmpty,
            ledger: own?.ledger ?? []
        )
    }
}

/// The part of a committed upgrade's changes to a suite that is made at once.
package enum AppliedPart: String, Codable, CaseIterable, Sendable {
    /// All, if no other suite changes.
    case all
    /// Additions and replacements, and the rows of the ledger.
    case add
    /// Removals.
    case remove
}

extension UpgradePoint {
    /// The point after the commit at which a part of the changes to a suite is about to be made.
    package static func before(_ part: AppliedPart, of suite: Suite) -> UpgradePoint {
        UpgradePoint(.beforeApply, "\(suite.attachedName) (\(part))")
    }
}
