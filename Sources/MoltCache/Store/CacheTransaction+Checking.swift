extension CacheTransaction {
    /// Compares, before the first record is read, how many the table and its indexes have.
    ///
    /// A damaged page may name fewer pages below it than there are, and SQLite then passes over these without a word:
    /// the upgrade would leave their records as they were in a store of a newer version.
    func checkTrees() throws(SQLiteError) {
        guard !isChecked, !isFresh else { return }
        let count = try connection.integer("SELECT count(*) FROM molt_record NOT INDEXED")
        for index in ["sqlite_autoindex_molt_record_1", "molt_record_type"] {
            guard try connection.integer("SELECT count(*) FROM molt_record INDEXED BY \(index)") == count else {
                throw .unequalCounts
            }
        }
        // Ids begin with 1, and no two are the same: what lies outside of that is damage, and no pass would see it.
        let first = try connection.integer("SELECT min(id) FROM molt_record NOT INDEXED")
        let last = try connection.integer("SELECT max(id) FROM molt_record NOT INDEXED")
        guard count == 0 || first > 0 && last >= count else { throw .disorder }
        // No step would see records of a type that has no name, nor those whose entry in the index is overwritten.
        var typeIDs: [Int64] = []
        try connection.prepare("SELECT id FROM molt_type").eachRow { row throws(SQLiteError) in
            typeIDs.append(row.integer(0))
        }
        var named = 0
        // The counts are kept for the pass, which needs them too.
        for id in typeIDs { named += try self.count(id) }
        guard named == count else { throw .unequalCounts }
        isChecked = true
    }
}
