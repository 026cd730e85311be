internal import Foundation

extension CodableCache {
    /// Changes that are written in one transaction.
    public struct Batch {
        private let cache: CodableCache
        fileprivate private(set) var changes = EncodedBatch()
        private var names = TypeNames()
        private var knownTypes: Set<ObjectIdentifier>

        fileprivate init(_ cache: CodableCache) {
            self.cache = cache
            knownTypes = cache.knownTypes.types
        }

        /// Stores a value under a key when the batch is written.
        ///
        /// - Throws: ``MoltError`` with the code `notEncodable`.
        public mutating func set<Value: Encodable>(_ value: Value, forKey key: String, expiry: Expiry? = nil) throws {
            let content = try cache.encode(value, key: key, expiry: expiry, isKnown: knownTypes.contains, &names)
            if let type = content.firstShape?.type { knownTypes.insert(type) }
            changes.set(key, content)
        }

        /// Removes the value under a key when the batch is written.
        public mutating func remove(forKey key: String) {
            changes.remove(key)
        }
    }

    /// Writes several changes in one transaction: all of them, or none on failure.
    ///
    /// ```swift
    /// try cache.batch { batch in
    ///     try batch.set(john, forKey: "john")
    ///     batch.remove(forKey: "jim")
    /// }
    /// ```
    ///
    /// The changes are collected first, so reads of the cache inside the closure see the values before the batch.
    ///
    /// - Throws: The closure's errors; ``MoltError``, also with the code `storeChanged` or, see
    ///   ``MoltConfiguration/mismatches``, `schemaDrift`.
    public func batch(_ collect: (inout Batch) throws -> Void) throws {
        try write(try changes(collect))
    }

    /// Stores several values in one transaction: all of them, or none on failure.
    ///
    /// ```swift
    /// try cache.setAll(["john": john, "jim": jim])
    /// ```
    ///
    /// - Parameters:
    ///   - values: A dictionary, or an array of pairs, whose keys may differ by their bytes only.
    ///   - expiry: When the values expire; by default as configured.
    /// - Throws: ``MoltError``, also with the code `storeChanged` or, see ``MoltConfiguration/mismatches``,
    ///   `schemaDrift`.
    @inlinable  // Specialized code iterates the sequence many times faster.
    public func setAll<Value: Encodable>(
        _ values: some Sequence<(key: String, value: Value)>,
        expiry: Expiry? = nil
    ) throws {
        try batch { batch in
            for (key, value) in values { try batch.set(value, forKey: key, expiry: expiry) }
        }
    }

    /// Stores several values in one transaction; waits for the disk without blocking a thread.
    ///
    /// - Throws: The errors of the synchronous call.
    @inlinable
    public func setAll<Value: Encodable>(
        _ values: some Sequence<(key: String, value: Value)>,
        expiry: Expiry? = nil
    ) async throws {
        try await batch { batch in
            for (key, value) in values { try batch.set(value, forKey: key, expiry: expiry) }
        }
    }

    /// The values under several keys, read from one snapshot, in the order of the keys; nil for each missing value.
    ///
    /// - Throws: ``MoltError`` with the code `unreadableContent` for the first value that cannot be decoded.
    public func values<Value: Decodable>(_ type: Value.Type = Value.self, forKeys keys: [String]) throws -> [Value?] {
        try contents(keys).map { try $0.map { try decode(type, $0) } }
    }

    /// The values under several keys, as in the synchronous call; waits for the disk without blocking a thread.
    public func values<Value: Decodable>(
        _ type: Value.Type = Value.self,
        forKeys keys: [String]
    ) async throws -> [Value?] {
        let found = try await queue.run { [self] in try self.contents(keys) }
        return try found.map { try $0.map { try decode(type, $0) } }
    }

    private func changes(_ collect: (inout Batch) throws -> Void) throws -> EncodedBatch {
        var batch = Batch(self)
        try collect(&batch)
        return batch.changes
    }

    private func write(_ batch: EncodedBatch) throws {
        guard !batch.isEmpty else { return }
        try change { session throws(SQLiteError) in
            try session.apply(batch)
        } telling: { session, listsChanges in
            listsChanges ? session.changes : batch.changes
        }
    }

    private func contents(_ keys: [String]) throws -> [StoredContent?] {
        try core.read { session throws(SQLiteError) in
            var contents: [StoredContent?] = []
            for key in keys { contents.append(try session.content(key)) }
            return contents
        }
    }
}

extension CodableCache {
    /// Writes several changes in one transaction; waits for the disk without blocking a thread.
    ///
    /// - Throws: The errors of the synchronous call.
    public func batch(_ collect: (inout Batch) throws -> Void) async throws {
        let changes = try changes(collect)
        try await queue.run { [self] in try write(changes) }
    }
}
