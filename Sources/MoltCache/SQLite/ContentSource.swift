internal import CMoltSQLite
internal import MoltCore

/// Hands new contents to an UPDATE of many rows, which takes a fifth less time than an UPDATE for each row.
///
/// SQL functions of one connection, by the id of a row: `molt_has`, whether there is a new content, `molt_content`
/// and `molt_version`. SQLite may ask in any order; it asks in the order of the ids, so the last place is tried first.
final class ContentSource {
    /// What is handed out now.
    var contents = RecordContents(rows: [], buffers: [])
    private var place = 0

    /// Makes the functions; the connection keeps this object for as long as it is open.
    init(for connection: Connection) throws(SQLiteError) {
        let functions: [(String, @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void)]
        functions = [
            (
                "molt_has",
                { context, _, values in
                    sqlite3_result_int(context, ContentSource.row(context, values) == nil ? 0 : 1)
                }
            ),
            (
                "molt_version",
                { context, _, values in
                    guard let found = ContentSource.row(context, values) else { return sqlite3_result_null(context) }
                    sqlite3_result_int64(context, Int64(found.row.version))
                }
            ),
            (
                "molt_content",
                { context, _, values in
                    guard let found = ContentSource.row(context, values) else { return sqlite3_result_null(context) }
                    found.source.contents.withContent(of: found.row) { bytes in
                        ContentSource.give(bytes, isData: found.row.isData, to: context)
                    }
                }
            ),
        ]
        for (name, function) in functions {
            // Direct only: no view or trigger of a file that somebody has tampered with can call it.
            let code = sqlite3_create_function_v2(
                connection.handle,
                name,
                1,
                SQLITE_UTF8 | SQLITE_DIRECTONLY,
                Unmanaged.passUnretained(self).toOpaque(),
                function,
                nil,
                nil,
                nil
            )
            guard code == SQLITE_OK else { throw connection.error(code) }
        }
    }

    private static func row(
        _ context: OpaquePointer?,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> (source: ContentSource, row: RecordContents.Row)? {
        guard let pointer = sqlite3_user_data(context), let values else { return nil }
        let source = Unmanaged<ContentSource>.fromOpaque(pointer).takeUnretainedValue()
        return source.row(id: sqlite3_value_int64(values[0])).map { (source, $0) }
    }

    private func row(id: Int64) -> RecordContents.Row? {
        let rows = contents.rows
        if place < rows.count, rows[place].id == id { return rows[place] }
        if place + 1 < rows.count, rows[place + 1].id == id {
            place += 1
            return rows[place]
        }
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].id < id { low = middle + 1 } else { high = middle }
        }
        guard low < rows.count, rows[low].id == id else { return nil }
        place = low
        return rows[low]
    }

    private static func give(_ bytes: UnsafeRawBufferPointer, isData: Bool, to context: OpaquePointer?) {
        let count = UInt64(bytes.count)
        switch (isData, bytes.baseAddress) {
        case (_, nil),
            (true, _) where bytes.isEmpty:
            if isData {
                _ = sqlite3_result_zeroblob64(context, 0)
            } else {
                sqlite3_result_text(context, "", 0, transient)
            }
        case (true, let base):
            sqlite3_result_blob64(context, base, count, transient)
        case (false, let base):
            let characters = base?.assumingMemoryBound(to: CChar.self)
            sqlite3_result_text64(context, characters, count, transient, UInt8(SQLITE_UTF8))
        }
    }
}
