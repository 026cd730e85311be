extension CacheTransaction {
    /// Marks the record whose key is a file name as waiting for the key that the name was made from.
    ///
    /// - Parameter digest: Identifies the keys that give such a name; see ``CacheFileName``.
    func awaitKey(ofFile name: String, digest: String) throws {
        try mapped { () throws(SQLiteError) in
            if !hasAdopted {
                try AdoptedTable.make(connection)
                hasAdopted = true
            }
            let statement = try statements[.awaitKey]
            try statement.bind(name, at: 1)
            try statement.bind(digest, at: 2)
            try statement.run()
        }
    }
}
