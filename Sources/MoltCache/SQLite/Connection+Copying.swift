extension Connection {
    /// Copies the whole database, as this connection's snapshot sees it, over another one.
    func copy(into destination: Connection) throws(SQLiteError) {
        let copy = try PageCopy(from: self, into: destination)
        while try copy.step() {}
        try copy.finish()
    }
}
