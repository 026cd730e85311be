internal import MoltCore

/// A type whose records may have to go through migrations on read.
struct RestType {
    let id: Int64
    let name: String
    let count: Int
    /// The lowest and the highest id of its records.
    let ids: ClosedRange<Int64>
}

extension CacheSession {
    /// The types that have records, by name.
    func restTypes() throws(SQLiteError) -> [RestType] {
        let types = try connection.prepare(
            """
            SELECT type_id, name, count(*), min(molt_record.id), max(molt_record.id)
            FROM molt_record JOIN molt_type ON molt_type.id = type_id GROUP BY type_id ORDER BY name
            """
        )
        var found: [RestType] = []
        try types.eachRow { row throws(SQLiteError) in
            let lowest = row.integer(3)
            found.append(
                RestType(
                    id: row.integer(0),
                    name: row.text(1),
                    count: Int(clamping: row.integer(2)),
                    ids: lowest...max(lowest, row.integer(4))
                )
            )
        }
        return found
    }

    /// Writes upgraded records, except those that were written since they were read.
    ///
    /// - Parameters:
    ///   - states: The states in which the records were read.
    ///   - note: Receives the index of each record that was written.
    func upgrade(
        _ contents: RecordContents,
        readAs states: [ContentSource.ReadState],
        _ note: (Int) -> Void
    ) throws(SQLiteError) {
        let source = try connection.contentSource()
        try source.write(contents, readAs: states) { rows throws(SQLiteError) in
            guard let first = rows.first, let last = rows.last else { return }
            let statement = try statements[.upgrade]
            try statement.bind(first.id, at: 1)
            try statement.bind(last.id, at: 2)
            try statement.bind(Int64(first.version), at: 3)
            try statement.run()
            let written = source.written(of: rows)
            guard connection.changes == written.count else { throw SQLiteError.lostRows }
            for index in written {
                if let size { self.size = size &+ Int64(rows[index].range.count - states[index].size) }
                note(index)
            }
        }
    }
}
