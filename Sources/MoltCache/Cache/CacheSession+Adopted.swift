internal import MoltCore

/// Records that a migration adopted under the names of their files, because their keys are not known.
///
/// Cache's file names do not give the keys away, but each key gives its file's name. So when a key has no record, and
/// there are records that wait for their keys, the name is looked up, too. A record keeps the name for its key until the
/// key is first written.
extension CacheSession {
    /// The content that waits for a key, or nil when there is none or it has expired.
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

    /// The record that waits for a key, read without its content, or nil when there is none or it has expired.
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

    /// Gives the record that waits for a key the key, which is about to be written, so that none is left behind.
    func claim(_ key: String) throws(SQLiteError) {
        while let found = try adoptedRecord(key) {
            if try recordTypeName(key) != nil {
                // Set before the directory was adopted: the newer of the two.
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
