extension StoreTransaction {
    /// The names of the types that have at least one record, sorted.
    func typeNames() throws -> [String] {
        try mapped { () throws(SQLiteError) in
            var names: [String] = []
            try statements[.typeNames].eachRow { row throws(SQLiteError) in names.append(row.text(0)) }
            return names
        }
    }

    /// The number of records of a type, or of all types when `type` is nil.
    func count(ofType type: String?) throws -> Int {
        try mapped { () throws(SQLiteError) in
            guard let type else { return try countAll() }
            guard let typeID = try typeID(type) else { return 0 }
            return try count(typeID)
        }
    }

    /// Whether a record was last written before a schema version.
    func hasRecords(before version: Int) throws -> Bool {
        try mapped { () throws(SQLiteError) in try connection.hasRecords(before: version) }
    }

    /// The greatest record id, or 0 when there is no record.
    func lastRecordID() throws -> Int64 {
        try mapped { () throws(SQLiteError) in
            try statements[.lastID].first { $0.integer(0) } ?? 0
        }
    }

    /// Fills a batch with the next records, in the order of their ids; the batch stays empty at the end.
    func read(into batch: RecordBatch, types: [String], after: Int64, through: Int64) throws {
        batch.removeAll()
        try mapped { () throws(SQLiteError) in
            var types = try wantedTypes(types)
            guard !types.isEmpty else { return }
            let statement = try statements[.readTypes]
            try statement.bind(after, at: 1)
            try statement.bind(through, at: 2)
            try statement.bind(types.onlyID, at: 3)
            defer { statement.reset() }
            var last = after
            while !batch.isFull, try statement.step() {
                // On a damaged page, ids may not grow; the pass would then repeat forever.
                let id = statement.integer(0)
                guard id > last else { throw .disorder }
                last = id
                if let name = types.name(of: statement.integer(2)) { append(statement, name, to: batch) }
            }
        }
    }

    /// Makes sure that a pass has read all records of some types; called before it adds or removes any.
    ///
    /// - Parameter count: The number of records that were read.
    /// - Throws: The store's error for damage if it knows of more.
    func checkRead(_ count: Int, ofTypes types: [String]) throws {
        try mapped { () throws(SQLiteError) in
            var known = 0
            for id in try wantedTypes(types).ids { known += try self.count(id) }
            // A damaged tree gives fewer records, without an error.
            guard count >= known else { throw .missingRow }
            try allTypes().checkThatNoneIsLost(connection)
        }
    }

    func record(id: Int64) throws -> Record? {
        try mapped { () throws(SQLiteError) in
            let statement = try statements[.recordByID]
            try statement.bind(id, at: 1)
            return try single(statement)
        }
    }

    func record(forKey key: String) throws -> Record? {
        try mapped { () throws(SQLiteError) in
            let statement = try statements[.recordByKey]
            try statement.bind(key, at: 1)
            return try single(statement)
        }
    }

    // MARK: Rows

    /// The record that a statement finds, or nil; expects the columns of the reading queries.
    func single(_ statement: Statement) throws(SQLiteError) -> Record? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let batch = RecordBatch(capacity: 1)
        append(statement, try typeName(statement.integer(2)), to: batch)
        return batch[0]
    }

    private func append(_ row: Statement, _ typeName: String, to batch: RecordBatch) {
        let expiration = row.real(5)
        batch.append(
            id: row.integer(0),
            typeName: typeName,
            key: row.bytes(1),
            content: row.bytes(4),
            isData: row.isBlob(4),
            expiration: expiration,
            version: Int(clamping: row.integer(3))
        )
    }

    // MARK: Counting

    /// Counts through an index, once, until records come or go.
    func count(_ typeID: Int64) throws(SQLiteError) -> Int {
        if let count = counts[typeID] { return count }
        let statement = try statements[.countType]
        try statement.bind(typeID, at: 1)
        let count = Int(try statement.first { $0.integer(0) } ?? 0)
        counts[typeID] = count
        return count
    }

    func countAll() throws(SQLiteError) -> Int {
        if let total { return total }
        let count = Int(try statements[.countAll].first { $0.integer(0) } ?? 0)
        total = count
        return count
    }
}

extension Connection {
    /// Whether a record was last written before a schema version.
    func hasRecords(before version: Int) throws(SQLiteError) -> Bool {
        try integer("SELECT EXISTS(SELECT 1 FROM molt_record NOT INDEXED WHERE version < \(version))") != 0
    }
}
