extension ConflictPolicy<CodableCache> {
    /// The value that was set later stays; if both were set at the same time, that of the cache.
    ///
    /// A record that a migration creates during the import counts as older than any. Settings have no dates, so a suite
    /// keeps its values. An expired value in the cache does not count.
    public static var newest: Self { Self(rule: .newestValue) }

    /// A closure merges the imported record into the cache's, and another one the imported setting into the suite's.
    ///
    /// ```swift
    /// try await cache.import(from: url, onConflict: .merge { record, other in
    ///     record["visits"] = .int(try record.int("visits") + other.int("visits"))
    /// })
    /// ```
    ///
    /// Both records have today's form; the first one is that of the cache, and already has the later expiry of the two.
    /// The closure may change its content and its expiry. A record that a migration creates during the import is merged
    /// as well. The merged record counts as set now, and as created when the older one was.
    ///
    /// Records of one type with equal contents are not passed to the closure, so that importing a file twice merges
    /// nothing twice; the cache's one then has the later expiry. Two records of different types under one key are an
    /// error. An expired value in the cache does not count.
    ///
    /// The closures run inside the transaction, so they must not use the cache or the suite. If one of them throws,
    /// nothing is imported.
    ///
    /// - Important: Whatever a closure does not take over is lost.
    /// - Parameters:
    ///   - body: Merges the second record into the first one.
    ///   - settings: Merges the second value into the first one, which is that of the suite. Without it, two different
    ///     values of a setting are an error.
    public static func merge(
        _ body: @escaping @Sendable (_ record: inout Record, _ other: Record) throws -> Void,
        settings: (@Sendable (_ value: inout PropertyListValue, _ other: PropertyListValue) throws -> Void)? = nil
    ) -> Self {
        Self(rule: .mergeImported(records: body, settings: settings))
    }
}
