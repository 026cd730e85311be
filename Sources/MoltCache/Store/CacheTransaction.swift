internal import Foundation
internal import MoltCore

/// The write transaction of an upgrade, over statements that are prepared at their first use and kept until its end.
final class CacheTransaction: MigrationTransaction {
    let connection: Connection
    let storeName: String
    let coding: RecordCoding
    private let isFresh: Bool
    /// The kept statements.
    var statements: Statements<TransactionQuery>
    /// Whether the table for deferred changes was made.
    var hasDeferred = false
    /// Whether that table stays when the transaction ends.
    var keepsDeferred = false
    /// Whether the table for records that go into quarantine was made.
    var hasQuarantine = false
    /// Whether the table for originals was made.
    var hasOriginals = false
    /// Whether the table for records that wait for their keys was made.
    var hasAdopted = false
    /// Whether the trees of the records were compared.
    private var isChecked = false
    private var isOver = false

    private var typeNamesByID: [Int64: String] = [:]
    /// The one that was looked up last: most often the next one, too.
    private var lastType: (id: Int64, name: String) = (0, "")
    private var scansByTypeID: [Int64: Bool] = [:]
    private var counts: [Int64: Int] = [:]
    private var total: Int?
    private var buffer: [UInt8] = []

    init(_ connection: Connection, storeName: String, coding: RecordCoding, isFresh: Bool) {
        self.connection = connection
        self.storeName = storeName
        self.coding = coding
        self.isFresh = isFresh
        statements = Statements(on: connection, sql: \.sql)
    }

    // MARK: The life of the transaction

    /// Drops what must not outlive the transaction; the last call before the commit.
    func finish() throws(MigrationError) {
        try mapped { () throws(SQLiteError) in
            statements.removeAll()
            if hasDeferred, !keepsDeferred { try connection.execute("DROP TABLE temp.molt_deferred") }
            if hasOriginals { try connection.execute("DROP TABLE temp.molt_original") }
            if hasQuarantine, !keepsDeferred { try connection.execute("DROP TABLE temp.molt_failed") }
            hasDeferred = false
            hasQuarantine = false
            hasOriginals = false
            try connection.execute(RowQuery.forgetSize.sql)
        }
    }

    /// Finalizes all statements, and refuses every later call.
    func invalidate() {
        statements.removeAll()
        isOver = true
    }

