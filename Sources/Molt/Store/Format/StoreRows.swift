internal import Foundation

/// The rows of the records and the types in one file: their ids and numbers, and how they are added, written and
/// removed.
///
/// The transaction of an upgrade and the sessions of a cache work through it. Statements are prepared at their first
/// use and kept.
final class StoreRows {
    let connection: Connection
    let statements: Statements<RowQuery>
    /// Whether the rows belong to one transaction, in which nobody else changes them: they are then read only once.
    private let areOfTransaction: Bool

    /// All types; nil until they are needed, and after names may have changed.
    private var types: TypeNameTable?
    private var typeNames: [Int64: String] = [:]
    private var lastRead: (id: Int64, name: String)?
    private var lastType: (name: String, id: Int64)?

    private var counts: [Int64: Int] = [:]
    private var total: Int?
    /// The number of records that the indexes were found to have; nil once records have come or gone.
    private var checkedTotal: Int?
    /// Whether records were added, removed or written.
    private(set) var haveChanged = false

    init(_ connection: Connection, ofTransaction areOfTransaction: Bool) {
        self.connection = connection
        self.areOfTransaction = areOfTransaction
        statements = Statements(on: connection, sql: \.sql)
    }

    // MARK: Types

    func allTypes() throws(SQLiteError) -> TypeNameTable {
        if let types { return types }
        let read = try TypeNameTable(connection)
        if areOfTransaction { types = read }
        return read
    }

    /// The id of a type name; nil when no record was ever written with it.
    func typeID(_ name: String) throws(SQLiteError) -> Int64? {
        // Strings equal in canonical form are one dictionary key, but two type names.
        if let lastType, ExactName.isSame(lastType.name, name) { return lastType.id }
        var id: Int64?
        if !areOfTransaction {
            let search = try statements[.typeID]
            try search.bind(name, at: 1)
            id = try search.first { $0.integer(0) }
        }
        // If the name was lost, a new type would get the id of its records.
        if id == nil { id = try allTypes().id(of: name, in: connection) }
        if let id { lastType = (name, id) }
        return id
    }

    /// The id of a type name, which is added if no record was ever written with it.
    func addType(_ name: String) throws(SQLiteError) -> Int64 {
        if let id = try typeID(name) { return id }
        try statements[.addType].run(binding: name)
        let id = connection.lastInsertedID
        types = nil
        lastType = (name, id)
        return id
    }

    func typeName(id: Int64) throws(SQLiteError) -> String {
        if let lastRead, lastRead.id == id { return lastRead.name }
        if let name = typeNames[id] {
            lastRead = (id, name)
            return name
        }
        let statement = try statements[.nameOfType]
        try statement.bind(id, at: 1)
        guard let name = try statement.first({ row throws(SQLiteError) in try row.typeName(0) }) else {
            throw .missingTypeName
        }
        typeNames[id] = name
        return name
    }

    func wantedTypes(_ names: [String]) throws(SQLiteError) -> WantedTypes {
        WantedTypes(try allTypes()) { type in names.contains { ExactName.isSame($0, type) } }
    }

    /// Renames a type for all its records, and merges it into an existing type; unknown names are ignored.
    func renameType(_ name: String, to newName: String) throws(SQLiteError) {
        // Compared by bytes: two spellings of the same letter are two names.
        guard !ExactName.isSame(name, newName), let oldID = try typeID(name) else { return }
        let newID = try typeID(newName)
        defer { forgetTypes() }
        guard let newID else { return try statements[.renameType].run(binding: newName, oldID) }
        let count = try count(oldID)
        forgetCounts()
        try statements[.mergeType].run(binding: newID, oldID)
        guard connection.changes == count else { throw .unequalIndex }
        try statements[.deleteType].run(binding: oldID)
    }

    /// Deletes all records of a type, and returns their number.
    func deleteType(_ name: String) throws(SQLiteError) -> Int {
        guard let id = try typeID(name) else { return 0 }
        defer { forgetTypes() }
        let count = try count(id)
        forgetCounts()
        try statements[.deleteOfType].run(binding: id)
        guard connection.changes == count else { throw .unequalIndex }
        try statements[.deleteType].run(binding: id)
        return count
    }

