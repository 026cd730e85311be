internal import Foundation
internal import MoltCore

extension CacheTransaction {
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
}