    /// Runs a closure, and gives a failure of SQLite the form that the pipeline's callers know.
    @inline(__always)
    func mapped<Value>(_ body: () throws(SQLiteError) -> Value) throws(MigrationError) -> Value {
        guard !isOver else {
            var error = MigrationError(
                .contextExpired,
                "The transaction was used after it had ended. Use it only inside the closure that it was given to."
            )
            error.store = storeName
            throw error
        }
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw MigrationError(error, store: storeName)
        }
    }

    func state() throws -> StoreState {
        try mapped { () throws(SQLiteError) in
            var state = try LedgerTable.state(connection)
            state.isFresh = isFresh
            if state.unfinished != nil {
                try keepDeferredChanges()
                // Its first transaction has looked, and each of the others would look at everything again.
                isChecked = true
            }
            return state
        }
    }

    func record(_ entries: [LedgerEntry], version: Int) throws {
        try mapped { () throws(SQLiteError) in
            try LedgerTable.add(entries, version: version, to: connection)
            if entries.contains(where: { $0.outcome != .deferred }) { try ShapeTable.clear(connection) }
        }
    }

    func setUnfinished(_ unfinished: UnfinishedMigration?, version: Int) throws {
        try mapped { () throws(SQLiteError) in
            try UnfinishedMark.write(unfinished, to: connection)
            // A pragma takes no parameters; a number needs no quoting.
            try connection.execute("PRAGMA user_version = \(version)")
            statements.removeAll()
            if unfinished != nil {
                try keepDeferredChanges()
            } else {
                try connection.execute(
                    "DROP TABLE IF EXISTS main.molt_deferred; DROP TABLE IF EXISTS main.molt_failed"
                )
                hasDeferred = false
                hasQuarantine = false
                keepsDeferred = false
            }
        }
    }

    // MARK: The journal

    func journal() throws -> [JournalEntry] {
        try mapped { () throws(SQLiteError) in try JournalTable.entries(connection) }
    }

    func addToJournal(_ entries: [JournalEntry]) throws {
        guard !entries.isEmpty else { return }
        try mapped { () throws(SQLiteError) in try JournalTable.add(entries, to: connection) }
    }

    func clearJournal() throws {
        try mapped { () throws(SQLiteError) in try JournalTable.clear(connection) }
    }

    // MARK: Reading

    func typeNames() throws -> [String] {
        try mapped { () throws(SQLiteError) in
            try checkTrees()
            var names: [String] = []
            try statements[.typeNames].eachRow { row throws(SQLiteError) in names.append(row.text(0)) }
            return names
        }
    }

    func count(ofType type: String?) throws -> Int {
        try mapped { () throws(SQLiteError) in
            guard let type else { return try countAll() }
            guard let typeID = try typeID(type) else { return 0 }
            return try count(typeID)
        }
    }

    func lastRecordID() throws -> Int64 {
        try mapped { () throws(SQLiteError) in
            try statements[.lastID].first { $0.integer(0) } ?? 0
        }
    }

    func read(into batch: RecordBatch, type: String?, after: Int64, through: Int64) throws {
        batch.removeAll()
        try mapped { () throws(SQLiteError) in
            try checkTrees()
            let statement: Statement
            if let type {
                guard let typeID = try typeID(type) else { return }
                statement = try statements[isScanned(typeID) ? .readTypeByScan : .readTypeByIndex]
                try statement.bind(typeID, at: 4)
            } else {
                statement = try statements[.readAll]
            }
            try statement.bind(after, at: 1)
            try statement.bind(through, at: 2)
            try statement.bind(Int64(batch.capacity), at: 3)
            defer { statement.reset() }
            var last = after
            while !batch.isFull, try statement.step() {
                // Ids of a damaged page may not grow: the pass would then begin again, without an end.
                let id = statement.integer(0)
                guard id > last else { throw .disorder }
                last = id
                try append(statement, to: batch)
            }
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

    // MARK: Writing

    func write(content: UnsafeRawBufferPointer, isData: Bool, id: Int64, version: Int) throws {
        try mapped { () throws(SQLiteError) in
            let statement = try statements[.write]
            try statement.bind(inPlace: content, isText: !isData, at: 1)
            try statement.bind(Int64(version), at: 2)
            try statement.bind(id, at: 3)
            try statement.run()
        }
    }

    func write(_ contents: RecordContents) throws {
        guard let first = contents.rows.first, let last = contents.rows.last else { return }
        // An update of many goes through all rows in between, so they must lie close together.
        guard contents.rows.count >= 8, last.id - first.id < Int64(contents.rows.count) * 4 else {
            for row in contents.rows {
                try contents.withContent(of: row) { content in
                    try write(content: content, isData: row.isData, id: row.id, version: row.version)
                }
            }
            return
        }
        try mapped { () throws(SQLiteError) in
            let source = try connection.contentSource()
            source.contents = contents
            // The buffers are used again, and must have no second owner then.
            defer { source.contents = RecordContents(rows: [], buffers: []) }
            let statement = try statements[.writeMany]
            try statement.bind(first.id, at: 1)
            try statement.bind(last.id, at: 2)
            try statement.run()
            guard connection.changes == contents.rows.count else { throw SQLiteError.lostRows }
        }
    }

    func write(expiration: Double?, id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            let statement = try statements[.writeExpiry]
            try statement.bind(expiration, at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
    }

    func insert(_ record: borrowing Record, id: Int64, version: Int) throws {
        let key = record.key
        let type = record.typeName
        let isText = !record.isData
        let expiration = record.expirationSeconds
        buffer.removeAll(keepingCapacity: true)
        record.writeContent(to: &buffer)
        let isNew = try mapped { () throws(SQLiteError) in
            forgetCounts()
            let existing = try statements[.idByKey]
            try existing.bind(key, at: 1)
            guard try existing.first({ $0.integer(0) }) == nil else { return false }
            let statement = try statements[.insert]
            let buffer = buffer
            try buffer.withUnsafeBufferPointer { buffer throws(SQLiteError) in
                let bytes = UnsafeRawBufferPointer(buffer)
                try statement.bind(id, at: 1)
                try statement.bind(key, at: 2)
                try statement.bind(try addType(type), at: 3)
                try statement.bind(Int64(version), at: 4)
                try statement.bind(Date().timeIntervalSince1970, at: 5)
                try statement.bind(expiration, at: 6)
                try statement.bind(inPlace: bytes, isText: isText, at: 7)
                try statement.run()
            }
            return true
        }
        guard isNew else {
            throw keyExists(key, of: "A record of type \(type)", recordKey: key, recordType: type)
        }
    }

    func delete(id: Int64) throws {
        try mapped { () throws(SQLiteError) in
            try checkTrees()
            forgetCounts()
            let statement = try statements[.delete]
            try statement.bind(id, at: 1)
            try statement.run()
        }
    }

    // MARK: Helpers

    /// Compares, before the first record is read, how many the table and its indexes have.
    ///
    /// A damaged page may name fewer pages below it than there are, and SQLite then passes over these without a word:
    /// the upgrade would leave their records as they were in a store of a newer version.
    private func checkTrees() throws(SQLiteError) {
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

    /// The error for a key that would be another record's too.
    func keyExists(_ newKey: String, of what: String, recordKey: String, recordType: String) -> MigrationError {
        var error = MigrationError(
            .keyExists,
            """
            \(what) would get the key "\(newKey)", which another record has. Give it a key of its own, or drop or \
            move the other record in an earlier migration.
            """
        )
        error.store = storeName
        error.recordKey = recordKey
        error.recordType = recordType
        return error
    }

    /// Forgets what was remembered of counts, because records come or go.
    func forgetCounts() {
        counts.removeAll()
        total = nil
    }

    /// Forgets what was remembered of types, because records change theirs, or the names change.
    func forgetTypes() {
        forgetCounts()
        typeNamesByID.removeAll()
        lastType = (0, "")
        scansByTypeID.removeAll()
    }

    /// The id of a type name, or nil when no record was ever written as it.
    func typeID(_ name: String) throws(SQLiteError) -> Int64? {
        let statement = try statements[.typeID]
        try statement.bind(name, at: 1)
        return try statement.first { $0.integer(0) }
    }

    /// The id of a type name, which is added when it is new.
    func addType(_ name: String) throws(SQLiteError) -> Int64 {
        if let id = try typeID(name) { return id }
        let statement = try statements[.addType]
        try statement.bind(name, at: 1)
        try statement.run()
        return connection.lastInsertedID
    }

    /// The record that a statement finds, or nil; the columns are those of the reading queries.
    func single(_ statement: Statement) throws(SQLiteError) -> Record? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let batch = RecordBatch(capacity: 1, coding: coding)
        try append(statement, to: batch)
        return batch[0]
    }

    private func append(_ row: Statement, to batch: RecordBatch) throws(SQLiteError) {
        let expiration = row.real(4)
        batch.append(
            id: row.integer(0),
            typeName: try typeName(row.integer(2)),
            key: row.bytes(1),
            content: row.bytes(3),
            isData: row.isBlob(3),
            expiration: expiration
        )
    }

    private func typeName(_ id: Int64) throws(SQLiteError) -> String {
        if id == lastType.id { return lastType.name }
        if let name = typeNamesByID[id] {
            lastType = (id, name)
            return name
        }
        let statement = try statements[.typeName]
        try statement.bind(id, at: 1)
        let name = try statement.first { $0.text(0) } ?? ""
        typeNamesByID[id] = name
        return name
    }

    /// Counting goes through an index, so it is done once, until records come or go.
    private func count(_ typeID: Int64) throws(SQLiteError) -> Int {
        if let count = counts[typeID] { return count }
        let statement = try statements[.countType]
        try statement.bind(typeID, at: 1)
        let count = Int(try statement.first { $0.integer(0) } ?? 0)
        counts[typeID] = count
        return count
    }

    private func countAll() throws(SQLiteError) -> Int {
        if let total { return total }
        let count = Int(try statements[.countAll].first { $0.integer(0) } ?? 0)
        total = count
        return count
    }

    /// Whether a type is read by going through all records: faster when it has a large part of them.
    private func isScanned(_ typeID: Int64) throws(SQLiteError) -> Bool {
        if let isScanned = scansByTypeID[typeID] { return isScanned }
        let isScanned = try count(typeID) * 3 >= countAll()
        scansByTypeID[typeID] = isScanned
        return isScanned
    }
}
