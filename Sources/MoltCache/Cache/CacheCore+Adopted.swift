internal import MoltCore

/// Records that a migration adopted under the names of their files, until their keys are first asked for.
///
/// Cache's file names do not give the keys away, but each key gives its file's name. So when a key has no record, and
/// there are records that wait for their keys, the name is looked up, too. A record that is found so is answered with
/// at once; it then gets the key, in a transaction of its own behind the read.
extension CacheCore {
    /// The content that waits for a key, or nil when there is none or it has expired.
    func adoptedContent(_ key: String, _ now: Double) throws(SQLiteError) -> StoredContent? {
        guard hasAdopted else { return nil }
        for digest in CacheFileName.digests(of: key) {
            let statement = try statements[.getAdopted]
            try statement.bind(now, at: 1)
            try statement.bind(digest, at: 2)
            guard var found = try statement.first({ StoredContent($0) }) else { continue }
            claims.append((found.id, name: found.key, key: key))
            found.key = key
            return found
        }
        return nil
    }

    /// The record that waits for a key, read without its content, or nil when there is none or it has expired.
    func adoptedRecord(_ key: String) throws(SQLiteError) -> (id: Int64, name: String, typeName: String)? {
        guard hasAdopted else { return nil }
        for digest in CacheFileName.digests(of: key) {
            let statement = try statements[.nameOfAdopted]
            try statement.bind(now(), at: 1)
            try statement.bind(digest, at: 2)
            let found = try statement.first { ($0.integer(0), $0.text(1), $0.text(2)) }
            if let found { return found }
        }
        return nil
    }

    /// Lets the record that waits for a key be the one that is about to be changed, so that none is left behind.
    func claim(_ key: String) throws(SQLiteError) {
        while let found = try adoptedRecord(key) {
            if try recordTypeName(key) != nil {
                // Set before the directory was adopted, and so never asked for since: the newer of the two.
                _ = try remove(found.name, as: .removed)
            } else {
                _ = try remove(key, as: .expired)
                try rekey((found.id, name: found.name, key: key))
            }
        }
    }

    /// Gives a record its key, unless another one has it, or the record has gone.
    func rekey(_ claim: (id: Int64, name: String, key: String)) throws(SQLiteError) {
        forget(claim.name)
        let statement = try statements[.rekeyAdopted]
        try statement.bind(claim.key, at: 1)
        try statement.bind(claim.id, at: 2)
        try statement.run()
    }
}