    /// Forgets the types, because names have changed, or additions were rolled back.
    func forgetTypes() {
        types = nil
        typeNames.removeAll()
        (lastRead, lastType) = (nil, nil)
    }

    // MARK: Numbers

    func count() throws(SQLiteError) -> Int {
        if let total { return total }
        let count = Int(clamping: try statements[.count].first { $0.integer(0) } ?? 0)
        if areOfTransaction { total = count }
        return count
    }

    /// The number of records of a type, by the index.
    func count(_ typeID: Int64) throws(SQLiteError) -> Int {
        if let count = counts[typeID] { return count }
        // SQLite counts the records of all types without comparing them.
        if try allTypes().names.count == 1 { return try count() }
        let statement = try statements[.numberOfType]
        try statement.bind(typeID, at: 1)
        let count = Int(clamping: try statement.first { $0.integer(0) } ?? 0)
        if areOfTransaction { counts[typeID] = count }
        return count
    }

    /// The greatest id, or 0 when there is no record.
    func lastID() throws(SQLiteError) -> Int64 {
        try statements[.lastID].first { $0.integer(0) } ?? 0
    }

    /// Forgets the numbers, because records come or go.
    func forgetCounts() {
        counts.removeAll()
        total = nil
        checkedTotal = nil
        haveChanged = true
    }

    /// Makes sure that the indexes have as many records as were read, and that the types of all have names.
    func checkIndexes(have count: Int) throws(SQLiteError) {
        guard checkedTotal != count else { return }
        try connection.checkIndexes(have: count)
        try allTypes().checkEveryTypeHasName(connection)
        checkedTotal = count
    }

    // MARK: Adding and writing

    /// What records that are written together have in common.
    struct Stamp {
        var typeID: Int64
        var version: Int
        /// The time of their creation, in seconds since 1970; nil for now, or that of the live record under the key.
        var created: Double?
        /// The times of their last write and last use.
        var updated: Double
        var used: Double
    }

    /// Writes a record under its key, in the place of any other.
    func set(_ row: LentRecord, _ stamp: Stamp) throws(SQLiteError) {
        try run(.set, row, stamp)
    }

    /// Writes a record in the place of one of the same type under its key, in less time than ``set(_:_:)``.
    ///
    /// - Returns: Whether there was one.
    func replace(_ row: LentRecord, _ stamp: Stamp) throws(SQLiteError) -> Bool {
        try run(.replace, row, stamp)
        return connection.changes == 1
    }

    private func run(_ query: RowQuery, _ row: LentRecord, _ stamp: Stamp) throws(SQLiteError) {
        let statement = try statements[query]
        defer {
            statement.unbind(2)
            statement.unbind(6)
        }
        try statement.bind(stamp.updated, at: 1)
        try statement.bind(inPlace: row.key, as: .text, at: 2)
        try statement.bind(stamp.typeID, at: 3)
        try statement.bind(Int64(stamp.version), at: 4)
        try statement.bind(row.expiration, at: 5)
        try statement.bind(inPlace: row.content, as: row.isData ? .blob : .text, at: 6)
        try statement.bind(stamp.used, at: 7)
        try statement.bind(stamp.created, at: 8)
        try statement.run()
    }

    /// Adds a record under the next id, unless its key is in use.
    ///
    /// - Returns: Whether it was added.
    func add(_ row: LentRecord, _ stamp: Stamp) throws(SQLiteError) -> Bool {
        let statement = try statements[.insert]
        defer {
            statement.unbind(7)
            statement.unbind(9)
        }
        try bind(stamp, to: statement)
        try bind(row, nil, to: statement, at: 6)
        try statement.run()
        return connection.changes == 1
    }

