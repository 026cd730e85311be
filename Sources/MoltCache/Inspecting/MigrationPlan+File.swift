public import Foundation
public import MoltCore

extension MigrationPlan {
    /// Computes what opening a cache file would do; writes nothing, and creates no file.
    ///
    /// ```swift
    /// let plan = try MigrationPlan(forFileAt: url, migrations: migrations)
    /// print(plan)
    /// ```
    ///
    /// - Throws: ``MigrationError`` with the code `invalidRegistry`; ``CacheError`` when the file is not a cache, or
    ///   cannot be read.
    public init(forFileAt url: URL, migrations: MigrationRegistry, role: MigrationRole = .current) throws {
        try self.init(for: CacheStore(at: url), migrations: migrations, role: role)
    }
}
