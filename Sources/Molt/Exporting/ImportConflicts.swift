/// What an import does about a key that has a value in the cache, or another value in a suite.
///
/// An expired value in the cache does not count.
public enum ImportConflicts: String, Hashable, Sendable, CaseIterable {
    /// The import fails with the code `keyExists`, and nothing is imported.
    case fail
    /// The value in the cache or suite stays.
    case keep
    /// The imported value replaces it.
    case replace
    /// The value that was set later stays; if both were set at the same time, that of the cache.
    ///
    /// A record that a migration creates during the import counts as older than any. Settings have no dates, so a suite
    /// keeps its values.
    case newest
}