    /// Adds a record with its dates, unless its key is in use.
    ///
    /// - Parameter used: The time of its last use, in seconds since 1970.
    /// - Returns: Whether it was added.
    func add(_ record: StoreContents.DatedRecord, used: Double) throws -> Bool {
        let stored = record.stored
        let stamp = try Stamp(
            typeID: addType(stored.typeName),
            version: stored.version,
            created: record.created,
            updated: record.updated,
            used: used
        )
        return try stored.lend { try add($0, stamp) }
    }

    /// Adds records under consecutive unused ids, except those whose keys are in use.
    ///
    /// - Returns: The indexes of the records that were not added; their ids stay unused.
    func insert(_ new: NewRecords, from firstID: Int64, version: Int) throws(SQLiteError) -> [Int] {
        forgetCounts()
        var stamp = Stamp(typeID: try addType(new.typeName), version: version, created: 0, updated: 0, used: 0)
        var rejected: [Int] = []
        try new.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            let bytes = UnsafeRawBufferPointer(bytes)
            var rest = new.rows[...]
            while !rest.isEmpty {
                let isGroup = rest.count >= RowQuery.groupSize
                let rows = isGroup ? rest.prefix(RowQuery.groupSize) : rest.prefix(1)
                rest = rest.dropFirst(rows.count)
                let statement = try statements[isGroup ? .insertGroup : .insert]
                let now = Date().timeIntervalSince1970
                (stamp.created, stamp.updated, stamp.used) = (now, now, now)
                try bind(stamp, to: statement)
                var parameter: Int32 = 6
                for index in rows.indices {
                    try bind(rows[index].lent(by: bytes), firstID + Int64(index), to: statement, at: parameter)
                    parameter += 4
                }
                try statement.run()
                guard connection.changes < rows.count else { continue }
                for index in rows.indices {
                    let key = bytes[rows[index].key]
                    if try !isRow(firstID + Int64(index), UnsafeRawBufferPointer(rebasing: key)) {
                        rejected.append(index)
                    }
                }
            }
        }
        return rejected
    }

    private func bind(_ stamp: Stamp, to statement: Statement) throws(SQLiteError) {
        try statement.bind(stamp.typeID, at: 1)
        try statement.bind(Int64(stamp.version), at: 2)
        try statement.bind(stamp.created, at: 3)
        try statement.bind(stamp.updated, at: 4)
        try statement.bind(stamp.used, at: 5)
    }

    private func bind(
        _ row: LentRecord,
        _ id: Int64?,
        to statement: Statement,
        at parameter: Int32
    ) throws(SQLiteError) {
        try statement.bind(id, at: parameter)
        try statement.bind(inPlace: row.key, as: .text, at: parameter + 1)
        try statement.bind(row.expiration, at: parameter + 2)
        try statement.bind(inPlace: row.content, as: row.isData ? .blob : .text, at: parameter + 3)
    }

    private func isRow(_ id: Int64, _ key: UnsafeRawBufferPointer) throws(SQLiteError) -> Bool {
        let statement = try statements[.hasRow]
        try statement.bind(id, at: 1)
        try statement.bind(inPlace: key, as: .text, at: 2)
        return try statement.first { $0.integer(0) != 0 } ?? false
    }

    /// Writes the contents and the versions of several records, which must all exist.
    ///
    /// - Parameter prepare: Called with the rows that are written next.
    func write(
        _ contents: RecordContents,
        _ prepare: (ContentSource.Rows) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        haveChanged = true
        let source = try connection.contentSource()
        try source.write(contents) { rows throws(SQLiteError) in
            try prepare(rows)
            if rows.count < 4 {
                for row in rows { try write(source.content(of: row), in: row) }
            } else {
                let count = try rows.write(by: statements[rows.isDense ? .writeRange : .writeMany])
                guard count == rows.count else { throw .lostRows }
            }
        }
    }

    private func write(_ content: UnsafeRawBufferPointer, in row: RecordContents.Row) throws(SQLiteError) {
        let statement = try statements[.write]
        try statement.bind(inPlace: content, as: row.isData ? .blob : .text, at: 1)
        try statement.bind(Int64(row.version), at: 2)
        try statement.bind(row.id, at: 3)
        try statement.run()
        guard connection.changes == 1 else { throw .lostRows }
    }

    /// Writes the contents and the versions of those records that nobody has written since they were read.
    ///
    /// - Parameters:
    ///   - states: The states in which the records were read.
    ///   - note: Receives the index of each record that was written.
    func write(
        _ contents: RecordContents,
        readAs states: [ContentSource.ReadState],
        _ note: (Int) -> Void
    ) throws(SQLiteError) {
        let source = try connection.contentSource()
        try source.write(contents, readAs: states) { rows throws(SQLiteError) in
            let count = try rows.write(by: statements[.writeAsRead])
            let written = source.written(of: rows)
            guard count == written.count else { throw .lostRows }
            written.forEach(note)
        }
    }

    /// Writes a record's expiry, in seconds since 1970, or nil for never.
    func write(expiration: Double?, id: Int64) throws(SQLiteError) {
        let statement = try statements[.writeExpiry]
        try statement.bind(expiration, at: 1)
        try statement.bind(id, at: 2)
        try statement.run()
    }

    // MARK: Removing

    func delete(id: Int64) throws(SQLiteError) {
        forgetCounts()
        let statement = try statements[.delete]
        try statement.bind(id, at: 1)
        try statement.run()
    }

    /// Deletes the records that have expired at a time, in seconds since 1970, and returns their number.
    func deleteExpired(now: Double) throws(SQLiteError) -> Int {
        try statements[.deleteExpired].run(binding: now)
        let count = connection.changes
        if count > 0 { forgetCounts() }
        return count
    }
}

