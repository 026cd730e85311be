public import Foundation
public import MoltCore

extension MigrationPlan {
    /// Computes what opening a cache file would do; writes nothing, also when there is no file.
    ///
    /// ```swift
    /// let plan = try MigrationPlan(forFileAt: url, migrations: migrations)
    /// print(plan)
    /// ```
    ///
    /// - Throws: ``MigrationError`` with the code `invalidRegistry`; ``CacheError`` when there is a file that is not
    ///   a cache, or that cannot be read.
    public init(forFileAt url: URL, migrations: MigrationRegistry, role: MigrationRole = .current) throws {
        try self.init(for: CacheStore(at: url), migrations: migrations, role: role)
    }
}
