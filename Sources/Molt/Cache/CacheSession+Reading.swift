internal import Foundation

extension CacheSession {
    // MARK: Reading

    /// Reads like ``content(_:)``, but outside a transaction.
    ///
    /// The single statement has one snapshot, in which it checks the generation.
    func contentAlone(_ key: String) throws(SQLiteError) -> StoredContent? {
        do {
            return try content(key)
        } catch {
            throw try explained(error)
        }
    }

    /// The content under a key; nil when there is none or it has expired.
    func content(_ key: String) throws(SQLiteError) -> StoredContent? {
        let statement = try statements[.get]
        var bytes = key
        return try bytes.withUTF8 { utf8 in
            Result { () throws(SQLiteError) in
                defer {
                    statement.reset()
                    statement.unbind(1)
                }
                try statement.bind(inPlace: UnsafeRawBufferPointer(utf8), isText: true, at: 1)
                guard try statement.step() else { return nil }
                try check(generation: statement.integer(0))
                return statement.isNull(1) ? nil : try found(statement, key)
            }
        }.get()
    }

    /// The content of a row found by its key; nil when it has expired.
    private func found(_ row: Statement, _ key: String) throws(SQLiteError) -> StoredContent? {
        guard !row.isNull(2) else { throw .missingRow }
        // A damaged index entry may lead to another record.
        guard row.isText(4, key) else { throw .wrongRow }
        // SQLite's own comparisons would rank a value that is not a number, which is damage, after any time.
        let expiration = row.real(6)
        if row.isNumber(6), let expiration, expiration <= now { return nil }
        let found = StoredContent(
            foundRow: row,
            key: key,
            typeName: try typeName(id: row.integer(5)),
            expiration: expiration
        )
        touch(found.id)
        return found
    }

    /// The times of a record's creation and last write, in seconds since 1970.
    func dates(id: Int64) throws(SQLiteError) -> (created: Double, updated: Double) {
        let statement = try statements[.dates]
        try statement.bind(id, at: 1)
        guard let dates = try statement.first({ ($0.real(0) ?? 0, $0.real(1) ?? 0) }) else { throw .missingRow }
        return dates
    }

    /// The name of a type, cached; empty when it is lost.
    private func typeName(id: Int64) throws(SQLiteError) -> String {
        if let last = lastRead, last.id == id { return last.name }
        if let name = typeNames[id] {
            lastRead = (id, name)
            return name
        }
        let statement = try statements[.nameOfType]
        try statement.bind(id, at: 1)
        // A lost id may be given to another type.
        guard let name = try statement.first({ $0.text(0) }) else { return "" }
        typeNames[id] = name
        return name
    }

    /// The stored type name of the value under a key, read without its content; nil when there is no live value.
    func typeName(_ key: String) throws(SQLiteError) -> String? {
        let statement = try statements[.nameOfKey]
        try statement.bind(now, at: 1)
        try statement.bind(key, at: 2)
        return try statement.first { $0.text(0) }
    }

    /// Calls a closure with each content of a type, in the order of insertion.
    func forEachContent(
        ofType type: String,
        _ body: (StoredContent) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try listing(.rowsOfType, type).eachRow { row throws(SQLiteError) in try body(StoredContent(row)) }
    }

    func keys(ofType type: String?) throws(SQLiteError) -> [String] {
        try listing(type == nil ? .keys : .keysOfType, type).map { $0.text(0) }
    }

    /// The next keys of a type whose records were last written after a version, by id.
    func keys(
        changedSince version: Int,
        ofType type: String,
        after position: Int64,
        through last: Int64
    ) throws(SQLiteError) -> [(id: Int64, key: String)] {
        let statement = try listing(.keysChanged, type)
        try statement.bind(Int64(version), at: 3)
        try statement.bind(position, at: 4)
        try statement.bind(last, at: 5)
        return try statement.map { ($0.integer(0), $0.text(1)) }
    }

    func count(ofType type: String?) throws(SQLiteError) -> Int {
        Int(try listing(type == nil ? .count : .countOfType, type).first { $0.integer(0) } ?? 0)
    }

    private func listing(_ query: RowQuery, _ type: String?) throws(SQLiteError) -> Statement {
        let statement = try statements[query]
        try statement.bind(now, at: 1)
        if let type { try statement.bind(type, at: 2) }
        return statement
    }

    // MARK: Removing

    /// Removes the record under a key and notes the change; an expired record is noted as `expired`.
    ///
    /// - Returns: Whether there was a live record.
    func remove(_ key: String, as kind: CodableCache.Change.Kind) throws(SQLiteError) -> Bool {
        changedKeys.insert(key)
        let statement = try statements[.remove]
        try statement.bind(now, at: 1)
        try statement.bind(key, at: 2)
        var wasLive = false
        try statement.eachRow { row throws(SQLiteError) in
            wasLive = row.integer(3) == 0
            noteRemoval(row, wasLive ? kind : .expired)
        }
        return wasLive
    }

    /// Removes all expired records.
    ///
    /// - Returns: The number of removed records.
    func removeExpired() throws(SQLiteError) -> Int {
        let statement = try statements[.removeExpired]
        try statement.bind(now, at: 1)
        var count = 0
        try statement.eachRow { row throws(SQLiteError) in
            count += 1
            changedKeys.insert(row.text(0))
            noteRemoval(row, .expired)
        }
        return count
    }

    func removeAll(ofType type: String?) throws(SQLiteError) {
        changedKeys.insertAll()
        if let type {
            let statement = try statements[.removeType]
            try statement.bind(type, at: 1)
            try statement.run()
            if size != nil { size = try statements[.sumSizes].first { $0.integer(0) } }
        } else {
            try statements[.removeAll].run()
            if size != nil { size = 0 }
        }
        changes.append(CodableCache.Change(key: nil, typeName: type, kind: .removedAll))
    }

    /// Removes expired records, then the least recently used, until the contents fit.
    func evict(to limit: Int64) throws(SQLiteError) {
        guard let total = size, total > limit else { return }
        _ = try removeExpired()
        guard let rest = size, rest > limit else { return }
        // Only caches with a limit need the index, and only from their first eviction on; see FileFormat.
        try connection.execute(
            "CREATE INDEX IF NOT EXISTS molt_record_use ON molt_record(accessed_at)"
        )
        while let size, size > limit {
            guard let key = try statements[.oldest].first({ $0.text(0) }) else { return }
            let count = changes.count
            _ = try remove(key, as: .evicted)
            // Without progress, the loop would not end.
            guard changes.count > count else { throw .missingRow }
        }
    }

    private func noteRemoval(_ row: Statement, _ kind: CodableCache.Change.Kind) {
        // Overflow is allowed: the stored size may be damaged, and must not trap.
        if let size { self.size = size &- row.integer(2) }
        changes.append(CodableCache.Change(key: row.text(0), typeName: row.text(1), kind: kind))
    }
}
