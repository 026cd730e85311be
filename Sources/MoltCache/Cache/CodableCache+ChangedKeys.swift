internal import MoltCore

extension CodableCache {
    /// Calls a closure with each key that the upgrade changed, created or removed when the cache was opened.
    ///
    /// Use it to update what the app derives from values, such as a search index:
    ///
    /// ```swift
    /// configuration.recordsChangedKeys = true
    /// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
    /// try cache.forEachUpgradedKey { key, change in
    ///     switch change {
    ///     case .removed: index.remove(key)
    ///     default: index.update(key, try cache.value(Note.self, forKey: key))
    ///     }
    /// }
    /// ```
    ///
    /// Each key occurs once. A record with a new key occurs with both keys, and a rename of a type changes no key. The
    /// keys are in a temporary file, not in memory, and are gone when the cache is closed or suspended: if the app may
    /// be killed before it has handled them, or if another process may make the upgrade, let the index remember the last
    /// entry of ``history(at:)``, and rebuild it when that differs.
    ///
    /// - Parameter body: Receives a key and the kind `set` or `removed`. It may use the cache.
    /// - Throws: The error of `body`; ``CacheError`` with the code `closed`, also after `StoreAccess.suspend()`, or
    ///   `storeFailed`. Without ``Configuration/recordsChangedKeys``, or if there was nothing to upgrade, nothing is
    ///   called or thrown.
    public func forEachUpgradedKey(_ body: (_ key: String, _ change: CodableCache.Change.Kind) throws -> Void) throws {
        guard configuration.recordsChangedKeys else { return }
        var last: Int64 = 0
        while true {
            let keys = try core.upgradedKeys(after: last, limit: 1_000)
            guard let newest = keys.last else { return }
            for (_, key, isSet) in keys { try body(key, isSet ? .set : .removed) }
            last = newest.id
        }
    }
}
