internal import CMoltSQLite
internal import Foundation

/// A prepared statement of one connection; it is finalized with its owner.
package final class Statement {
    private let handle: OpaquePointer
    let connection: Connection

    /// Prepares SQL.
    ///
    /// - Parameter isLasting: Whether the statement is kept and reused.
    package init(_ sql: String, on connection: Connection, isLasting: Bool) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let flags = isLasting ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sqlite3_prepare_v3(connection.handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.error(code) }
        handle = prepared
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    // MARK: Running

    /// Moves to the next row.
    ///
    /// - Returns: Whether there is one.
    package func step() throws(SQLiteError) -> Bool {
        try connection.checkAccess()
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = connection.error(code)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs to the end, ignoring rows, and resets.
    package func run() throws(SQLiteError) {
        while try step() {}
        reset()
    }

    /// Ends the run and keeps the bindings.
    package func reset() {
        sqlite3_reset(handle)
    }

    package func eachRow(_ body: (Statement) throws(SQLiteError) -> Void) throws(SQLiteError) {
        defer { reset() }
        while try step() { try body(self) }
    }

    /// Binds values in the order of the parameters, then runs to the end.
    ///
    /// Each value is boxed; statements that run for every record bind theirs one by one.
    func run(binding values: any SQLiteValue...) throws(SQLiteError) {
        try bind(values)
        try run()
    }

    /// Binds values in the order of the parameters.
    func bind(_ values: [any SQLiteValue], from first: Int32 = 1) throws(SQLiteError) {
        var index = first
        for value in values {
            try value.bind(to: self, at: index)
            index += 1
        }
    }

    /// The results of the closure for all rows.
    package func map<Value>(_ body: (Statement) throws(SQLiteError) -> Value) throws(SQLiteError) -> [Value] {
        var values: [Value] = []
        try eachRow { row throws(SQLiteError) in values.append(try body(row)) }
        return values
    }

    /// The result of the closure for the first row, or nil without a row; resets.
    package func first<Value>(_ body: (Statement) throws(SQLiteError) -> Value) throws(SQLiteError) -> Value? {
        defer { reset() }
        return try step() ? try body(self) : nil
    }

    // MARK: Binding

    package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    package func bind(_ value: Double?, at index: Int32) throws(SQLiteError) {
        if let value {
            try check(sqlite3_bind_double(handle, index, value))
        } else {
            try check(sqlite3_bind_null(handle, index))
        }
    }

    func bind(_ value: Int64?, at index: Int32) throws(SQLiteError) {
        if let value {
            try bind(value, at: index)
        } else {
            try bind(nil as Double?, at: index)
        }
    }

    /// Binds a string by its UTF-8 length, so it may contain NUL.
    package func bind(_ value: String, at index: Int32) throws(SQLiteError) {
        var value = value
        let code = value.withUTF8 { put(UnsafeRawBufferPointer($0), as: .text, at: index, transient) }
        try check(code)
    }

    /// How SQLite stores bytes.
    package enum StorageClass {
        case text
        case blob
    }

    package func bind(
        copying bytes: UnsafeRawBufferPointer,
        as storage: StorageClass,
        at index: Int32
    ) throws(SQLiteError) {
        try check(put(bytes, as: storage, at: index, transient))
    }

    /// Binds bytes that SQLite reads in place; they must stay valid until the statement is reset and rebound.
    func bind(inPlace bytes: UnsafeRawBufferPointer, as storage: StorageClass, at index: Int32) throws(SQLiteError) {
        try check(put(bytes, as: storage, at: index, nil))
    }

    /// - Parameter lifetime: `transient` to copy them; nil to read them in place.
    /// - Returns: SQLite's result code.
    private func put(
        _ bytes: UnsafeRawBufferPointer,
        as storage: StorageClass,
        at index: Int32,
        _ lifetime: sqlite3_destructor_type?
    ) -> Int32 {
        // SQLite takes a null pointer as NULL, even with length 0.
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return storage == .text
                ? sqlite3_bind_text(handle, index, "", 0, transient)
                : sqlite3_bind_zeroblob(handle, index, 0)
        }
        let count = UInt64(bytes.count)
        guard storage == .text else { return sqlite3_bind_blob64(handle, index, base, count, lifetime) }
        let characters = base.assumingMemoryBound(to: CChar.self)
        return sqlite3_bind_text64(handle, index, characters, count, lifetime, UInt8(SQLITE_UTF8))
    }

    /// Binds a copy of a column of another statement's current row.
    func bind(_ column: Int32, of row: Statement, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_value(handle, index, sqlite3_column_value(row.handle, column)))
    }

    /// Binds data to be read in place, runs to the end, and clears the binding.
    func run(bindingInPlace data: Data, as storage: StorageClass, at index: Int32) throws(SQLiteError) {
        defer { unbind(index) }
        let outcome = data.withUnsafeBytes { bytes in
            Result { () throws(SQLiteError) in
                try bind(inPlace: bytes, as: storage, at: index)
                try run()
            }
        }
        try outcome.get()
    }

    func unbind(_ index: Int32) {
        sqlite3_bind_null(handle, index)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw connection.error(code) }
    }

    // MARK: Columns

    /// The column as an integer; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// The column as a floating-point number; nil for NULL.
    package func real(_ column: Int32) -> Double? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_double(handle, column)
    }

    package var columnCount: Int32 {
        sqlite3_column_count(handle)
    }

    /// SQLite's code for the type of a column's value.
    package func type(of column: Int32) -> Int32 {
        sqlite3_column_type(handle, column)
    }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func isNumber(_ column: Int32) -> Bool {
        let type = sqlite3_column_type(handle, column)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER
    }

    package func isBlob(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_BLOB
    }

    /// The bytes of text or of a blob, valid until the next step or reset.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        bytes(column, as: isBlob(column) ? .blob : .text)
    }

    /// The bytes of a column known to be text or a blob, valid until the next step or reset.
    func bytes(_ column: Int32, as storage: StorageClass) -> UnsafeRawBufferPointer {
        // The pointer comes before the length: fetching it may convert the column.
        let base =
            switch storage {
            case .text: sqlite3_column_text(handle, column).map { UnsafeRawPointer($0) }
            case .blob: sqlite3_column_blob(handle, column)
            }
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The number of bytes that ``bytes(_:)`` has given.
    func size(_ column: Int32) -> Int {
        Int(sqlite3_column_bytes(handle, column))
    }

    /// The column as a string; empty for NULL.
    @inline(never)
    package func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    func isText(_ column: Int32, _ text: String) -> Bool {
        let bytes = bytes(column, as: .text)
        guard text.utf8.count == bytes.count else { return false }
        var text = text
        return text.withUTF8 { utf8 in
            guard let start = utf8.baseAddress, let base = bytes.baseAddress else { return true }
            return memcmp(start, base, utf8.count) == 0
        }
    }
}

