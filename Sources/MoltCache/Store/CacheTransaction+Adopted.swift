extension CacheTransaction {
    /// Lets the record whose key is a file's name wait for the key that the name was made of.
    ///
    /// - Parameter digest: What keys give such a name; see ``CacheFileName``.
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
