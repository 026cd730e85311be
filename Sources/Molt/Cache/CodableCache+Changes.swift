extension CodableCache {
    /// The changes that this cache makes from now on.
    ///
    /// ```swift
    /// for await change in cache.changes(of: Person.self) { reload(change.key) }
    /// ```
    ///
    /// Changes arrive after their transaction, in its order. Changes by other processes, or by other caches on the same
    /// file, are not delivered. A sequence buffers changes until they are consumed, and ends when the cache is closed.
    public func changes() -> AsyncStream<CodableCache.Change> {
        hub.changes(.all)
    }

    /// The changes of one key from now on, including removals of all values or of all values of a type.
    public func changes(forKey key: String) -> AsyncStream<CodableCache.Change> {
        hub.changes(.key(key))
    }

    /// The changes of values stored as a type from now on, including removals of all values.
    public func changes(of type: Any.Type) -> AsyncStream<CodableCache.Change> {
        hub.changes(.type(RecordTypeName.of(type)))
    }
}
