internal import MoltCore

/// Records that a migration adopted under their file names, because their keys are not known.
///
/// Cache's file names do not reveal the keys, but each key determines its file's name. A key without a record is
/// therefore also looked up by that name while any record waits for its key. A record keeps the file name as its key
/// until the real key is first written.
extension CacheSession {
    /// The waiting content that belongs to a key; nil when there is none or it has expired.
    func adoptedContent(_ key: String) throws(SQLiteError) -> StoredContent? {
        guard try hasAdoptedRecords() else { return nil }
        for digest in CacheFileName.digests(of: key) {
            let statement = try statements[.getAdopted]
            try statement.bind(now, at: 1)
            try statement.bind(digest, at: 2)
            guard var found = try statement.first({ StoredContent($0) }) else { continue }
            found.key = key
            found.isAdopted = true
            return found
        }
        return nil
    }

    /// The waiting record that belongs to a key, without its content; nil when there is none or it has expired.
    func adoptedRecord(_ key: String) throws(SQLiteError) -> (id: Int64, name: String, typeName: String)? {
        guard try hasAdoptedRecords() else { return nil }
        for digest in CacheFileName.digests(of: key) {
            let statement = try statements[.nameOfAdopted]
            try statement.bind(now, at: 1)
            try statement.bind(digest, at: 2)
            let found = try statement.first { ($0.integer(0), $0.text(1), $0.text(2)) }
            if let found { return found }
        }
        return nil
    }

    /// Gives the waiting record its key, which is about to be written.
    func claim(_ key: String) throws(SQLiteError) {
        while let found = try adoptedRecord(key) {
            if try recordTypeName(key) != nil {
                // This value was set before the directory was adopted, and is the newer one.
                _ = try remove(found.name, as: .removed)
            } else {
                _ = try remove(key, as: .expired)
                changedKeys.insert(found.name)
                let statement = try statements[.rekeyAdopted]
                try statement.bind(key, at: 1)
                try statement.bind(found.id, at: 2)
                try statement.run()
            }
        }
    }
}
