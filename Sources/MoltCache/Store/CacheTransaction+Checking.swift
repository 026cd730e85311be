internal import MoltCore

extension CacheTransaction {
    /// The file size, in pages, from which indexes are compared on another thread.
    private static let largeFile: Int64 = 256

    /// Begins to compare the indexes of the records with the table; they must agree before the upgrade commits.
    ///
    /// With a key missing from an index, a search finds nothing, and setting the record would duplicate it. A scan of a
    /// damaged tree skips records silently.
    func beginCheck() throws(SQLiteError) {
        guard !isChecked, indexCheck == nil, !isFresh else { return }
        try checkTypes()
        if let path = connection.filePath, try connection.integer("PRAGMA page_count") >= Self.largeFile,
            let check = IndexCheck(path: path, deadline: deadline), !connection.hasMoved
        {
            indexCheck = check
        } else {
            try RecordDigest(on: connection).compare()
            isChecked = true
        }
    }

    /// Completes the comparison before the first search by an index.
    func finishCheck() throws(SQLiteError) {
        guard !isChecked, !isFresh else { return }
        try beginCheck()
        try indexCheck?.finish()
        indexCheck = nil
        isChecked = true
    }

    /// Checks that each record has a type that is found by its name, and an id that a pass reaches.
    private func checkTypes() throws(SQLiteError) {
        let count = Int64(try countAll())
        // Ids are unique and begin with 1.
        let first = try connection.integer("SELECT min(id) FROM molt_record NOT INDEXED")
        let last = try connection.integer("SELECT max(id) FROM molt_record NOT INDEXED")
        guard count == 0 || first > 0 && last >= count else { throw .disorder }
        let types = try connection.integer("SELECT count(*) FROM molt_type NOT INDEXED")
        let names = "molt_type INDEXED BY sqlite_autoindex_molt_type_1 WHERE name"
        let found = "SELECT count(*) FROM molt_type AS type NOT INDEXED"
        guard try connection.integer("SELECT count(*) FROM \(names) >= ''") == types,
            try connection.integer("\(found) WHERE (SELECT id FROM \(names) = type.name) = type.id") == types
        else { throw .unequalCounts }
        var typeIDs: [Int64] = []
        try connection.prepare("SELECT id FROM molt_type").eachRow { row throws(SQLiteError) in
            typeIDs.append(row.integer(0))
        }
        var named: Int64 = 0
        // The pass uses these counts, too.
        for id in typeIDs { named += Int64(try self.count(id)) }
        guard named == count else { throw .unequalCounts }
    }
}
