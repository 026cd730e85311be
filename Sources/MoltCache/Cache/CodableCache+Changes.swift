internal import MoltCore

extension CodableCache {
    /// The changes that this cache makes from now on.
    ///
    /// ```swift
    /// for await change in cache.changes(of: Person.self) { reload(change.key) }
    /// ```
    ///
    /// Changes come after their transaction, in its order; those of other processes, and of other caches on the same
    /// file, do not come. A sequence keeps what nobody has taken yet, and ends when the cache is closed.
    public func changes() -> AsyncStream<CacheChange> {
        hub.changes(.all)
    }

    /// The changes of one key, and the removals of all values or of all of a type, from now on.
    public func changes(forKey key: String) -> AsyncStream<CacheChange> {
        hub.changes(.key(key))
    }

    /// The changes of values written as a type, and the removals of all values, from now on.
    public func changes(of type: Any.Type) -> AsyncStream<CacheChange> {
        hub.changes(.type(RecordTypeName.of(type)))
    }
}
