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

    /// Writes an upgraded record, unless it was written since it was read.
    ///
    /// - Returns: Whether it was written.
    func upgrade(
        _ row: RestUpgrade.Batch.Row,
        of batch: RestUpgrade.Batch,
        oldSize: Int,
        updated: Double?
    ) throws(SQLiteError) -> Bool {
        try batch.withContent(of: row) { content throws(SQLiteError) in
            let statement = try statements[.upgrade]
            defer { statement.unbind(1) }
            try statement.bind(inPlace: content, isText: !row.isData, at: 1)
            try statement.bind(Int64(row.version), at: 2)
            try statement.bind(row.id, at: 3)
            try statement.bind(Int64(row.oldVersion), at: 4)
            try statement.bind(updated, at: 5)
            try statement.run()
            guard connection.changes == 1 else { return false }
            if let size { self.size = size &+ Int64(content.count - oldSize) }
            return true
        }
    }
}
