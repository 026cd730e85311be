extension ConflictPolicy<CodableCache> {
    /// The value that was set later stays; if both were set at the same time, that of the cache.
    ///
    /// A record that a migration creates during the import counts as older than any. Settings have no dates, so a suite
    /// keeps its values. An expired value in the cache does not count.
    public static var newest: Self { Self(rule: .newestValue) }
}
