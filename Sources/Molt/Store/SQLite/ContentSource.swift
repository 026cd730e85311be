internal import CMoltSQLite

/// Supplies new contents to an UPDATE of many rows, which takes half the time of one UPDATE per row.
///
/// It defines three SQL functions of a row's id: `molt_has` (whether there is new content), `molt_is_as_read` (also
/// whether the row is still as it was read) and `molt_content`. SQLite calls them in the order of the ids, though it
/// may use any, so the last place is tried first.
final class ContentSource {
    /// A group of rows, already lent.
    typealias Rows = Slice<UnsafeBufferPointer<RecordContents.Row>>

    /// The state of a row when it was read, for an UPDATE that leaves alone what was written since.
    struct ReadState {
        let size: Int
        let version: Int
        let updated: Double?
    }

    /// The rows being written; lent until ``write(_:readAs:_:)`` returns.
    private var rows = UnsafeBufferPointer<RecordContents.Row>(start: nil, count: 0)
    private var states: [ReadState] = []
    /// For each row, whether `molt_is_as_read` has found it as it was read.
    private var isAsRead: [Bool] = []
    private var buffers: [UnsafeRawBufferPointer] = []
    private var position = 0

    private typealias Function =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// Defines the functions; the connection retains this object while it is open.
    init(for connection: Connection) throws(SQLiteError) {
        let functions: [(name: String, argumentCount: Int32, call: Function)] = [
            (
                "molt_has", 1,
                { context, _, values in
                    ContentSource.with(context, values) { source, id in
                        sqlite3_result_int(context, source.find(id) ? 1 : 0)
                    }
                }
            ),
            (
                "molt_is_as_read", 3,
                { context, _, values in
                    ContentSource.with(context, values) { source, id in
                        let isAsRead = source.find(id) && source.compare(version: values?[1], updated: values?[2])
                        sqlite3_result_int(context, isAsRead ? 1 : 0)
                    }
                }
            ),
            (
                "molt_content", 1,
                { context, _, values in
                    ContentSource.with(context, values) { source, id in
                        guard source.find(id) else { return sqlite3_result_null(context) }
                        let row = source.rows[source.position]
                        ContentSource.give(source.content(of: row), as: row.isData ? .blob : .text, to: context)
                    }
                }
            ),
        ]
        for function in functions {
            // DIRECTONLY: no view or trigger of a tampered file can call it.
            let code = sqlite3_create_function_v2(
                connection.handle,
                function.name,
                function.argumentCount,
                SQLITE_UTF8 | SQLITE_DIRECTONLY,
                Unmanaged.passUnretained(self).toOpaque(),
                function.call,
                nil,
                nil,
                nil
            )
            guard code == SQLITE_OK else { throw connection.error(code) }
        }
    }

    /// Writes contents in groups.
    ///
    /// - Parameters:
    ///   - states: For `molt_is_as_read`, the states in which the rows were read.
    ///   - write: Writes rows of one version whose ids lie close together. The SQL functions know them meanwhile.
    func write(
        _ contents: RecordContents,
        readAs states: [ReadState] = [],
        _ write: (Rows) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        self.states = states
        isAsRead = states.map { _ in false }
        defer {
            rows = UnsafeBufferPointer(start: nil, count: 0)
            buffers.removeAll(keepingCapacity: true)
            self.states = []
        }
        position = 0
        try contents.rows.withUnsafeBufferPointer { rows throws(SQLiteError) in
            self.rows = rows
            try lend(contents.buffers[...]) { () throws(SQLiteError) in
                var start = 0
                while start < rows.count {
                    let end = Self.group(rows, from: start)
                    try write(rows[start..<end])
                    start = end
                }
            }
        }
    }

    /// The end of the rows that one statement writes.
    ///
    /// An UPDATE of a range visits all rows between, so the rows must lie close together. SQLite also keeps the
    /// originals of changed pages in memory, in case the statement fails.
    private static func group(_ rows: UnsafeBufferPointer<RecordContents.Row>, from start: Int) -> Int {
        var end = start + 1
        var bytes = rows[start].range.count
        while end < rows.count, rows[end].version == rows[start].version, rows[end].id &- 4 <= rows[end - 1].id {
            // The other columns take about 100 bytes.
            bytes += rows[end].range.count + 100
            guard bytes <= 24_576 else { break }
            end += 1
        }
        return end
    }

    private func lend(_ rest: ArraySlice<[UInt8]>, _ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        guard let first = rest.first else { return try body() }
        try first.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            buffers.append(UnsafeRawBufferPointer(bytes))
            try lend(rest.dropFirst(), body)
        }
    }

    func content(of row: RecordContents.Row) -> UnsafeRawBufferPointer {
        // In two steps, because an access that spans both would be checked for exclusivity.
        let buffer = buffers[row.buffer]
        return UnsafeRawBufferPointer(rebasing: buffer[row.range])
    }

    private static func with(
        _ context: OpaquePointer?,
        _ values: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (ContentSource, Int64) -> Void
    ) {
        guard let pointer = sqlite3_user_data(context), let values else { return sqlite3_result_null(context) }
        // The connection retains the object.
        Unmanaged<ContentSource>.fromOpaque(pointer)._withUnsafeGuaranteedRef { source in
            body(source, sqlite3_value_int64(values[0]))
        }
    }

    /// Moves to the row with an id, if it is lent.
    private func find(_ id: Int64) -> Bool {
        if position < rows.count, rows[position].id == id { return true }
        if position + 1 < rows.count, rows[position + 1].id == id {
            position += 1
            return true
        }
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].id < id { low = middle + 1 } else { high = middle }
        }
        guard low < rows.count, rows[low].id == id else { return false }
        position = low
        return true
    }

    /// Compares the current row with the one that was read.
    private func compare(version: OpaquePointer?, updated: OpaquePointer?) -> Bool {
        let state = states[position]
        let found = sqlite3_value_type(updated) == SQLITE_NULL ? nil : sqlite3_value_double(updated)
        isAsRead[position] = sqlite3_value_int64(version) == state.version && found == state.updated
        return isAsRead[position]
    }

    /// The indexes of rows that an UPDATE with `molt_is_as_read` has written.
    func written(of rows: Rows) -> [Int] { rows.indices.filter { isAsRead[$0] } }

    /// Returns bytes that SQLite reads in place: they are lent for longer than the statement runs.
    private static func give(
        _ bytes: UnsafeRawBufferPointer,
        as storage: Statement.StorageClass,
        to context: OpaquePointer?
    ) {
        let count = UInt64(bytes.count)
        switch (storage, bytes.baseAddress) {
        case (.text, let base?) where count > 0:
            let characters = base.assumingMemoryBound(to: CChar.self)
            sqlite3_result_text64(context, characters, count, nil, UInt8(SQLITE_UTF8))
        case (.text, _): sqlite3_result_text(context, "", 0, transient)
        case (.blob, let base?) where count > 0: sqlite3_result_blob64(context, base, count, nil)
        case (.blob, _): _ = sqlite3_result_zeroblob64(context, 0)
        }
    }
}

extension ContentSource.Rows {
    /// Whether the range of the ids contains no other record's; ids grow strictly.
    var isDense: Bool {
        guard let first, let last else { return true }
        return last.id - first.id == Int64(count) - 1
    }

    /// Writes the rows, which have one version, with one statement of ``ContentSource``.
    ///
    /// - Returns: The number of rows that were written.
    func write(by statement: Statement) throws(SQLiteError) -> Int {
        guard let first, let last else { return 0 }
        try statement.run(binding: first.id, last.id, first.version)
        return statement.connection.changes
    }
}