/// A value that ``Statement/run(binding:)`` can bind; nil is NULL.
package protocol SQLiteValue {
    func bind(to statement: Statement, at index: Int32) throws(SQLiteError)
}

extension Int64: SQLiteValue {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Int: SQLiteValue {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.bind(Int64(self), at: index)
    }
}

extension Double: SQLiteValue {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension String: SQLiteValue {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
        if let self { try self.bind(to: statement, at: index) } else { statement.unbind(index) }
    }
}

/// SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies the bound bytes.
var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// Prepared statements by enumeration case; an array look-up keeps hot paths free of hashing.
///
/// A class, because a look-up may then prepare a statement without changing the owner; Swift would check each look-up
/// for conflicts with others.
final class Statements<Query: RawRepresentable & CaseIterable> where Query.RawValue == Int {
    let connection: Connection
    private let sql: (Query) -> String
    private var prepared: [Statement?]

    init(on connection: Connection, sql: @escaping (Query) -> String) {
        self.connection = connection
        self.sql = sql
        prepared = Array(repeating: nil, count: Query.allCases.count)
    }

    /// The statement for a case, prepared at its first use.
    subscript(query: Query) -> Statement {
        get throws(SQLiteError) {
            if let statement = prepared[query.rawValue] { return statement }
            let statement = try Statement(sql(query), on: connection, isLasting: true)
            prepared[query.rawValue] = statement
            return statement
        }
    }

    func removeAll() {
        for index in prepared.indices { prepared[index] = nil }
    }
}