/// Checks of the tables against their indexes.
extension Connection {
    /// Makes sure that a scan of the records reaches as many as the indexes have, and that their types have names.
    ///
    /// - Throws: ``SQLiteError`` for damage: a scan of a damaged tree skips records without an error.
    func checkScan() throws(SQLiteError) {
        try checkIndexes(have: Int(integer(RowQuery.scanned.sql)))
        try TypeNameTable(self).checkEveryTypeHasName(self)
    }

    /// Makes sure that the two indexes with an entry for each record, by key and by type, have as many as were read.
    ///
    /// A read of all records calls it at its end. If the table lacks a page, records are lost; if an index lacks one,
    /// its searches miss records: a key has no value, and gets a second record when it is set.
    ///
    /// - Throws: ``SQLiteError`` for damage.
    func checkIndexes(have count: Int) throws(SQLiteError) {
        guard try indexesHave(count) else { throw .unequalIndex }
    }

    /// Whether these indexes have a number of entries.
    func indexesHave(_ count: Int) throws(SQLiteError) -> Bool {
        for index in RowQuery.fullIndexes {
            // A million entries take less than 10 ms.
            let found = try integer(RowQuery.end(ofIndex: index), max(0, count - 1))
            guard found == min(count, 1) else { return false }
        }
        return true
    }

    func recordCount() throws(SQLiteError) -> Int {
        Int(clamping: try integer(RowQuery.count.sql))
    }

    func hasRecords(before version: Int) throws(SQLiteError) -> Bool {
        try integer(RowQuery.hasOlder.sql, version) != 0
    }
}

extension RecordBatch {
    /// The record in a row of a query, with the name of its type.
    static func record(_ row: Statement, _ typeName: String) -> Record {
        let batch = RecordBatch(capacity: 1)
        batch.append(row, typeName)
        return batch[0]
    }

    /// Adds the record in a row of a query, and gives it the name of its type.
    func append(_ row: Statement, _ typeName: String) {
        // Before the bytes, which are valid until the row's other columns are converted.
        let expiration = row.real(5)
        let isData = row.isBlob(4)
        let content = row.bytes(4, as: isData ? .blob : .text)
        append(
            LentRecord(key: row.bytes(1), content: content, isData: isData, expiration: expiration),
            id: row.integer(0),
            typeName: typeName,
            version: Int(clamping: row.integer(3))
        )
    }
}
