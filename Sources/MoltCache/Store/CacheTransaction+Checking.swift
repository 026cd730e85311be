extension CacheTransaction {
    /// Compares, before the first record is read or changed, how many the table and its indexes have.
    ///
    /// A pass that reads the records of all types through a ``SnapshotReader`` goes through the table by itself, compares
    /// what it has read, and uses no key: there ``checkIndexes()`` is enough.
    ///
    /// A damaged page may name fewer pages below it than there are, and SQLite then passes over these without a word:
    /// the upgrade would leave their records as they were in a store of a newer version.
    func checkTrees() throws(SQLiteError) {
        guard !isChecked, !isFresh else { return }
        try checkIndexes()
        let count = try connection.integer("SELECT count(*) FROM molt_record NOT INDEXED")
        guard try countAll() == Int(count) else { throw .unequalCounts }
        try checkKeys()
        isChecked = true
    }

    /// Compares how many records the index of the keys has with what the index of the types has.
    ///
    /// An index that lacks a key would let two records have it.
    func checkKeys() throws(SQLiteError) {
        guard !isChecked, !hasCheckedKeys, !isFresh else { return }
        // All keys are texts, and none is less than the empty one. Without the comparison SQLite would count in another
        // index, the smallest one, whatever is said here.
        let count = try connection.integer(
            "SELECT count(*) FROM molt_record INDEXED BY sqlite_autoindex_molt_record_1 WHERE key >= ''"
        )
        guard try countAll() == Int(count) else { throw .unequalCounts }
        hasCheckedKeys = true
    }

    /// Compares how many records the index of the types has, and how many have a type with a name.
    ///
    /// That is enough for who reads all records of a type from the table, and compares their number with the index's.
    func checkIndexes() throws(SQLiteError) {
        guard !isChecked, !hasCheckedIndexes, !isFresh else { return }
        let count = Int64(try countAll())
        // Ids begin with 1, and no two are the same: what lies outside of that is damage, and no pass would see it.
        let first = try connection.integer("SELECT min(id) FROM molt_record NOT INDEXED")
        let last = try connection.integer("SELECT max(id) FROM molt_record NOT INDEXED")
        guard count == 0 || first > 0 && last >= count else { throw .disorder }
        // No step would see records of a type that has no name, nor those whose entry in the index is overwritten.
        var typeIDs: [Int64] = []
        try connection.prepare("SELECT id FROM molt_type").eachRow { row throws(SQLiteError) in
            typeIDs.append(row.integer(0))
        }
        var named: Int64 = 0
        // The counts are kept for the pass, which needs them too.
        for id in typeIDs { named += Int64(try self.count(id)) }
        guard named == count else { throw .unequalCounts }
        hasCheckedIndexes = true
    }
}
