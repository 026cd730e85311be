internal import Foundation

extension CodableCache {
    // MARK: Listing

    /// All keys, in the order in which they were first set.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func keys() throws -> [String] {
        try core.read { try $0.keys(ofType: nil) }
    }

    /// The keys of the values stored as a type, in the order in which they were first set.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func keys(of type: Any.Type) throws -> [String] {
        let name = RecordTypeName.of(type)
        return try core.read { try $0.keys(ofType: name) }
    }

    /// Calls a closure with the key of each value of a type that was last written at a later schema version.
    ///
    /// Use it to update what the app derives from values, such as a search index that remembers the schema version for
    /// which it was made:
    ///
    /// ```swift
    /// try cache.keys(changedSince: 3, of: Note.self) { key in
    ///     words[key] = try cache.value(Note.self, forKey: key)?.text.split(separator: " ")
    /// }
    /// ```
    ///
    /// The versions are in the file, so the answer is the same after the store is opened again. These are the values
    /// whose content, key or expiry a migration to a later version has changed, those that one has created, and those
    /// that the app has set since. Not included are:
    ///
    /// - values that no step has changed, such as those of a renamed type;
    /// - values that are gone, or were given another key: look for the keys of the index with ``contains(_:)``, or ask
    ///   for them with ``droppedKeys(after:ofType:_:)``;
    /// - values that still have to go through a migration on read. Call `finishBackfill()` first;
    /// - changes at the version itself. A migration that runs late, when the store has its version already, leaves
    ///   records at the store's version.
    ///
    /// The call reads every record of the type, but keeps only a part of the keys in memory.
    ///
    /// - Parameters:
    ///   - version: The schema version after which values must have been written.
    ///   - type: The type that the values are stored as.
    ///   - body: Receives a key, in the order in which the keys were first set. It may use the cache. Values that are
    ///     added in the meantime are not included.
    /// - Throws: The error of `body`; ``MoltError``, also with the code `storeChanged`, or with `needsMigration` for a
    ///   cache that reads an older file.
    public func keys(changedSince version: Int, of type: Any.Type, _ body: (_ key: String) throws -> Void) throws {
        let name = RecordTypeName.of(type)
        try checkIsUpgraded(toKnow: "which values the upgrade would change")
        let last = try core.read { try $0.rows.lastID() }
        var position = Int64.min
        while position < last {
            let page = try core.read { [position] session in
                try session.keys(changedSince: version, ofType: name, after: position, through: last)
            }
            guard let end = page.last else { return }
            for (_, key) in page { try body(key) }
            position = end.id
        }
    }

    /// Throws for a cache that reads an older file.
    func checkIsUpgraded(toKnow what: String) throws(MoltError) {
        guard isReadOnly, upgrader != nil else { return }
        throw MoltError(
            .needsMigration,
            "The cache at \(path) is read without an upgrade, so it is unknown \(what).",
            advice: "Ask again once the store has been upgraded.",
            store: path
        )
    }

    /// The keys and values stored as a type, in the order in which the keys were first set.
    ///
    /// The result is an array because keys are compared by their bytes: a dictionary would merge two spellings of the
    /// same letter. All values are in memory at once.
    ///
    /// - Throws: ``MoltError`` with the code `unreadableContent` for the first value that cannot be decoded.
    public func values<Value: Decodable>(of type: Value.Type) throws -> [(key: String, value: Value)] {
        var failure: MoltError?
        let values = try values(of: type, isOver: { failure != nil }, failed: { failure = $0 })
        if let failure { throw failure }
        return values
    }

    /// The keys and values stored as a type that can be decoded.
    ///
    /// ```swift
    /// let people = try cache.values(of: Person.self) { error in print("\(error.key ?? ""): \(error.code)") }
    /// ```
    ///
    /// - Parameter failed: Called for each value that cannot be decoded, with an error that has the code
    ///   `unreadableContent` and names the key. It must not use the cache.
    public func values<Value: Decodable>(
        of type: Value.Type,
        onFailure failed: (MoltError) -> Void
    ) throws -> [(key: String, value: Value)] {
        try values(of: type, isOver: { false }, failed: failed)
    }

    private func values<Value: Decodable>(
        of type: Value.Type,
        isOver: () -> Bool,
        failed: (MoltError) -> Void
    ) throws -> [(key: String, value: Value)] {
        let name = RecordTypeName.of(type)
        var values: [(key: String, value: Value)] = []
        func add(_ content: StoredContent) {
            guard !isOver() else { return }
            do throws(MoltError) {
                values.append((key: content.key, value: try decode(type, content)))
            } catch {
                failed(error)
            }
        }
        let isRead: Void? = try core.readAlone { session in
            try session.forEachContent(ofType: name) { content in add(content) }
        }
        if isRead != nil { return values }
        let contents = try core.read { session in
            var contents: [StoredContent] = []
            try session.forEachContent(ofType: name) { contents.append($0) }
            return contents
        }
        for content in contents { add(content) }
        return values
    }

    /// The number of values.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func count() throws -> Int {
        try core.read { try $0.count(ofType: nil) }
    }

    /// The number of values stored as a type.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func count(of type: Any.Type) throws -> Int {
        let name = RecordTypeName.of(type)
        return try core.read { try $0.count(ofType: name) }
    }

    /// The total content of all records in bytes, which ``MoltConfiguration/sizeLimit`` limits; keys do not count.
    ///
    /// Without a limit, the call reads the whole file.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func contentSize() throws -> Int {
        Int(try core.read { try $0.contentSize() })
    }

    /// The space on disk in bytes: the file and its log; for a cache in memory, its pages.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func totalSize() throws -> Int {
        let pages = try core.read { try $0.connection.byteCount }
        guard path != ":memory:" else { return Int(pages) }
        return StoreFiles(path).byteCount ?? 0
    }

    // MARK: Removing

    /// Removes expired values, which take up space until then but are never returned.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `readOnly`, `suspended`, `storeChanged` or
    ///   `storeFailed`.
    @discardableResult
    public func removeExpired() throws -> Int {
        try change { try $0.removeExpired() }
    }

    /// Removes all values; records in quarantine stay, see ``removeAllQuarantined()``.
    ///
    /// - Important: This cannot be undone.
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `readOnly`, `suspended`, `storeChanged` or
    ///   `storeFailed`.
    public func removeAll() throws {
        try removeAll(named: nil)
    }

    /// Removes all values stored as a type.
    ///
    /// - Important: This cannot be undone.
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `readOnly`, `suspended`, `storeChanged` or
    ///   `storeFailed`.
    public func removeAll(of type: Any.Type) throws {
        try removeAll(named: RecordTypeName.of(type))
    }

    private func removeAll(named name: String?) throws {
        try change { try $0.removeAll(ofType: name) }
    }

    // MARK: Batches

    /// Changes that are written in one transaction.
    public struct Batch {
        private let cache: CodableCache
        fileprivate private(set) var changes = EncodedBatch()
        private var names = TypeNames()
        private var checkedShapes: Set<ObjectIdentifier>

        fileprivate init(_ cache: CodableCache) {
            self.cache = cache
            checkedShapes = cache.checkedShapes.types
        }

        /// Stores a value under a key when the batch is written.
        ///
        /// - Throws: ``MoltError`` with the code `notEncodable`.
        public mutating func set<Value: Encodable>(_ value: Value, forKey key: String, expiry: Expiry? = nil) throws {
            let content = try cache.encode(value, key: key, expiry: expiry, isChecked: checkedShapes.contains, &names)
            if let type = content.firstShape?.type { checkedShapes.insert(type) }
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
    ///   ``MoltConfiguration/mismatches``, `shapeChanged`.
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
    ///   `shapeChanged`.
    @inlinable  // Specialized code iterates the sequence many times faster.
    public func setAll<Value: Encodable>(
        _ values: some Sequence<(key: String, value: Value)>,
        expiry: Expiry? = nil
    ) throws {
        try batch { batch in
            for (key, value) in values { try batch.set(value, forKey: key, expiry: expiry) }
        }
    }

    /// The values under several keys, read from one snapshot, in the order of the keys; nil for each missing value.
    ///
    /// - Throws: ``MoltError`` with the code `unreadableContent` for the first value that cannot be decoded.
    public func values<Value: Decodable>(_ type: Value.Type = Value.self, forKeys keys: [String]) throws -> [Value?] {
        try contents(keys).map { try $0.map { try decode(type, $0) } }
    }

    private func changes(_ collect: (inout Batch) throws -> Void) throws -> EncodedBatch {
        var batch = Batch(self)
        try collect(&batch)
        return batch.changes
    }

    /// The live contents under some keys, read from one snapshot.
    func contents(_ keys: [String]) throws -> [StoredContent?] {
        try core.read { session in
            var contents: [StoredContent?] = []
            for key in keys { contents.append(try session.content(key)) }
            return contents
        }
    }
}
