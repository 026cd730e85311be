extension StoreTransaction {
    /// Saves a record's current state for ``original(id:)``, unless it was saved before.
    func keepOriginal(id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            try makeOriginals()
            let statement = try statements[.keepOriginal]
            try statement.bind(id, at: 1)
            try statement.run()
        }
    }

    /// Saves the current states of rows that are about to be written, unless they were saved before.
    func keepOriginals(of rows: ContentSource.Rows) throws(SQLiteError) {
        guard let first = rows.first, let last = rows.last else { return }
        let statement = try statements[.keepOriginals]
        try statement.bind(first.id, at: 1)
        try statement.bind(last.id, at: 2)
        try statement.run()
    }

    /// Saves the current state of all records of a type, unless they were saved before.
    func keepOriginals(ofType type: String) throws {
        try mapped { () throws(SQLiteError) in
            guard let typeID = try typeID(type) else { return }
            try makeOriginals()
            let statement = try connection.prepare(
                TransactionQuery.keeping + " WHERE +molt_record.type_id = ?1"
            )
            try statement.bind(typeID, at: 1)
            try statement.run()
        }
    }

    /// The first saved state of a record, or nil.
    func original(id: Int64) throws -> Record? {
        guard hasOriginals else { return nil }
        return try mapped { () throws(SQLiteError) in
            let row = try statements[.original]
            try row.bind(id, at: 1)
            defer { row.reset() }
            guard try row.step() else { return nil }
            let batch = RecordBatch(capacity: 1)
            batch.append(
                id: row.integer(0),
                typeName: row.text(4),
                key: row.bytes(1),
                content: row.bytes(2),
                isData: row.isBlob(2),
                expiration: row.real(3),
                version: Int(clamping: row.integer(5))
            )
            return batch[0]
        }
    }

    /// Deletes all saved states.
    func forgetOriginals() throws {
        guard hasOriginals else { return }
        try mapped { () throws(SQLiteError) in try connection.execute("DELETE FROM temp.molt_original") }
    }

    /// Creates the table; a temporary table has a file of its own, so memory stays flat.
    func makeOriginals() throws(SQLiteError) {
        guard !hasOriginals else { return }
        try connection.execute(
            """
            CREATE TEMP TABLE molt_original(
                id INTEGER PRIMARY KEY, key TEXT, type TEXT, content, expires_at REAL, version INTEGER
            )
            """
        )
        hasOriginals = true
    }
}
